package sentinel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// A possible effect of an unknown program is asked about at most, by the rules that stop.
func TestAnUnknownProgramIsAskedAbout(t *testing.T) {
	t.Parallel()
	message := func(r *testRule) { r.spec.Message = "This rewrites the remote." }
	stop := func(r *testRule) { r.spec.Stop = true }
	for _, c := range []struct {
		name    string
		rule    sentinel.Rule
		carrier string
		want    sentinel.Verdict
		reason  string
	}{
		{"a rule that blocks", aRule("a", sentinel.SeverityBlock, message), "frobnicate", sentinel.VerdictAsk, "`frobnicate` may run `git push --force`. This rewrites the remote."},
		{"a rule that asks", aRule("a", sentinel.SeverityAsk, message), "frobnicate", sentinel.VerdictAsk, "`frobnicate` may run"},
		{"a rule that warns", aRule("a", sentinel.SeverityWarn, message), "frobnicate", sentinel.VerdictAllow, ""},
		{"a rule that informs", aRule("a", sentinel.SeverityInfo, message), "frobnicate", sentinel.VerdictAllow, ""},
		{"a rule about a turn", aRule("a", sentinel.SeverityBlock, stop), "frobnicate", sentinel.VerdictAllow, ""},
		{"a command of its own", aRule("a", sentinel.SeverityBlock, message), "", sentinel.VerdictBlock, "This rewrites the remote."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ev := push()
			ev.Actions[0].Carrier, ev.Actions[0].DerivedFrom = c.carrier, "frobnicate git push --force"
			d, err := engine(t, &sentinel.Options{Default: "fake", Backends: map[string]sentinel.Backend{"fake": answers(map[string]string{"a": violated})}}, c.rule).Evaluate(t.Context(), ev)
			require.NoError(t, err)
			require.Equal(t, c.want.String(), d.Verdict.String())
			require.Contains(t, d.Reason(), c.reason)
			if c.want == sentinel.VerdictAsk {
				require.Contains(t, d.Questions()[0], "the agent wants to run `frobnicate git push --force`, in which `frobnicate` may run `git push --force`. ")
			}
		})
	}
}
