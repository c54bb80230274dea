package agenttest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
)

// A Decided is a decision and what it is called.
type Decided struct {
	Name     string
	Decision sentinel.Decision
}

// Decisions are what every event in testdata is answered with.
func Decisions() []Decided {
	finding := func(id string, v sentinel.Verdict, reason string) sentinel.Finding {
		return sentinel.Finding{
			Rule: &sentinel.RuleSpec{ID: id}, Action: &sentinel.Action{},
			Outcome: sentinel.OutcomeViolation, Verdict: v, Reason: reason,
		}
	}
	advice := sentinel.Finding{
		Rule: &sentinel.RuleSpec{ID: "owners"}, Action: &sentinel.Action{},
		Outcome: sentinel.OutcomePass, Verdict: sentinel.VerdictAllow,
		Advice: "This folder belongs to the Payments team.\nAsk in #payments-eng.\n",
	}
	warning := finding("style", sentinel.VerdictWarn, "use <api> & not \"db\"")
	return []Decided{
		{"allow", sentinel.Decision{Verdict: sentinel.VerdictAllow}},
		{"info", sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{advice}}},
		{"warn", sentinel.Decision{Verdict: sentinel.VerdictWarn, Findings: []sentinel.Finding{warning}}},
		{"warn and info", sentinel.Decision{Verdict: sentinel.VerdictWarn, Findings: []sentinel.Finding{warning, advice}}},
		{"ask", sentinel.Decision{Verdict: sentinel.VerdictAsk, Findings: []sentinel.Finding{
			finding("deploy", sentinel.VerdictAsk, "a person must approve a deployment"),
		}}},
		{"ask and info", sentinel.Decision{Verdict: sentinel.VerdictAsk, Findings: []sentinel.Finding{
			finding("deploy", sentinel.VerdictAsk, "a person must approve a deployment"), advice,
		}}},
		{"block", sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{
			finding("force-push", sentinel.VerdictBlock, "push without --force"),
		}}},
		{"block twice", sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{
			finding("force-push", sentinel.VerdictBlock, "push without --force"), advice,
			finding("main", sentinel.VerdictBlock, "open a pull request"),
		}}},
		{"undecided", sentinel.Decision{}},
		{"undecided with error", sentinel.Decision{Err: errors.New("context canceled")}},
		{"unknown verdict", sentinel.Decision{Verdict: 99}},
	}
}

// ExampleDecision is a decision by its name, as the pages of the documentation have it.
func ExampleDecision(name string) sentinel.Decision {
	f := sentinel.Finding{
		Rule: &sentinel.RuleSpec{ID: "force-push"}, Action: &sentinel.Action{},
		Outcome: sentinel.OutcomeViolation, Reason: "Push without --force.",
	}
	switch name {
	case "allow":
		return sentinel.Decision{Verdict: sentinel.VerdictAllow}
	case "block":
		f.Verdict = sentinel.VerdictBlock
	case "ask":
		f.Verdict = sentinel.VerdictAsk
	case "warn":
		f.Verdict = sentinel.VerdictWarn
	case "info":
		f = sentinel.Finding{Rule: &sentinel.RuleSpec{ID: "changelog"}, Verdict: sentinel.VerdictAllow, Advice: "The CHANGELOG names every migration."}
	case "notice":
		return sentinel.Decision{Verdict: sentinel.VerdictAllow, Notice: "the judge ollama cannot judge: nothing answers at http://localhost:11434. Its fallback judges meanwhile."}
	case "undecided":
		return sentinel.Decision{Err: errors.New("context canceled")}
	}
	return sentinel.Decision{Verdict: f.Verdict, Findings: []sentinel.Finding{f}}
}

// RequireAnswer holds what is true of every answer to every agent.
func RequireAnswer(t testing.TB, ev sentinel.Event, d sentinel.Decision, ans agent.Answer) {
	t.Helper()
	require.NotContains(t, string(ans.Stdout), "allow", "an approval skips the user's own prompt")
	require.NotContains(t, string(ans.Stdout), "approve\"", "an approval skips the user's own prompt")
	switch ans.Exit {
	case 0:
		require.Nil(t, ans.Stderr)
	case 2:
		require.Equal(t, sentinel.PhasePre, ev.Phase, "only what has not happened yet can be stopped")
		require.Nil(t, ans.Stdout, "exit 2 and JSON must not be mixed")
		require.NotEqual(t, sentinel.VerdictAllow, d.Verdict)
		require.NotEqual(t, sentinel.VerdictWarn, d.Verdict)
	default:
		require.Fail(t, "exit code that agents take for a fault of the hook", "%d", ans.Exit)
	}
}
