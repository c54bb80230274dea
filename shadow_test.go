package sentinel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// shadowRules are a rule that counts, and shadow rules of every kind.
func shadowRules() []sentinel.Rule {
	spec := func(id, backend string, severity sentinel.Severity, shadow bool) sentinel.Rule {
		return plainRule{sentinel.RuleSpec{ID: id, Trigger: sentinel.Bash, Severity: severity, Backend: backend, Shadow: shadow, Prompt: "no"}}
	}
	return []sentinel.Rule{
		spec("model", "asked", sentinel.SeverityBlock, true),
		spec("free", sentinel.Builtin, sentinel.SeverityBlock, true),
		spec("text", "asked", sentinel.SeverityInfo, true),
		spec("counts", "asked", sentinel.SeverityWarn, false),
	}
}

type plainRule struct{ spec sentinel.RuleSpec }

func (r plainRule) Spec() *sentinel.RuleSpec { return &r.spec }

func (r plainRule) Match(*sentinel.Action) sentinel.Match {
	return sentinel.Match{OK: true}
}

func TestShadowModes(t *testing.T) {
	t.Parallel()
	violated := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		want := sentinel.PriorityJudge
		if req.Rule.Spec().Shadow {
			want = sentinel.PriorityAccumulator // it waits for judges that an agent waits for
		}
		require.Equal(t, want, req.Priority)
		return sentinel.Response{Text: `{"violation":true,"confidence":1,"reason":"no"}`}, nil
	})
	for _, test := range []struct {
		mode     sentinel.ShadowMode
		verdict  sentinel.Verdict
		outcomes map[string]sentinel.Outcome
		deferred []string
	}{
		{sentinel.ShadowInline, sentinel.VerdictWarn, map[string]sentinel.Outcome{
			"model": sentinel.OutcomeViolation, "free": sentinel.OutcomeViolation, "text": sentinel.OutcomePass, "counts": sentinel.OutcomeViolation,
		}, nil},
		{sentinel.ShadowLater, sentinel.VerdictWarn, map[string]sentinel.Outcome{
			"model": sentinel.OutcomeSkipped, "free": sentinel.OutcomeViolation, "text": sentinel.OutcomePass, "counts": sentinel.OutcomeViolation,
		}, []string{"model"}},
		{sentinel.ShadowOnly, sentinel.VerdictAllow, map[string]sentinel.Outcome{"model": sentinel.OutcomeViolation}, []string{"model"}},
	} {
		rules := shadowRules()
		engine, err := sentinel.New(rules, &sentinel.Options{
			Backends: map[string]sentinel.Backend{"asked": violated, sentinel.Builtin: violated},
		})
		require.NoError(t, err)
		docket, err := engine.Match(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Trigger: sentinel.Bash, Target: "x"}}})
		require.NoError(t, err)
		docket.Shadow, docket.KeepRequests = test.mode, true
		d, err := docket.Judge(t.Context())
		require.NoError(t, err)
		require.Equal(t, test.verdict, d.Verdict)
		outcomes := map[string]sentinel.Outcome{}
		var deferred []string
		for _, f := range d.Findings {
			outcomes[f.Rule.ID] = f.Outcome
			if f.Deferred {
				deferred = append(deferred, f.Rule.ID)
			}
			for _, at := range f.Attempts {
				require.NotEmpty(t, at.Request.Prompt, "it is kept")
			}
		}
		require.Equal(t, test.outcomes, outcomes)
		require.Equal(t, test.deferred, deferred)
	}
}
