package instructions

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

// A readRule is the text of a rule, read once for all that is asked of it.
type readRule struct {
	text     []byte
	suite    ruletest.Suite
	rules    rule.Rules
	problems []rule.Problem
}

// readText reads the text of a rule as its file would be read.
func readText(id string, data []byte) *readRule {
	r := &readRule{text: data, suite: ruletest.NewSuite(id+".yaml", data)}
	r.rules, r.problems = rule.Build([]rule.File{r.suite.File}, &rule.Options{IsTool: agent.Registry{}.HasTool})
	return r
}

// holds reports whether a rule lints, and its cases are as expected in a folder.
func holds(id string, data []byte, root string) bool { return readText(id, data).holds(root) }

func (r *readRule) holds(root string) bool { return r.faults(root) == "" }

// faults says what keeps a draft from being a rule in a folder: "" for nothing.
func (r *readRule) faults(root string) string {
	if len(r.suite.File.Problems)+len(r.suite.Faults) > 0 {
		return fmt.Sprint(r.suite.File.Problems, r.suite.Faults)
	}
	if len(r.problems) > 0 || len(r.rules) != 1 {
		return fmt.Sprint(r.problems)
	}
	if hints := append(r.rules[0].Hints(), r.rules[0].ScopeHints(nil)...); len(hints) > 0 {
		return fmt.Sprint(hints)
	}
	if !r.has(violation) || !r.has(pass) {
		return "it has no cases of both kinds"
	}
	report, err := ruletest.Run(context.Background(), []ruletest.Suite{r.suite}, &ruletest.Options{Root: root, Engine: noModel()})
	if err != nil || !report.OK() || report.Count(ruletest.Passed) != len(r.suite.Cases) {
		return fmt.Sprint(err, report.Problems, report.Results)
	}
	return ""
}

// has reports whether a case of the rule expects this.
func (r *readRule) has(expect string) bool {
	return slices.ContainsFunc(r.suite.Cases, func(c ruletest.Case) bool { return c.Expect == expect })
}

// noModel are the options of an engine that judges drafts and asks no model.
func noModel() sentinel.Options {
	return sentinel.Options{
		Mapper:   trigger.New(nil),
		Default:  sentinel.Builtin,
		Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
	}
}

// imagined is the folder that cases are judged in: nothing is there.
const imagined = "/sentinel-draft"

// A trial says whether a rule stops a case.
type trial func(rule.Case) bool

// trial makes a trial of a rule that holds.
func (r *readRule) trial() trial {
	opts := noModel()
	engine, err := sentinel.New(r.rules, &opts)
	return func(c rule.Case) bool {
		ev, bad := (&ruletest.Case{Case: c}).Event(imagined)
		if err != nil || bad != nil {
			return false
		}
		d, bad := engine.Evaluate(context.Background(), ev)
		return bad == nil && slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool { return f.Outcome == sentinel.OutcomeViolation })
	}
}
