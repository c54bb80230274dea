package telemetry

import (
	"cmp"
	"maps"
	"slices"
)

// How many targets the statistics name.
const (
	maxFlaky = 50
	maxTop   = 50
)

// finish returns the statistics of all lines that were added.
func (a *aggregator) finish() *Stats {
	s := &a.Stats
	s.Sessions = int64(len(a.sessions.values)) * a.sessions.scale()
	s.Judged, s.Violated = a.judged.top(maxTop), a.violated.top(maxTop)
	s.Recent = a.recent.records()
	for i := range a.sets {
		s.Together = append(s.Together, a.sets[i].count)
	}
	s.Contests, s.Left.Contests = a.contests.all(), a.contests.left
	for _, p := range []*Pipeline{&s.Context, &s.Scribe} {
		a.sum(&p.Usage, p.spent)
	}
	for _, d := range a.spent {
		a.price(d.Model, &d.Usage)
		s.Cost += d.Cost
		s.Spent = append(s.Spent, *d)
	}
	slices.SortFunc(s.Spent, func(a, b Spent) int { return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Model, b.Model)) })
	a.flaky()
	for _, id := range slices.Sorted(maps.Keys(a.rules)) {
		r := a.rules[id]
		a.sum(&r.Usage, r.spent)
		if c := a.contests.byRule[id]; c != nil {
			r.Contested, r.Insisted = c.Tries, c.Insisted
		}
		s.Rules = append(s.Rules, *r)
	}
	for kind, to := range [groupKinds]*[]Group{byTrigger: &s.Triggers, byTool: &s.Tools, byAgent: &s.Agents, byBackend: &s.Backends, byModel: &s.Models} {
		for _, g := range a.groups[kind] {
			if kind == byModel {
				a.price(g.Name, &g.Usage)
			}
			*to = append(*to, *g)
		}
		slices.SortFunc(*to, func(a, b Group) int {
			return cmp.Or(cmp.Compare(b.Evaluations, a.Evaluations), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Backend, b.Backend))
		})
	}
	return s
}

// price sets the cost of a model's tokens.
func (a *aggregator) price(model string, u *Usage) {
	if a.opts.Pricing != nil && u.PromptTokens|u.OutputTokens != 0 {
		in, out := a.opts.Pricing(model)
		u.Cost = (float64(u.PromptTokens)*in + float64(u.OutputTokens)*out) / 1e6
	}
}

// sum adds up what models spent.
func (a *aggregator) sum(to *Usage, spent map[string]*Usage) {
	for _, model := range slices.Sorted(maps.Keys(spent)) {
		u := spent[model]
		a.price(model, u)
		to.PromptTokens += u.PromptTokens
		to.OutputTokens += u.OutputTokens
		to.Cost += u.Cost
	}
}

// flaky finds the targets that were judged in different ways.
func (a *aggregator) flaky() {
	for _, p := range a.pairs.values {
		r := a.rules[p.rule]
		if p.pass+p.violations < 2 || r == nil {
			continue
		}
		r.RepeatedTargets += a.pairs.scale()
		if p.pass == 0 || p.violations == 0 {
			continue
		}
		r.FlakyTargets += a.pairs.scale()
		a.Flaky = append(a.Flaky, Flaky{Rule: p.rule, Target: p.target, Pass: p.pass, Violations: p.violations})
	}
	slices.SortFunc(a.Flaky, func(a, b Flaky) int {
		return cmp.Or(cmp.Compare(min(b.Pass, b.Violations), min(a.Pass, a.Violations)), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Rule, b.Rule))
	})
	a.Flaky = slices.Clip(a.Flaky[:min(len(a.Flaky), maxFlaky)])
}
