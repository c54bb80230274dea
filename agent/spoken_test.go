package agent_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// The prompt of a user, and why a session begins, as far as an agent says.
func TestWhatIsSaidBesideCalls(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		phase          sentinel.Phase
		source, prompt string
	}{
		"amazonq/prompt":        {phase: sentinel.PhasePrompt, prompt: "go"},
		"cline/cli-prompt":      {phase: sentinel.PhasePrompt, prompt: "go"},
		"codex/prompt":          {phase: sentinel.PhasePrompt, prompt: "Add the invoice."},
		"copilot/pascal-prompt": {phase: sentinel.PhasePrompt, prompt: "go"},
		"cursor/prompt":         {phase: sentinel.PhasePrompt, prompt: "go"},
		"opencode/prompt":       {phase: sentinel.PhasePrompt, prompt: "Add the invoice."},
		"vscode/prompt":         {phase: sentinel.PhasePrompt, prompt: "go"},
		"windsurf/prompt":       {phase: sentinel.PhasePrompt, prompt: "go"},
		"claude/session-start":  {phase: sentinel.PhaseStart, source: "startup"},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			stdin, err := os.ReadFile(agenttest.EventFile(file))
			require.NoError(t, err)
			agent, err := agenttest.Agents.Resolve("", stdin)
			require.NoError(t, err)
			ev, err := agent.Decode(stdin)
			require.NoError(t, err)
			require.Equal(t, want.phase, ev.Phase)
			require.Equal(t, want.source, ev.Source)
			require.Equal(t, want.prompt, ev.Prompt)
		})
	}
	agent, err := agenttest.ByName("claude")
	require.NoError(t, err)
	ev, err := agent.Decode([]byte(`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":["not a text"]}`))
	require.NoError(t, err, "nothing is judged by it")
	require.Empty(t, ev.Prompt)
}

// At the start of a session Claude Code shows its user a notice; the model gets
// nothing.
func TestNoticeAtTheStart(t *testing.T) {
	t.Parallel()
	agent, err := agenttest.ByName("claude")
	require.NoError(t, err)
	for _, phase := range []sentinel.Phase{sentinel.PhaseStart, sentinel.PhasePrompt} {
		ans := agent.Encode(sentinel.Event{Phase: phase}, sentinel.Decision{Verdict: sentinel.VerdictAllow, Notice: "1 draft waits."})
		require.Equal(t, `{"systemMessage":"Sentinel: 1 draft waits."}`, string(ans.Stdout))
		require.Zero(t, ans.Exit)
	}
}
