package scribe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// A Promotion is a draft that has become a rule.
type Promotion struct {
	ID    string
	Path  string       // absolute, of the rule
	Text  []byte       // the whole file
	Cases []CaseResult // the results on its own cases, without a model
}

// Promote makes a draft a rule: it moves the file to Options.RulesDir, with its origin
// as a comment. The rule applies from the next call on. Promote refuses a draft that is
// not a sound rule, fails its own cases, or has the id, or the same trigger, scope and
// question, of an existing rule.
func Promote(ctx context.Context, id string, opts *Options) (Promotion, error) {
	o := opts.filled()
	p, d, err := o.plan(ctx, id)
	if err != nil {
		return p, err
	}
	if err := o.openState(); err != nil {
		return p, err
	}
	s := OpenStore(o.stateDir())
	err = s.update(ctx, func(b *book) ([]any, error) {
		if err := o.move(d, p); err != nil {
			return nil, err
		}
		return append(o.finishDismissals(s, b), b.decided(d, Promoted, o.Now())...), nil
	})
	return p, err
}

func (o *Options) plan(ctx context.Context, id string) (Promotion, *Draft, error) {
	d, err := o.find(id)
	if err != nil {
		return Promotion{}, nil, err
	}
	text, err := withoutProvenance(d, o.Now())
	if err != nil {
		return Promotion{}, nil, err
	}
	path := filepath.Join(o.RulesDir, id+".yaml")
	p := Promotion{ID: id, Path: path, Text: text}
	r, problems := o.buildFile(d.File)
	var faults []error
	for _, pr := range problems {
		if !pr.Warning {
			faults = append(faults, pr)
		}
	}
	if len(faults) > 0 {
		return p, nil, fmt.Errorf("scribe: draft %s is no sound rule; repair it with `sentinel promote %s --edit`:\n%w", id, id, errors.Join(faults...))
	}
	p.Cases = o.tryCases(ctx, r, &d.File)
	for _, c := range p.Cases {
		if c.Result == CaseWrong {
			faults = append(faults, fmt.Errorf("%s: expect %s, but %s", sentence(caseText(c.Case), maxHint), c.Case.Expect, c.Why))
		}
	}
	if len(faults) > 0 {
		return p, nil, fmt.Errorf("scribe: draft %s does not do what its cases expect; repair it with `sentinel promote %s --edit`:\n%w", id, id, errors.Join(faults...))
	}
	return p, d, o.clash(r, path)
}

// clash returns an error if a rule or a file excludes a new rule.
func (o *Options) clash(r *rule.Rule, path string) error {
	d := r.Definition()
	for _, other := range o.Rules {
		e := other.Definition()
		switch {
		case other.Spec().ID == d.ID:
			return fmt.Errorf("scribe: the rule %s has the id `%s` already: give the draft's file and its `id` another name, or dismiss it", other.Spec().Source, d.ID)
		case same(e, d):
			return fmt.Errorf("scribe: the rule `%s` says the same (%s): dismiss the draft, or change it with --edit", e.ID, other.Spec().Source)
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("scribe: %s exists already: give the draft's file and its `id` another name", path)
	}
	return nil
}

// same reports whether two rules ask the same.
func same(a, b *rule.Definition) bool { return reflect.DeepEqual(asks(a), asks(b)) }

// asks is what a rule asks, without its name, its words to the agent, and what becomes
// of a violation.
func asks(d *rule.Definition) rule.Definition {
	return rule.Definition{
		Trigger: d.Trigger, Phase: d.Phase, Scope: slices.Concat(d.Scope), Prompt: normal(d.Prompt), When: d.When,
		Requires: d.Requires, Also: d.Also, BeforeFirst: d.BeforeFirst,
	}
}

// move writes the rule and removes the draft. The rule is written first, so that an
// interruption loses nothing.
func (o *Options) move(d *Draft, p Promotion) error {
	if err := d.unchanged(); err != nil {
		return err
	}
	if err := os.MkdirAll(o.RulesDir, 0o755); err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	if err := place(p.Path, p.Text, false); err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	if err := safefile.Remove(d.Path); err != nil {
		return fmt.Errorf("scribe: the rule holds, but its draft could not be removed: %w", err)
	}
	return nil
}

// unchanged returns an error if a draft differs from the one that the user decided
// about. An unreadable draft only has to exist.
func (d *Draft) unchanged() error {
	var err error
	same := true
	if d.Text == nil {
		_, err = os.Lstat(d.Path)
	} else {
		var now []byte
		now, err = readRegular(d.Path, maxDraft)
		same = bytes.Equal(now, d.Text) || d.mended != nil && bytes.Equal(now, d.mended)
	}
	if err != nil || !same {
		return fmt.Errorf("scribe: the draft %s was changed or taken away meanwhile; look at it again", d.ID)
	}
	return nil
}

// decided are the lines about the user's decision on a draft.
func (b *book) decided(d *Draft, state State, now time.Time) []any {
	var lines []any
	for _, id := range b.order {
		if ob := b.byID[id]; ob.Draft == d.ID && ob.State == Drafted || id == digestOf(normal(d.Provenance.Statement)) {
			lines = append(lines, change{ID: id, Changed: now, State: state, Draft: d.ID})
		}
	}
	return lines
}

// withoutProvenance is the text of a draft as that of a rule: _draft has become a
// comment at its head.
func withoutProvenance(d *Draft, now time.Time) ([]byte, error) {
	if len(d.Text) == 0 {
		return nil, errors.Join(problemErrors(d)...)
	}
	var body bytes.Buffer
	inside := false
	for line := range bytes.Lines(d.Text) {
		switch {
		case bytes.HasPrefix(line, []byte("_draft:")):
			inside = true
		case inside && (len(bytes.TrimSpace(line)) == 0 || line[0] == ' ' || line[0] == '\t'):
		default:
			inside = false
			body.Write(line)
		}
	}
	kept, before := rule.ParseStrict(d.ID+".yaml", body.Bytes()).Definition, d.File.Definition
	before.Draft = nil
	if !reflect.DeepEqual(kept, before) { // the rule must be the one that the user saw
		return nil, fmt.Errorf("scribe: draft %s: write `_draft:` at the left margin, with its keys indented below it", d.ID)
	}
	return append(comment(&d.Provenance, now), body.Bytes()...), nil
}

func problemErrors(d *Draft) []error {
	errs := []error{fmt.Errorf("scribe: draft %s cannot be read", d.ID)}
	for _, p := range d.File.Problems {
		errs = append(errs, p)
	}
	return errs
}

// comment describes the origin of a rule. Each of its lines is a comment, whatever the
// texts contain.
func comment(p *Provenance, now time.Time) []byte {
	var b strings.Builder
	add := func(format string, args ...any) {
		b.WriteString("# " + text.Line(fmt.Sprintf(format, args...)) + "\n")
	}
	if p.Source == "" { // the user wrote the draft
		add("Promoted from a draft on %s.", now.UTC().Format(time.DateOnly))
		return []byte(b.String())
	}
	from := string(p.Source)
	if p.Document != "" {
		from += " (" + p.Document + ")"
	}
	first := ""
	if !p.FirstSeen.IsZero() {
		first = "first seen " + p.FirstSeen.UTC().Format(time.DateOnly) + ", "
	}
	add("Learned from %s, %sobserved %s; promoted %s.", from, first, times(p.Seen), now.UTC().Format(time.DateOnly))
	if p.Evidence != "" {
		add("Evidence: %q", p.Evidence)
	}
	if p.Session != "" {
		add("Session %s, confidence %.2g, model %s.", p.Session, p.Confidence, p.Model)
	} else if p.Model != "" {
		add("Confidence %.2g, model %s.", p.Confidence, p.Model)
	}
	return []byte(b.String())
}

func times(n int) string {
	if n <= 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
