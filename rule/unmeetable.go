package rule

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Unmeetable names obligations that can never be met, because other rules stop all that they
// ask for. It looks at rules that block without a model, and is for people who write rules.
func (rs Rules) Unmeetable(ctx context.Context) (found []Problem) {
	for _, r := range rs {
		if r.off || r.spec.Err != nil {
			continue
		}
		asks := r.asks()
		var by *Rule
		open := slices.ContainsFunc(asks.patterns, func(pattern string) bool {
			by = rs.stopping(ctx, r, pattern, asks.trigger)
			return by == nil
		})
		if by != nil && !open {
			found = append(found, Problem{File: r.path, Line: r.line, Message: fmt.Sprintf(
				"this can never be met: the rule %s (%s:%d) stops what `%s` asks for, %s. Ask for something else, or exempt it there",
				by.spec.ID, text.Name(by.path), by.line, asks.key, either(asks.patterns))})
		}
		if by := rs.circle(r, []*Rule{r}); by != nil {
			found = append(found, Problem{File: r.path, Line: r.line, Message: fmt.Sprintf(
				"this can never be met: the rule %s (%s:%d) stops what `%s` asks for, %s, until something was done that waits for it in turn. Let one of the two ask for something else",
				by.spec.ID, text.Name(by.path), by.line, asks.key, either(asks.patterns))})
		}
	}
	return found
}

// An asking is what an obligation asks for, one of the patterns, and in which calls that happens.
type asking struct {
	key      string
	patterns []string
	trigger  sentinel.Trigger
}

// asks is what the rule's obligation asks for; no patterns without one.
func (r *Rule) asks() asking {
	switch d := r.def; {
	case len(d.Requires.Ran) > 0:
		return asking{"requires.ran", d.Requires.Ran, sentinel.Bash}
	case len(d.Also.With) > 0:
		return asking{"also.with", d.Also.With, sentinel.FileWrite}
	default:
		return asking{"before_first.read", d.BeforeFirst.Read, sentinel.FileRead}
	}
}

// holdsBack reports whether the rule's obligation stops a call until it is met. Files that
// change together are judged at a commit.
func (r *Rule) holdsBack(a *sentinel.Action) bool {
	return r.blocks() && r.def.obliges() && (len(r.def.Also.Changed) == 0 || a.Trigger == sentinel.Bash) && r.Match(a).OK
}

// maxCircle bounds the rules that wait for each other.
const maxCircle = 8

// circle is a rule that stops what another asks for until something was done that waits for one of
// the rules before; nil where one of the things that it asks for is open.
func (rs Rules) circle(of *Rule, before []*Rule) (by *Rule) {
	asks := of.asks()
	if len(before) > maxCircle {
		return nil
	}
	for _, pattern := range asks.patterns {
		tried := examples(pattern, asks.trigger)
		at := slices.IndexFunc(rs, func(s *Rule) bool {
			if s == of || len(tried) == 0 || slices.ContainsFunc(tried, func(a sentinel.Action) bool { return !s.holdsBack(&a) }) {
				return false
			}
			return slices.Contains(before, s) || rs.circle(s, append(slices.Clip(before), s)) != nil
		})
		if at < 0 {
			return nil
		}
		by = rs[at]
	}
	return by
}

// blocks reports whether the rule stops calls before they run.
func (r *Rule) blocks() bool {
	s := &r.spec
	return s.Err == nil && !s.Shadow && !r.off && s.Severity == sentinel.SeverityBlock && !s.Post && r.def.Phase != stop
}

// stopping is a rule that stops every example of a pattern; nil where there is none.
func (rs Rules) stopping(ctx context.Context, of *Rule, pattern string, t sentinel.Trigger) *Rule {
	tried := examples(pattern, t)
	if len(tried) == 0 {
		return nil
	}
	for _, by := range rs {
		if by == of || !by.blocks() || !blank(by.def.Prompt) || by.def.obliges() {
			continue
		}
		if !slices.ContainsFunc(tried, func(a sentinel.Action) bool { return !by.stops(ctx, &a) }) {
			return by
		}
	}
	return nil
}

// stops reports whether the rule objects to an action, by itself.
func (r *Rule) stops(ctx context.Context, a *sentinel.Action) bool {
	m := r.Match(a)
	if !m.OK {
		return false
	}
	holds, err := r.When(ctx, a, m)
	return err == nil && holds
}
