package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// TestStaysAtWork holds how each agent is sent back to work at the end of a turn, and
// that no other decision does it.
func TestStaysAtWork(t *testing.T) {
	t.Parallel()
	const said = `"Sentinel: the turn is not over.`
	forms := map[string]string{
		"claude": `{"decision":"block","reason":` + said, "codex": `{"decision":"block","reason":` + said,
		"qwen": `{"decision":"block","reason":` + said, "copilot": `{"decision":"block","reason":` + said,
		"gemini": `{"decision":"block","reason":` + said,
		"vscode": `{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":` + said,
		"cursor": `{"followup_message":` + said,
	}
	for _, name := range agenttest.ProtocolNames() {
		a := agenttest.Named(t, name)
		form, stays := forms[name], a.Abilities.StaysAtWork
		if form == "" {
			form = said
		}
		for _, d := range agenttest.Decisions() {
			ans := a.Encode(sentinel.Event{Phase: sentinel.PhaseStop, Agent: name}, d.Decision)
			require.Zero(t, ans.Exit, "%s: an exit status would be an answer, too", name)
			if stays && d.Decision.Verdict == sentinel.VerdictBlock {
				require.Contains(t, string(ans.Stdout), form, name)
			} else {
				require.NotContains(t, string(ans.Stdout), "not over", name)
			}
		}
	}
}
