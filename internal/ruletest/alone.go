package ruletest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// A Judged is a rule that one judge answers alone: no `when` settles a case before it is
// asked, and no other judge is asked after it. The builtin judge answers by `when`. It is
// safe for concurrent use.
type Judged struct {
	rule    testedRule
	backend string
	opts    Options
}

// Alone returns the rule of a file for the judge backend, one of opts.Engine.Backends. model
// may be "". The error says why the rule puts no question to that judge.
func Alone(f rule.File, backend, model string, opts *Options) (*Judged, error) {
	d := &f.Definition // a copy
	switch {
	case f.Broken():
		return nil, errors.New("the rule is broken: mend what its file is reported for")
	case d.Severity == sentinel.SeverityInfo.String():
		return nil, errors.New("an info rule judges nothing")
	case backend == sentinel.Builtin && d.When == "":
		return nil, errors.New("it has no `when`, which is what the builtin judge asks")
	case backend != sentinel.Builtin && d.Prompt == "" && d.When != "":
		return nil, errors.New("it has no `prompt`, which is what a model is asked")
	}
	d.Backend, d.Model, d.Fallback, d.Mode = backend, model, []string{}, "enforce"
	d.Verdict, d.Doubtful = "judge", ""
	if backend != sentinel.Builtin {
		d.When = ""
	}
	build := opts.Build
	build.Backends = nil
	rules, problems := rule.Build([]rule.File{f}, &build)
	for _, p := range problems {
		if !p.Warning {
			return nil, fmt.Errorf("the rule cannot be judged: %s", p.Message)
		}
	}
	j := &Judged{testedRule{rules[0].Spec().ID, rules[0]}, backend, *opts}
	j.opts.Engine.Threshold, j.opts.Engine.Fallback, j.opts.Engine.NoModel = -1, nil, false // what counts as a violation is measured
	return j, nil
}

// With is the same rule with another backend in the place of its judge.
func (j *Judged) With(b sentinel.Backend) *Judged {
	other := *j
	other.opts.Engine.Backends = map[string]sentinel.Backend{j.backend: b}
	return &other
}

// Ask puts a case to the judge. asked is false where the rule is not about the case: then
// nothing is asked.
func (j *Judged) Ask(ctx context.Context, c *Case) (a Answer, asked bool, err error) {
	r, findings := j.rule.try(ctx, *c, &j.opts.Engine, &j.opts)
	a, asked = answer(c, findings, j.backend)
	if r.State == Broken && !asked && ctx.Err() == nil {
		return a, false, errors.New(cmp.Or(r.Why, "it could not be judged"))
	}
	return a, asked, nil
}
