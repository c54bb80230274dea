package scribe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// compose makes the text of a draft from a rule that the model wrote. If there are
// faults to repair, the text is empty.
func (o *Options) compose(ctx context.Context, id string, ob *Observation, f *rule.File, model string) (text []byte, faults []string) {
	for _, p := range f.Problems {
		if !p.Warning {
			faults = append(faults, p.Message)
		}
	}
	faults = append(faults, objections(&f.Definition)...)
	if f.Definition.Severity == sentinel.SeverityInfo.String() && forbids(ob.Statement) {
		faults = append(faults, "the convention is more than advice: write `severity: warn` or `block`, and no `post`")
	}
	if len(faults) > 0 {
		return nil, faults
	}
	d := &f.Definition
	out := draftFile{
		ID: id, Trigger: d.Trigger, Severity: d.Severity, Post: d.Post, Scope: d.Scope, Exclude: d.Exclude,
		Backend: d.Backend, When: d.When, Prompt: d.Prompt, Message: d.Message,
		Draft: &Provenance{
			Statement: ob.Statement, Source: ob.Source, Evidence: ob.Evidence, Session: ob.Session, Document: ob.Document,
			Confidence: ob.Confidence, Model: model, FirstSeen: ob.Time.UTC(), Seen: ob.Seen,
		},
	}
	built, faults := o.build(id, &out)
	if len(faults) > 0 {
		return nil, faults
	}
	cases, fault := o.chooseCases(ctx, built, ob.Cases, d.Tests)
	if fault != "" {
		return nil, []string{fault}
	}
	out.Tests = draftCases(cases)
	if _, faults = o.build(id, &out); len(faults) > 0 {
		return nil, faults
	}
	text, err := out.render()
	if err != nil {
		return nil, []string{err.Error()}
	}
	return text, nil
}

// build makes the rule that a draft would become.
func (o *Options) build(id string, f *draftFile) (*rule.Rule, []string) {
	text, err := f.render()
	if err != nil {
		return nil, []string{err.Error()}
	}
	file := rule.ParseStrict(id+draftSuffix, text)
	r, problems := o.buildFile(file)
	var faults []string
	for _, p := range problems {
		if !p.Warning {
			faults = append(faults, p.Message)
		}
	}
	return r, faults
}

// buildFile makes a rule of a file and returns its problems.
func (o *Options) buildFile(f rule.File) (*rule.Rule, []rule.Problem) {
	opts := rule.Options{}
	if o.Build != nil {
		opts = *o.Build
	}
	opts.IDPrefix = ""
	rules, problems := rule.Build([]rule.File{f}, &opts)
	return rules[0], problems
}

// freeID makes an id that no rule and no draft has. The store must be locked.
func (o *Options) freeID(wanted string, ob *Observation) string {
	base := slug(wanted)
	if base == "" {
		base = slug(ob.Statement)
	}
	if base == "" {
		base = "convention-" + ob.ID
	}
	if !validID(base) {
		base = "rule-" + base // a name that Windows reserves
	}
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		if !o.taken(id) {
			return id
		}
	}
}

// taken reports whether a rule or draft has the id or would have its file.
func (o *Options) taken(id string) bool {
	for _, r := range o.Rules {
		if r.Spec().ID == id || r.Spec().ID == "user:"+id || r.Definition().ID == id {
			return true
		}
	}
	for _, path := range []string{
		filepath.Join(o.draftsDir(), id+draftSuffix),
		filepath.Join(o.RulesDir, id+".yaml"), filepath.Join(o.RulesDir, id+".yml"), filepath.Join(o.RulesDir, id+".json"),
	} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// saveDraft writes a draft under a free id, and notes that in its observation. compose
// is called with the id.
func (o *Options) saveDraft(ctx context.Context, s *Store, ob *Observation, wanted string, compose func(id string) ([]byte, []string)) (id string, faults []string, err error) {
	err = s.update(ctx, func(b *book) ([]any, error) {
		now, known := b.byID[ob.ID]
		if !known || now.State != Observed {
			return nil, nil // another process was faster
		}
		if err := contained(o.draftsDir(), o.Dir); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(o.draftsDir(), 0o755); err != nil {
			return nil, fmt.Errorf("scribe: %w", err)
		}
		free := o.freeID(wanted, ob)
		var text []byte
		if text, faults = compose(free); len(faults) > 0 {
			return nil, nil
		}
		if err := place(filepath.Join(o.draftsDir(), free+draftSuffix), text, false); err != nil {
			return nil, fmt.Errorf("scribe: %w", err)
		}
		id = free
		return []any{change{ID: ob.ID, Changed: o.Now(), State: Drafted, Draft: free}}, nil
	})
	return id, faults, err
}
