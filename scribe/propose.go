package scribe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/yamledit"
	"github.com/agentsentinel/sentinel/rule"
)

// A Proposal is a rule that was made without a model, of a line of a document.
type Proposal struct {
	ID     string // of the rule
	Text   string // its file
	Quote  string // what the document says
	Source string // where, as in "CLAUDE.md:14"
}

// Reasons why there is nothing to propose.
var (
	ErrDismissed = errors.New("it was dismissed")
	ErrHolds     = errors.New("a rule says so already")
)

// A HeldError is [ErrHolds] with the rule that says so.
type HeldError struct{ Rule string }

func (e *HeldError) Error() string { return ErrHolds.Error() + ": " + e.Rule }

// Is reports whether the error is [ErrHolds].
func (e *HeldError) Is(target error) bool { return target == ErrHolds }

// Propose writes a proposal as a draft, and returns it. A draft that waits for the same
// words stays as it is but for its line. The error is [ErrDismissed] or [ErrHolds] where
// there is nothing to propose; others say why the proposal cannot be a draft. A draft
// never takes the id of a rule, and is never about Sentinel itself.
func Propose(ctx context.Context, p *Proposal, opts *Options) (Draft, error) {
	o := opts.filled()
	if err := o.openState(); err != nil {
		return Draft{}, err
	}
	s := OpenStore(o.stateDir())
	dismissed, err := s.Dismissals()
	if err != nil {
		return Draft{}, err
	}
	made := rule.ParseStrict(p.ID+draftSuffix, []byte(p.Text))
	if err := o.examine(p, &made, dismissed); err != nil {
		return Draft{}, err
	}
	var draft Draft
	err = s.update(ctx, func(*book) (_ []any, err error) {
		draft, err = o.propose(p, &made.Definition)
		return nil, err
	})
	return draft, err
}

// Examine returns the error of [Propose] for each of several proposals, nil where there
// would be a draft, and writes nothing.
func Examine(all []Proposal, opts *Options) ([]error, error) {
	o := opts.filled()
	var dismissed []Dismissal
	if o.Root != "" {
		var err error
		if dismissed, err = OpenStore(o.stateDir()).Dismissals(); err != nil {
			return nil, err
		}
	}
	found := make([]error, len(all))
	for i := range all {
		made := rule.ParseStrict(all[i].ID+draftSuffix, []byte(all[i].Text))
		found[i] = o.examine(&all[i], &made, dismissed)
	}
	return found, nil
}

// examine says why there is nothing to propose, or why the proposal cannot be a draft.
func (o *Options) examine(p *Proposal, made *rule.File, dismissed []Dismissal) error {
	statement := digestOf(normal(p.Quote))
	for _, d := range dismissed {
		if d.ID == statement && p.names(d.Draft) {
			return ErrDismissed
		}
	}
	for _, r := range o.Rules {
		if d := r.Definition(); p.names(d.ID) && quotation(d.Quote) == quotation(p.Quote) || same(d, &made.Definition) {
			return &HeldError{r.Spec().ID}
		}
	}
	return o.sound(made)
}

// names reports whether an id is that of the proposal, or one that it got because that
// was taken.
func (p *Proposal) names(id string) bool {
	return id == p.ID || strings.HasPrefix(id, p.ID+"-") && strings.Trim(id[len(p.ID)+1:], "0123456789") == ""
}

// propose writes the draft. The store is locked.
func (o *Options) propose(p *Proposal, made *rule.Definition) (Draft, error) {
	if err := contained(o.draftsDir(), o.Dir); err != nil {
		return Draft{}, err
	}
	waiting, err := readDrafts(o.draftsDir())
	if err != nil {
		return Draft{}, err
	}
	for _, d := range waiting {
		if d.Provenance.Evidence == p.Quote && (p.names(d.ID) || same(&d.File.Definition, made)) {
			return o.moved(d, p.Source)
		}
	}
	id := o.freeID(p.ID, &Observation{Statement: p.Quote})
	text, err := p.draft(id, o.Now())
	if err != nil {
		return Draft{}, err
	}
	d := parseDraft(id, filepath.Join(o.draftsDir(), id+draftSuffix), text)
	if err := os.MkdirAll(o.draftsDir(), 0o755); err != nil {
		return Draft{}, fmt.Errorf("scribe: %w", err)
	}
	if err := place(d.Path, text, false); err != nil {
		return Draft{}, fmt.Errorf("scribe: %w", err)
	}
	return d, nil
}

// moved is a draft that waits, with the line where its words are now.
func (o *Options) moved(d Draft, source string) (Draft, error) {
	text := d.Text
	for _, path := range [][]string{{"source"}, {"_draft", "document"}} {
		changed, err := yamledit.Set(text, path, source)
		if err != nil {
			return d, nil // it was edited: its owner's words count
		}
		text = changed
	}
	if d.Broken() || bytes.Equal(text, d.Text) {
		return d, nil
	}
	if err := place(d.Path, text, true); err != nil {
		return d, fmt.Errorf("scribe: %w", err)
	}
	return parseDraft(d.ID, d.Path, text), nil
}

// draft is the text of the draft's file.
func (p *Proposal) draft(id string, now time.Time) ([]byte, error) {
	text := []byte(p.Text)
	var err error
	if id != p.ID {
		if text, err = yamledit.Set(text, []string{"id"}, id); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	out.Write(bytes.TrimRight(text, "\n"))
	out.WriteByte('\n')
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err = enc.Encode(map[string]Provenance{"_draft": {
		Statement: p.Quote, Source: Documentation, Evidence: p.Quote, Document: p.Source,
		Confidence: 1, FirstSeen: now.UTC().Truncate(time.Second), Seen: 1,
	}})
	return out.Bytes(), err
}

// sound returns an error for a draft that is a faulty rule, or would weaken one.
func (o *Options) sound(f *rule.File) error {
	_, problems := o.buildFile(*f)
	var faults []error
	for _, p := range problems {
		if !p.Warning {
			faults = append(faults, p)
		}
	}
	for _, why := range weakens(&f.Definition) {
		faults = append(faults, errors.New(why))
	}
	return errors.Join(faults...)
}
