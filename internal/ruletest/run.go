package ruletest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// A Suite is a rule with its cases.
type Suite struct {
	File   rule.File
	Cases  []Case
	Faults []rule.Problem // of the cases in File, for which the rule itself is not broken
}

// A Case is a rule's case and its place.
type Case struct {
	rule.Case
	File  string // the rule's own, or its *.tests.yaml
	Index int    // in that file's list, from 0
}

// Name says what the case does, in one line.
func (c *Case) Name() string {
	switch {
	case c.Bash != "":
		return "bash: " + line(c.Bash)
	case c.Write != "":
		return "write: " + line(c.Write)
	case c.Read != "":
		return "read: " + line(c.Read)
	}
	return "mcp: " + line(c.MCP)
}

func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Key tells the action of a case from others.
func (c *Case) Key() string {
	return strings.Join([]string{c.Bash, c.Write, c.Read, c.MCP, c.Content, c.Old, string(c.Args), strings.Join(c.Turn, "\n"), fmt.Sprintf("%+v", c.Before), strings.Join(c.Asked, "\n\n")}, "\x00")
}

// Options say how cases are run.
type Options struct {
	// Engine holds the mapper and everything that judging takes: backends by
	// name (with the builtin one), the default, threshold, limits. Run puts the
	// recorded answers in the place of its backends.
	Engine sentinel.Options
	// Root is the absolute folder that the cases' paths start from.
	Root string
	// Build says in what surroundings rules are built.
	Build rule.Options
	// Progress, if any, is called after each case, from several goroutines.
	Progress func()
}

// A State is what became of a case.
type State string

// The states.
const (
	Passed     State = "passed"
	Failed     State = "failed"
	Unanswered State = "unanswered" // a model would be asked, and no answer is recorded
	Broken     State = "error"      // it could not be run
)

// A Result is a case that was run.
type Result struct {
	Rule  string
	File  string // the rule's, wherever the case is
	Case  Case
	State State
	Got   string // violation or pass; "" where nothing came of it
	Why   string // in one line
	Model bool   // the rule asks a model about this case
	Took  time.Duration
}

// A Report holds the results of all suites, in their order.
type Report struct {
	Results  []Result
	Problems []rule.Problem // cases that contradict each other, rules that are broken
	Untested []string       // ids of rules without a case
}

// Count returns how many results are in a state.
func (r *Report) Count(s State) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].State == s {
			n++
		}
	}
	return n
}

// OK reports whether nothing failed.
func (r *Report) OK() bool {
	return r.Count(Failed) == 0 && r.Count(Broken) == 0 && !slices.ContainsFunc(r.Problems, func(p rule.Problem) bool { return !p.Warning })
}

// Run runs the cases of each suite without a model. It fails only when ctx ends,
// and then returns what it has.
func Run(ctx context.Context, suites []Suite, opts *Options) (Report, error) {
	var r Report
	tested, problems := build(suites, "", opts)
	r.Problems = problems
	for i, s := range suites {
		b := tested[i]
		r.Problems = append(append(r.Problems, s.Faults...), contradictions(s)...)
		if len(s.Cases) == 0 && b.rule.Spec().Err == nil {
			r.Untested = append(r.Untested, b.id)
		}
		for _, c := range s.Cases {
			if err := ctx.Err(); err != nil {
				return r, fmt.Errorf("ruletest: stopped: %w", err)
			}
			res := b.offline(ctx, c, opts)
			res.File = s.File.Path
			r.Results = append(r.Results, res)
			if opts.Progress != nil {
				opts.Progress()
			}
		}
	}
	return r, nil
}

// testedRule is a rule, ready to be tried.
type testedRule struct {
	id   string
	rule *rule.Rule
}

// build makes the rules of suites as a project would that holds them all, so that
// two rules of one id are a fault of the second; model, if any, takes the place of
// their own.
func build(suites []Suite, model string, opts *Options) ([]testedRule, []rule.Problem) {
	files := make([]rule.File, len(suites))
	for i, s := range suites {
		files[i] = s.File
		files[i].Definition.Mode = "enforce" // a shadow rule is tested as what it is to be
		if model != "" {
			files[i].Definition.Model = model
		}
	}
	rules, problems := rule.Build(files, &opts.Build)
	problems = slices.DeleteFunc(problems, func(p rule.Problem) bool { return p.Warning })
	tested := make([]testedRule, len(rules))
	for i, r := range rules {
		tested[i] = testedRule{r.Spec().ID, r}
	}
	return tested, problems
}

// contradictions are cases of one action that expect different things.
func contradictions(s Suite) []rule.Problem {
	var problems []rule.Problem
	first := map[string]*Case{}
	for i := range s.Cases {
		c := &s.Cases[i]
		o, seen := first[c.Key()]
		if !seen {
			first[c.Key()] = c
		} else if o.Expect != c.Expect {
			problems = append(problems, rule.Problem{
				File:    c.File,
				Message: fmt.Sprintf("case %d (%s) expects %s, and case %d the contrary: take one out", c.Index+1, c.Name(), c.Expect, o.Index+1),
			})
		}
	}
	return problems
}

// recordedName is the backend that a recorded answer comes from.
const recordedName = "recorded"

var errNoAnswer = errors.New("no answer of the model is recorded for this case")

// offline runs a case with the recorded answer in the place of every model.
func (b testedRule) offline(ctx context.Context, c Case, opts *Options) Result {
	asked := false
	recorded := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		asked = true
		if len(c.Answer) == 0 {
			return sentinel.Response{}, fmt.Errorf("%w: %w", sentinel.ErrUnavailable, errNoAnswer)
		}
		return sentinel.Response{Text: string(c.Answer), Backend: recordedName}, nil
	})
	engine := opts.Engine
	engine.Backends = map[string]sentinel.Backend{}
	for name, real := range opts.Engine.Backends {
		if name == sentinel.Builtin {
			engine.Backends[name] = real
		} else {
			engine.Backends[name] = recorded
		}
	}
	for _, name := range append([]string{b.rule.Spec().Backend, engine.Default}, b.rule.Spec().Fallback...) {
		if _, known := engine.Backends[name]; !known && name != "" {
			engine.Backends[name] = recorded
		}
	}
	if len(c.Answer) > 0 && engine.Default == sentinel.Builtin { // the case is of a model, whatever judges in this project
		engine.Default, engine.Backends[recordedName] = recordedName, recorded
	}
	r, _ := b.try(ctx, c, &engine, opts)
	r.Model = asked
	return r
}

// try judges the case by the rule alone.
func (b testedRule) try(ctx context.Context, c Case, engine *sentinel.Options, opts *Options) (Result, []sentinel.Finding) {
	start := time.Now()
	r := Result{Rule: b.id, Case: c, State: Broken}
	if b.rule.Spec().Err != nil {
		r.Why = "the rule is broken: mend what its file is reported for"
		return r, nil
	}
	ev, err := event(c, opts.Root)
	if err != nil {
		r.Why = err.Error()
		return r, nil
	}
	o := *engine
	o.Explain, o.CollectAll, o.SecondOpinion = true, true, ""
	o.Requests = func(sentinel.Event) []string { return c.Asked }
	e, err := sentinel.New([]sentinel.Rule{b.rule}, &o)
	if err != nil {
		r.Why = err.Error()
		return r, nil
	}
	if spec := b.rule.Spec(); spec.Stop || spec.Turns && c.Write != "" {
		ev, err = asTurn(ctx, ev, c, o.Mapper)
	}
	if err == nil {
		ev.Past, err = b.past(ctx, c, ev, o.Mapper)
	}
	var d sentinel.Decision
	if err == nil {
		d, err = e.Evaluate(ctx, ev)
	}
	r.Took = time.Since(start)
	if err != nil {
		r.Why = err.Error()
		return r, nil
	}
	if b.rule.Spec().Post {
		r.Got, r.Why = b.applies(ctx, d.Actions, ev.Past)
	} else {
		r.State, r.Got, r.Why = said(d.Findings)
	}
	if r.Got == "" {
		return r, d.Findings
	}
	r.State = Failed
	if r.Got == c.Expect {
		r.State = Passed
	}
	return r, d.Findings
}

// asTurn makes of a case's call the end of a turn that did it, and then ran the case's
// commands.
func asTurn(ctx context.Context, ev sentinel.Event, c Case, mapper sentinel.ToolMapper) (sentinel.Event, error) {
	actions, err := mapper.MapTool(ctx, ev)
	for _, line := range c.Turn {
		actions = append(actions, trigger.CommandAction(ev, line)...)
	}
	return sentinel.Event{Phase: sentinel.PhaseStop, Agent: ev.Agent, Dir: ev.Dir, Root: ev.Root, Actions: actions}, err
}

// Words of a case's expect.
const (
	violation = "violation"
	pass      = "pass"
)

// said is what the findings of one rule come to. For an info rule, a
// violation means that its text is given.
func said(findings []sentinel.Finding) (State, string, string) {
	why := "no action of this case is one that the rule is about"
	for i := range findings {
		f := &findings[i]
		switch {
		case f.Asked != "":
			return Failed, pass, "asked for: " + f.Asked
		case f.Outcome == sentinel.OutcomeViolation, f.Advice != "":
			return Failed, violation, f.Reason
		case errors.Is(f.Err, errNoAnswer):
			return Unanswered, "", errNoAnswer.Error() + ": run sentinel test --record"
		case f.Outcome == sentinel.OutcomeUnavailable:
			return Broken, "", f.Reason
		case f.Match.OK:
			why = cmp.Or(f.Reason, unsaid(f))
		case f.Match.Why != "" && f.Match.Why != "trigger":
			why = "it does not apply: " + f.Match.Why
		}
	}
	return Failed, pass, why
}

// unsaid is the reason for a finding that has none of its own.
func unsaid(f *sentinel.Finding) string {
	if f.Response.Backend == sentinel.Builtin {
		return "its `when` is false"
	}
	return "the model sees no violation"
}

// applies says of advice after the tool whether it would be asked for. Got is ""
// where the expression could not be evaluated.
func (b testedRule) applies(ctx context.Context, actions []sentinel.Action, past sentinel.Past) (got, why string) {
	why = "no action of this case is one that the rule is about"
	for i := range actions {
		a := actions[i]
		a.Past = past
		m := b.rule.Match(&a)
		switch {
		case m.OK:
			ok, err := b.rule.When(ctx, &a, m)
			if err != nil {
				return "", err.Error()
			}
			if ok {
				return violation, "matched by " + m.Pattern
			}
			why = "its `when` is false"
		case m.Why != "trigger":
			why = "it does not apply: " + m.Why
		}
	}
	return pass, why
}

// event is the tool call of a case, as an agent would make it.
func event(c Case, root string) (sentinel.Event, error) {
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "test", Dir: root, Root: root}
	var args any
	switch {
	case c.Bash != "":
		ev.Tool.Name, args = "Bash", map[string]string{"command": c.Bash}
	case c.Write != "" && c.Old != "":
		ev.Tool.Name, args = "Edit", map[string]string{"file_path": c.Write, "old_string": c.Old, "new_string": c.Content}
	case c.Write != "":
		ev.Tool.Name, args = "Write", map[string]string{"file_path": c.Write, "content": c.Content}
	case c.Read != "":
		ev.Tool.Name, args = "Read", map[string]string{"file_path": c.Read}
	default:
		server, tool, ok := strings.Cut(c.MCP, ":")
		if !ok || server == "" || tool == "" {
			return ev, fmt.Errorf("mcp wants server:tool, not %q", c.MCP)
		}
		ev.Tool.Name, args = "mcp__"+server+"__"+tool, c.Args
		if c.Args == nil {
			args = map[string]any{}
		}
	}
	raw, err := json.Marshal(args)
	ev.Tool.Args = raw
	return ev, err
}
