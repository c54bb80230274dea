package sentinel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// The engine finds by these methods what rules that are read from files know besides.
var (
	_ sentinel.Doubter = (*rule.Rule)(nil)
	_ sentinel.Teller  = (*rule.Rule)(nil)
	_ sentinel.Asker   = (*rule.Rule)(nil)
	_ sentinel.Pointer = (*rule.Rule)(nil)
)

// An exactRule is exact, and doubts as doubt says.
type exactRule struct {
	testRule
	doubt func() (bool, error)
}

func (r *exactRule) Doubtful(context.Context, *sentinel.Action, sentinel.Match) (bool, error) {
	return r.doubt()
}

func TestExactRules(t *testing.T) {
	t.Parallel()
	yes, no := func() (bool, error) { return true, nil }, func() (bool, error) { return false, nil }
	fails := func() (bool, error) { return false, errors.New("too long") }
	for _, c := range []struct {
		name        string
		when, doubt func() (bool, error) // doubt nil: it never doubts
		answer      string               // of the model; "" for none
		fallback    []string
		failOpen    bool
		second      bool
		verdict     sentinel.Verdict
		outcome     sentinel.Outcome
		asked       int
	}{
		{name: "true is a violation", when: yes, answer: clean, verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeViolation},
		{name: "true, with a second judge", when: yes, answer: clean, second: true, verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeViolation},
		{name: "false is none", when: no, answer: violated, verdict: sentinel.VerdictAllow, outcome: sentinel.OutcomePass},
		{name: "fails, strict", when: fails, answer: clean, verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeUnavailable},
		{name: "fails, open: still nobody is asked", when: fails, answer: violated, failOpen: true, verdict: sentinel.VerdictAllow, outcome: sentinel.OutcomeUnavailable},
		{name: "no doubt", when: yes, doubt: no, answer: clean, verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeViolation},
		{name: "doubtful, clean", when: yes, doubt: yes, answer: clean, verdict: sentinel.VerdictAllow, outcome: sentinel.OutcomePass, asked: 1},
		{name: "doubtful, violated", when: yes, doubt: yes, answer: violated, verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeViolation, asked: 1},
		{name: "doubtful, and nobody answers", when: yes, doubt: yes, failOpen: true, verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeViolation, asked: 1},
		{name: "doubtful, and a strange answer", when: yes, doubt: yes, failOpen: true, answer: `{"violation":false,"confidence":9}`,
			verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeViolation, asked: 1},
		{name: "a doubt that fails is none", when: yes, doubt: fails, answer: clean, verdict: sentinel.VerdictBlock, outcome: sentinel.OutcomeViolation},
		{name: "doubt where `when` is false", when: no, doubt: yes, answer: violated, verdict: sentinel.VerdictAllow, outcome: sentinel.OutcomePass},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &exactRule{doubt: c.doubt}
			r.spec = sentinel.RuleSpec{ID: "a", Trigger: sentinel.Any, Severity: sentinel.SeverityBlock, Prompt: "P", Exact: true, Doubts: c.doubt != nil, Fallback: c.fallback}
			r.when = c.when
			asked := 0
			opts := &sentinel.Options{Default: "x", FailOpen: c.failOpen, Backends: map[string]sentinel.Backend{
				"x": sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
					asked++
					if c.answer == "" {
						return sentinel.Response{}, sentinel.ErrUnavailable
					}
					return sentinel.Response{Text: c.answer}, nil
				}),
				sentinel.Builtin: sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
					if ok, err := req.Rule.(sentinel.Conditional).When(ctx, req.Action, req.Match); !ok || err != nil {
						return sentinel.Response{Text: clean}, err
					}
					return sentinel.Response{Text: violated}, nil
				}),
			}}
			if c.second {
				opts.SecondOpinion = "x"
			}
			d, err := engine(t, opts, r).Evaluate(t.Context(), push())
			require.NoError(t, err)
			require.Equal(t, c.verdict.String(), d.Verdict.String())
			require.Equal(t, c.outcome.String(), d.Findings[0].Outcome.String())
			require.Equal(t, c.asked, asked)
		})
	}
}

// A shadow rule that asks no model is judged before the answer.
func TestExactShadowRulesAreNotDeferred(t *testing.T) {
	t.Parallel()
	for _, doubts := range []bool{false, true} {
		r := &exactRule{doubt: func() (bool, error) { return true, nil }}
		r.spec = sentinel.RuleSpec{ID: "a", Trigger: sentinel.Any, Severity: sentinel.SeverityBlock, Exact: true, Doubts: doubts, Shadow: true}
		r.when = func() (bool, error) { return true, nil }
		docket, err := engine(t, &sentinel.Options{Default: "x"}, r).Match(t.Context(), push())
		require.NoError(t, err)
		docket.Shadow = sentinel.ShadowLater
		d, err := docket.Judge(t.Context())
		require.NoError(t, err)
		require.Equal(t, doubts, d.Findings[0].Deferred)
	}
}
