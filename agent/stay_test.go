package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// keepsAtWork reports whether a decision about the end of a turn sends the agent back
// to work.
func keepsAtWork(ev sentinel.Event, d sentinel.Decision) bool {
	return ev.Phase == sentinel.PhaseStop && !ev.Part && d.Verdict == sentinel.VerdictBlock
}

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
	for _, name := range protocolNames() {
		a := named(t, name)
		form, stays := forms[name], a.Abilities.StaysAtWork
		if form == "" {
			form = said
		}
		for _, d := range decisions() {
			ans := a.Encode(sentinel.Event{Phase: sentinel.PhaseStop, Agent: name}, d.decision)
			require.Zero(t, ans.Exit, "%s: an exit status would be an answer, too", name)
			if stays && d.decision.Verdict == sentinel.VerdictBlock {
				require.Contains(t, string(ans.Stdout), form, name)
			} else {
				require.NotContains(t, string(ans.Stdout), "not over", name)
			}
		}
	}
}
