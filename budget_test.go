package sentinel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// Beyond a budget a rule is judged as if there were no models: by builtin where it
// may, and else not at all, which a strict project does not count as violated.
func TestBeyondABudget(t *testing.T) {
	t.Parallel()
	fails := func(err error) sentinel.Backend {
		return sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			return sentinel.Response{}, err
		})
	}
	spent := fmt.Errorf("%w: 1200 of 1000 tokens are used today", sentinel.ErrOverBudget)
	opts := &sentinel.Options{Default: "spent", FailOpen: false, Backends: map[string]sentinel.Backend{
		"spent": fails(spent), "spent too": fails(fmt.Errorf("openai: %w", spent)),
		"down":     fails(fmt.Errorf("%w: nothing answers", sentinel.ErrUnavailable)),
		"secret":   fails(fmt.Errorf("%w: not trusted", sentinel.ErrRefused)),
		"builtin":  answers(map[string]string{"r": violated}),
		"answers":  answers(map[string]string{"r": clean}),
		"nonsense": answers(map[string]string{"r": "perhaps"}),
	}}
	for name, c := range map[string]struct {
		primary  string
		fallback []string
		outcome  sentinel.Outcome
		verdict  sentinel.Verdict
		reason   string
	}{
		"no fallback":                   {"", nil, sentinel.OutcomeSkipped, sentinel.VerdictAllow, "needs a model, and refused: over budget: 1200 of 1000 tokens are used today"},
		"all are spent":                 {"", []string{"spent too"}, sentinel.OutcomeSkipped, sentinel.VerdictAllow, "needs a model, and refused: over budget: 1200 of 1000 tokens are used today"},
		"builtin judges":                {"", []string{"spent too", "builtin"}, sentinel.OutcomeViolation, sentinel.VerdictBlock, "it does"},
		"another budget is not used up": {"", []string{"answers"}, sentinel.OutcomePass, sentinel.VerdictAllow, ""},
		"the fallback is down":          {"", []string{"down"}, sentinel.OutcomeUnavailable, sentinel.VerdictBlock, "nothing answers"},
		"the first was down":            {"down", []string{"spent"}, sentinel.OutcomeUnavailable, sentinel.VerdictBlock, "nothing answers"},
		"the fallback talks":            {"", []string{"nonsense"}, sentinel.OutcomeUnavailable, sentinel.VerdictBlock, "not JSON"},
		"refused for another reason":    {"secret", nil, sentinel.OutcomeUnavailable, sentinel.VerdictBlock, "not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := engine(t, opts, aRule("r", sentinel.SeverityBlock, func(r *testRule) {
				r.spec.Backend, r.spec.Fallback = c.primary, c.fallback
			})).Evaluate(t.Context(), push())
			require.NoError(t, err)
			f := d.Findings[0]
			require.Equal(t, c.outcome, f.Outcome, "%+v", f)
			require.Equal(t, c.verdict, d.Verdict)
			require.Contains(t, f.Reason, c.reason)
			if c.outcome == sentinel.OutcomeSkipped {
				require.ErrorIs(t, f.Err, sentinel.ErrOverBudget)
				require.ErrorIs(t, f.Err, sentinel.ErrRefused)
				require.Len(t, f.Attempts, 1+len(c.fallback))
			}
		})
	}
	require.False(t, errors.Is(sentinel.ErrRefused, sentinel.ErrOverBudget), "not every refusal is one of the budget")
}
