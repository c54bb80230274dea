package ruletext

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// A Parsed is the text of a rule, read once for all that is asked of it.
type Parsed struct {
	Text     []byte
	Suite    ruletest.Suite
	Rules    rule.Rules
	problems []rule.Problem
}

// Read reads the text of a rule as its file would be read.
func Read(id string, data []byte) *Parsed {
	r := &Parsed{Text: data, Suite: ruletest.NewSuite(id+".yaml", data)}
	r.Rules, r.problems = rule.Build([]rule.File{r.Suite.File}, &rule.Options{IsTool: agent.Registry{}.HasTool})
	return r
}

// holds reports whether a rule lints, and its cases are as expected in a folder.
func holds(id string, data []byte, root string) bool { return Read(id, data).Holds(root) }

// Holds reports whether the rule lints, and its cases are as expected in a folder.
func (r *Parsed) Holds(root string) bool { return r.Faults(root) == "" }

// Faults says what keeps a draft from being a rule in a folder: "" for nothing.
func (r *Parsed) Faults(root string) string {
	if len(r.Suite.File.Problems)+len(r.Suite.Faults) > 0 {
		return fmt.Sprint(r.Suite.File.Problems, r.Suite.Faults)
	}
	if len(r.problems) > 0 || len(r.Rules) != 1 {
		return fmt.Sprint(r.problems)
	}
	if hints := append(r.Rules[0].Hints(), r.Rules[0].ScopeHints(nil)...); len(hints) > 0 {
		return fmt.Sprint(hints)
	}
	if !r.has(Violation) || !r.has(Pass) {
		return "it has no cases of both kinds"
	}
	report, err := ruletest.Run(context.Background(), []ruletest.Suite{r.Suite}, &ruletest.Options{Root: root, Engine: NoModel()})
	if err != nil || !report.OK() || report.Count(ruletest.Passed) != len(r.Suite.Cases) {
		return fmt.Sprint(err, report.Problems, report.Results)
	}
	return ""
}

// has reports whether a case of the rule expects this.
func (r *Parsed) has(expect string) bool {
	return slices.ContainsFunc(r.Suite.Cases, func(c ruletest.Case) bool { return c.Expect == expect })
}

// NoModel are the options of an engine that judges drafts and asks no model.
func NoModel() sentinel.Options {
	return sentinel.Options{
		Mapper:   trigger.New(nil),
		Default:  sentinel.Builtin,
		Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
	}
}

// Imagined is the folder that cases are judged in: nothing is there.
const Imagined = "/sentinel-draft"

// A Trial says whether a rule stops a case.
type Trial func(rule.Case) bool

// Trial makes a trial of a rule that holds.
func (r *Parsed) Trial() Trial {
	opts := NoModel()
	engine, err := sentinel.New(r.Rules, &opts)
	return func(c rule.Case) bool {
		ev, bad := (&ruletest.Case{Case: c}).Event(Imagined)
		if err != nil || bad != nil {
			return false
		}
		d, bad := engine.Evaluate(context.Background(), ev)
		return bad == nil && slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool { return f.Outcome == sentinel.OutcomeViolation })
	}
}
