package ruletest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/rule"
)

// past is what the case says happened before its action. Of a turn, what it did is known, too.
func (b testedRule) past(ctx context.Context, c Case, ev sentinel.Event, mapper sentinel.ToolMapper) (sentinel.Past, error) {
	p := past{needs: rule.NeedsOf([]rule.File{{Definition: *b.rule.Definition()}}), fold: b.rule.Fold()}
	for _, s := range c.Before {
		call, err := event(Case{Case: rule.Case{Bash: s.Bash, Write: cmp.Or(s.Write, s.Edit), Read: s.Read, MCP: s.MCP}}, ev.Root)
		if err != nil {
			return nil, err
		}
		actions, err := mapper.MapTool(ctx, call)
		if err != nil {
			return nil, err
		}
		p.add(actions, s)
	}
	if ev.Phase == sentinel.PhaseStop {
		p.list = append(p.list, facts.Fact{Kind: facts.Ended, Order: len(p.list) + 1})
		p.add(ev.Actions, rule.Step{})
	}
	known := &facts.Facts{All: p.list, Now: time.Unix(0, 0), Had: c.had}
	return &facts.Session{Past: func() (*facts.Facts, error) { return known, nil }, Imagined: true}, nil
}

// had reports whether a case says that a file was there before.
func (c *Case) had(name string) bool {
	return c.Old != "" && c.Write == name || slices.ContainsFunc(c.Before, func(s rule.Step) bool { return s.Edit == name })
}

// A past is made of steps.
type past struct {
	needs rule.Needs
	fold  bool
	list  []facts.Fact
	calls int
}

// add adds what calls did, in their order: an action that was not found in another one begins
// a call.
func (p *past) add(actions []sentinel.Action, s rule.Step) {
	for len(actions) > 0 {
		n := 1
		for n < len(actions) && actions[n].DerivedFrom != "" {
			n++
		}
		p.call(actions[:n], s)
		actions = actions[n:]
	}
}

func (p *past) call(actions []sentinel.Action, s rule.Step) {
	p.calls++
	for _, f := range append(p.needs.Before(actions), p.needs.After(actions, s.Failed, p.fold)...) {
		switch {
		case s.Failed:
			f.Result = facts.Failed
		case s.Unknown:
			f.Result = facts.Unknown
		}
		f.Order, f.At, f.Call = len(p.list)+1, time.Unix(0, 0), p.calls
		p.list = append(p.list, f)
	}
}
