package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// A notice reaches somebody in every agent: its user where there is a way, else
// the model, at once or with the next event that takes context. It never stops
// or approves a call, and is never in two places.
func TestANoticeReachesSomebodyOnce(t *testing.T) {
	t.Parallel()
	const text = "the judge ollama\x1b[31m does not\nanswer"
	for _, name := range agenttest.ProtocolNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ag, err := agenttest.ByName(name)
			require.NoError(t, err)
			ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: name, Tool: sentinel.ToolCall{Name: "Bash"}}
			quiet := ag.Encode(ev, sentinel.Decision{Verdict: sentinel.VerdictAllow})
			ans := ag.Encode(ev, sentinel.Decision{Verdict: sentinel.VerdictAllow, Notice: text})
			require.Equal(t, quiet.Exit, ans.Exit)
			for _, word := range []string{"allow", "deny", "ask"} {
				require.Equal(t, strings.Contains(string(quiet.Stdout), `"`+word+`"`), strings.Contains(string(ans.Stdout), `"`+word+`"`))
			}
			said := strings.Count(string(ans.Stdout)+string(ans.Stderr)+strings.Join(ans.Kept, ""), "the judge ollama")
			require.Equal(t, 1, said, "%s%s%q", ans.Stdout, ans.Stderr, ans.Kept)

			switch name {
			case "claude", "codex", "gemini", "vscode":
				var out map[string]string
				require.NoError(t, json.Unmarshal(ans.Stdout, &out), "%s", ans.Stdout)
				require.Equal(t, map[string]string{"systemMessage": "Sentinel: the judge ollama[31m does not answer"}, out)
			}
		})
	}
}

// What stops a call or asks about it says so itself.
func TestANoticeBesideAQuestion(t *testing.T) {
	t.Parallel()
	ans := agenttest.Named(t, "claude").Encode(sentinel.Event{Phase: sentinel.PhasePre}, sentinel.Decision{
		Verdict: sentinel.VerdictAsk, Notice: "a judge is down",
		Findings: []sentinel.Finding{{Rule: &sentinel.RuleSpec{ID: "r"}, Verdict: sentinel.VerdictAsk, Outcome: sentinel.OutcomeViolation, Reason: "really?"}},
	})
	require.JSONEq(t, `{"systemMessage":"Sentinel: a judge is down",
		"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Sentinel asks: really? [r]"}}`, string(ans.Stdout))
}
