package builtin_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/sentineltest"
	"github.com/agentsentinel/sentinel/shell"
)

// rule is a rule with a condition.
type rule struct {
	plain
	conditional bool
	when        func(context.Context, *sentinel.Action, sentinel.Match) (bool, error)
}

func (r rule) Conditional() bool { return r.conditional }
func (r rule) When(ctx context.Context, a *sentinel.Action, m sentinel.Match) (bool, error) {
	return r.when(ctx, a, m)
}

// plain is a rule without one.
type plain struct{}

func (plain) Spec() *sentinel.RuleSpec              { return &sentinel.RuleSpec{ID: "no-force"} }
func (plain) Match(*sentinel.Action) sentinel.Match { return sentinel.Match{OK: true} }

func TestContract(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(*testing.T) sentinel.Backend { return builtin.New() })
}

func TestComplete(t *testing.T) {
	t.Parallel()
	action := &sentinel.Action{Trigger: sentinel.Bash, Target: "git push --force"}
	match := sentinel.Match{OK: true, Command: &shell.Command{Program: "git"}}
	says := func(value bool, err error) rule {
		return rule{conditional: true, when: func(_ context.Context, a *sentinel.Action, m sentinel.Match) (bool, error) {
			require.Same(t, action, a)
			require.Equal(t, match, m)
			return value, err
		}}
	}
	broken := errors.New("line 1: no such variable")

	for name, c := range map[string]struct {
		req  sentinel.Request
		text string
		says string // of the error, if there is no text
		kind error
	}{
		"true":         {sentinel.Request{Rule: says(true, nil), Action: action, Match: match}, `{"violation":true,"confidence":1,"reason":""}`, "", nil},
		"false":        {sentinel.Request{Rule: says(false, nil), Action: action, Match: match}, `{"violation":false,"confidence":1}`, "", nil},
		"failed":       {sentinel.Request{Rule: says(true, broken), Action: action, Match: match}, "", `rule "no-force": line 1: no such variable`, broken},
		"no condition": {sentinel.Request{Rule: rule{}, Action: action}, "", "rule \"no-force\" has no `when`, so the builtin judge cannot judge it", nil},
		"no such rule": {sentinel.Request{Rule: plain{}, Action: action}, "", "rule \"no-force\" has no `when`, so the builtin judge cannot judge it", nil},
		"no rule":      {sentinel.Request{Prompt: "hello", Action: action}, "", "answers judgements only", nil},
		"no action":    {sentinel.Request{Rule: says(true, nil)}, "", "answers judgements only", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := builtin.New().Complete(t.Context(), c.req)
			if c.text != "" {
				require.NoError(t, err)
				require.Equal(t, sentinel.Response{Text: c.text, Backend: "builtin", Model: "builtin"}, resp)
				return
			}
			require.Empty(t, resp)
			require.ErrorIs(t, err, sentinel.ErrUnavailable)
			require.ErrorContains(t, err, c.says)
			if c.kind != nil {
				require.ErrorIs(t, err, c.kind)
			}
			var be *sentinel.BackendError
			require.ErrorAs(t, err, &be)
			require.Equal(t, "builtin", be.Backend)
		})
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	_, err := builtin.New().Complete(t.Context(), sentinel.Request{Images: make([]sentinel.Image, 1)})
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
