package ruletest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
)

// LiveOptions say how the real backends are asked.
type LiveOptions struct {
	Models  []string // asked one after the other; empty means each rule's own
	Repeat  int      // times that each case is asked; 0 means once
	Pricing func(model string) (input, output float64)
}

// An Answer is what a model said of a case.
type Answer struct {
	Case         *Case
	Repeat       int
	Violation    bool     // that nobody has asked for
	AskedFor     string   // the person's words that let a violation pass
	Confidence   float64  // in the violation that was found, whether asked for or not
	PTrue        *float64 // the model's own probability of a violation; nil if it is not known
	Text         string   // the whole answer
	Err          error    // why there is none
	Took         time.Duration
	PromptTokens int
	OutputTokens int
	Model        string // that answered
	Backend      string
}

// right reports whether the answer is what the case expects, when violations
// count from a confidence.
func (a *Answer) right(threshold float64) bool {
	return a.Err == nil && (a.Violation && a.Confidence >= threshold) == (a.Case.Expect == violation)
}

// A Trial is how one model did on the cases of one rule.
type Trial struct {
	Rule    string
	Model   string
	Answers []Answer
	Metrics Metrics
}

// Live asks the real backends about every case for which its rule asks a model,
// and measures. It returns what it has when ctx ends, with the error. The
// engine's MaxParallel bounds how many cases are asked at once.
func Live(ctx context.Context, suites []Suite, opts *Options, live *LiveOptions) ([]Trial, error) {
	models := live.Models
	if len(models) == 0 {
		models = []string{""}
	}
	var trials []Trial
	for i := range suites {
		for _, model := range models {
			b, problems := build(suites[i:i+1], model, opts)
			if len(problems) > 0 {
				continue // Run reports them
			}
			t := Trial{Rule: b[0].id, Model: model}
			t.Answers = b[0].live(ctx, suites[i].Cases, opts, max(live.Repeat, 1))
			if len(t.Answers) > 0 { // else no case needs a model
				t.Model = cmp.Or(t.Model, t.Answers[0].Model)
				t.Metrics = Measure(t.Answers, threshold(&opts.Engine), live.Pricing)
				trials = append(trials, t)
			}
			if err := ctx.Err(); err != nil {
				return trials, fmt.Errorf("ruletest: stopped: %w", err)
			}
		}
	}
	return trials, nil
}

func threshold(o *sentinel.Options) float64 {
	return max(cmp.Or(o.Threshold, sentinel.DefaultThreshold), 0)
}

// live asks about each case, in the order of repeats and cases.
func (b testedRule) live(ctx context.Context, cases []Case, opts *Options, repeat int) []Answer {
	engine := opts.Engine
	engine.Threshold = -1 // every violation counts here: where the line should be is what is measured
	engine.Backends = make(map[string]sentinel.Backend, len(opts.Engine.Backends))
	for name, b := range opts.Engine.Backends {
		engine.Backends[name] = patient{b}
	}
	asks := make([][]Answer, len(cases))
	slots := make(chan struct{}, cmp.Or(engine.MaxParallel, sentinel.DefaultMaxParallel))
	var wait sync.WaitGroup
	for i := range cases {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			for n := range repeat {
				a, asked := b.ask(ctx, &cases[i], &engine, opts)
				if !asked || ctx.Err() != nil {
					break
				}
				a.Repeat = n
				asks[i] = append(asks[i], a)
			}
			if opts.Progress != nil {
				opts.Progress()
			}
		})
	}
	wait.Wait()
	return slices.Concat(asks...)
}

// ask puts one case to the real backend. asked is false when the rule settles it
// without a model.
func (b testedRule) ask(ctx context.Context, c *Case, engine *sentinel.Options, opts *Options) (Answer, bool) {
	_, findings := b.try(ctx, *c, engine, opts)
	return answer(c, findings, "")
}

// answer is what the judge of that name said of a case; "" is the first that was asked
// of all but the builtin one. asked is false if it was not.
func answer(c *Case, findings []sentinel.Finding, judge string) (a Answer, asked bool) {
	a.Case = c
	for i := range findings {
		f := &findings[i]
		all := attempts(f, judge)
		said := slices.DeleteFunc(slices.Clone(all), aboutRequest)
		if len(said) == 0 {
			continue
		}
		asked = true
		for _, at := range all { // several where a text was judged in windows
			a.Took += at.Response.Took
			a.PromptTokens += at.Response.PromptTokens
			a.OutputTokens += at.Response.OutputTokens
			if p := at.Response.PTrue; at.Err == nil && p != nil && !aboutRequest(at) && (a.PTrue == nil || *p > *a.PTrue) {
				a.PTrue = p
			}
		}
		if f.Outcome == sentinel.OutcomeViolation || a.Model == "" {
			at := decisive(f, said)
			a.Violation, a.AskedFor = f.Outcome == sentinel.OutcomeViolation && f.Asked == "", f.Asked
			a.Confidence, a.Text, a.Err = f.Confidence, at.Response.Text, at.Err
			a.Model = cmp.Or(at.Response.Model, at.Request.Model)
			a.Backend = at.Backend
		}
	}
	if errors.Is(a.Err, context.Canceled) {
		return a, false
	}
	return a, asked
}

// aboutRequest reports whether a model was asked what the person asked for, and not
// about the rule.
func aboutRequest(at *sentinel.Attempt) bool {
	return at.Backend != sentinel.Builtin && at.Request.Criterion == ""
}

// attempts are the questions of a finding to a judge, see [answer].
func attempts(f *sentinel.Finding, judge string) (said []*sentinel.Attempt) {
	for i := range f.Attempts {
		at := &f.Attempts[i]
		if judge == "" && at.Backend != sentinel.Builtin {
			judge = at.Backend
		}
		if at.Backend == judge {
			said = append(said, at)
		}
	}
	return said
}

// decisive is the attempt that the finding follows from: a failed one, unless another
// window is a violation.
func decisive(f *sentinel.Finding, said []*sentinel.Attempt) *sentinel.Attempt {
	failed := func(at *sentinel.Attempt) bool { return at.Err != nil }
	i := slices.IndexFunc(said, failed)
	if answered := slices.IndexFunc(said, func(at *sentinel.Attempt) bool { return !failed(at) }); answered >= 0 && f.Outcome == sentinel.OutcomeViolation {
		i = answered
	}
	return said[max(i, 0)]
}

// patient asks a backend with the lowest priority, after all sessions.
type patient struct{ sentinel.Backend }

// Complete asks at the lowest priority.
func (p patient) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	req.Priority = sentinel.PriorityScribe
	return p.Backend.Complete(ctx, req)
}

// Unwrap returns the backend that is asked.
func (p patient) Unwrap() sentinel.Backend { return p.Backend }
