package packs_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// judged are the rules that a model may pass: what they are about can be undone, or
// its expression is wide on purpose. Each other rule is exact.
func judged() []string {
	return []string{
		"cloud-change", "cluster-change", "container-host", "git-hooks", "install-unlocked", "lockfile-delete", "machine-services",
		"open-connection", "open-permissions", "package-source", "scheduled-jobs", "startup-files", "system-packages",
	}
}

// gullible is an engine whose model finds no violation in anything.
func gullible(t *testing.T, asked *int, f rule.File) (sentinel.Engine, *rule.Rule) {
	t.Helper()
	rules, problems := rule.Build([]rule.File{f}, nil)
	require.Empty(t, problems)
	o := options()
	o.Backends = maps.Clone(o.Backends)
	o.Default, o.SecondOpinion = "model", "model"
	o.Backends["model"] = sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		*asked++
		return sentinel.Response{Text: `{"violation":false,"confidence":1}`, Backend: "model"}, nil
	})
	e, err := sentinel.New(rules, o)
	require.NoError(t, err)
	return e, rules[0]
}

// TestNoModelWeakensWhatIsExact runs the violations of the cases in the rules of all
// packs past a model that always says no. Each exact rule stops
// as without a model, unless the rule itself doubts.
func TestNoModelWeakensWhatIsExact(t *testing.T) {
	t.Parallel()
	exact, stopped, doubted := 0, 0, 0
	for _, f := range everything(t) {
		d := f.Definition
		require.Equal(t, slices.Contains(judged(), d.ID), d.Verdict != "exact", "%s: `verdict`", d.ID)
		if d.Verdict != "exact" {
			continue
		}
		exact++
		asked := 0
		e, r := gullible(t, &asked, f)
		for _, c := range d.Tests {
			if c.Expect != "violation" {
				continue
			}
			asked = 0
			got := evaluate(t, e, c)
			if asked > 0 {
				require.NotEmpty(t, d.Doubtful, "%s asked a model: %s", d.ID, label(c))
				requireDoubt(t, r, got)
				doubted++
				continue
			}
			stopped++
			require.Equal(t, evaluate(t, engine(t, f), c).Verdict, got.Verdict, "%s: %s", d.ID, label(c))
			require.GreaterOrEqual(t, got.Verdict, sentinel.VerdictAsk, "%s: %s", d.ID, label(c))
		}
	}
	t.Logf("%d exact rules stop %d cases; %d are doubtful", exact, stopped, doubted)
	require.Greater(t, exact, 40)
	require.Greater(t, stopped, 300)
	require.Greater(t, doubted, 3)
}

// requireDoubt holds that the model was asked because the rule says that it doubts.
func requireDoubt(t *testing.T, r *rule.Rule, d sentinel.Decision) {
	t.Helper()
	doubts := slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool {
		doubtful, err := r.Doubtful(t.Context(), f.Action, f.Match)
		require.NoError(t, err)
		return doubtful
	})
	require.True(t, doubts, r.Spec().ID)
}
