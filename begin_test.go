package sentinel_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// beginRule applies to every command, or to none.
type beginRule struct {
	spec    sentinel.RuleSpec
	applies bool
}

func (r *beginRule) Spec() *sentinel.RuleSpec { return &r.spec }

func (r *beginRule) Match(*sentinel.Action) sentinel.Match {
	return sentinel.Match{OK: r.applies, Command: -1}
}

func newBeginRule(id string, applies bool) *beginRule {
	return &beginRule{sentinel.RuleSpec{ID: id, Trigger: sentinel.Bash, Severity: sentinel.SeverityBlock, Backend: "judge"}, applies}
}

// Begin is asked before anything is judged, once for an event that a rule applies
// to, and may take rules out, or end the whole.
func TestBegin(t *testing.T) {
	t.Parallel()
	why := errors.New("somebody else judges")
	for _, tt := range []struct {
		name    string
		applies bool
		waived  map[string]string
		err     error

		begun, asked int64
		verdict      sentinel.Verdict
		outcomes     []sentinel.Outcome
	}{
		{"nothing applies", false, nil, why, 0, 0, sentinel.VerdictAllow, nil},
		{"nothing waived", true, nil, nil, 1, 2, sentinel.VerdictBlock, []sentinel.Outcome{sentinel.OutcomeViolation, sentinel.OutcomeViolation}},
		{"one waived", true, map[string]string{"a": "paused"}, nil, 1, 1, sentinel.VerdictBlock, []sentinel.Outcome{sentinel.OutcomeSkipped, sentinel.OutcomeViolation}},
		{"all waived", true, map[string]string{"a": "paused", "b": "paused"}, nil, 1, 0, sentinel.VerdictAllow, []sentinel.Outcome{sentinel.OutcomeSkipped, sentinel.OutcomeSkipped}},
		{"ended", true, nil, why, 1, 0, sentinel.VerdictUndecided, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var begun, asked atomic.Int64
			engine, err := sentinel.New([]sentinel.Rule{newBeginRule("a", tt.applies), newBeginRule("b", tt.applies)}, &sentinel.Options{
				CollectAll: true,
				Backends: map[string]sentinel.Backend{"judge": sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
					asked.Add(1)
					return sentinel.Response{Text: `{"violation":true,"confidence":1,"reason":"no"}`}, nil
				})},
				Begin: func(context.Context, sentinel.Event) (func(*sentinel.RuleSpec) string, error) {
					begun.Add(1)
					if tt.waived == nil {
						return nil, tt.err
					}
					return func(r *sentinel.RuleSpec) string { return tt.waived[r.ID] }, tt.err
				},
			})
			require.NoError(t, err)
			d, err := engine.Evaluate(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Trigger: sentinel.Bash, Target: "x"}}})
			if tt.verdict == sentinel.VerdictUndecided {
				require.ErrorIs(t, err, why)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, tt.begun, begun.Load())
			require.Equal(t, tt.asked, asked.Load())
			require.Equal(t, tt.verdict, d.Verdict)
			var outcomes []sentinel.Outcome
			for _, f := range d.Findings {
				outcomes = append(outcomes, f.Outcome)
				require.Equal(t, f.Outcome == sentinel.OutcomeSkipped, f.Waived)
				if f.Waived {
					require.Equal(t, "paused", f.Reason)
				}
			}
			require.Equal(t, tt.outcomes, outcomes)
		})
	}
}
