package vscode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

func TestVSCodeRefuses(t *testing.T) {
	t.Parallel()
	agenttest.RequireRefusals(t, "vscode", []agenttest.Refusal{
		{"no event", `{"session_id":"s","tool_name":"create_file"}`, "hook_event_name is missing"},
		{"event of another type", `{"hookEventName":["Stop"]}`, "hook_event_name must be a string, not an array"},
		{"session of another type", `{"hook_event_name":"Stop","sessionId":7}`, "session_id must be a string, not a number"},
		{"transcript of another type", `{"hook_event_name":"Stop","transcript_path":{}}`, "transcript_path must be a string, not an object"},
		{"folder as an address", `{"hook_event_name":"Stop","cwd":"file:///home/u/repo"}`, "cwd must be an absolute path"},
		{"folder as an object", `{"hook_event_name":"Stop","cwd":{"path":"/r"}}`, "cwd must be a string, not an object"},
		{"tool renamed", `{"hook_event_name":"PreToolUse","toolName":"create_file"}`, "tool_name is missing"},
		{"call of another type", `{"hook_event_name":"PreToolUse","tool_name":"x","tool_use_id":1}`, "tool_use_id must be a string"},
		{"input is a list", `{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":[]}`, "tool_input must be an object or a string, not an array"},
	})
}

func TestVSCodeTolerates(t *testing.T) {
	t.Parallel()
	agenttest.RequireTolerance(t, "vscode", []agenttest.Tolerance{
		{"names as documented", `{"hookEventName":"PreToolUse","sessionId":"s","tool_name":"create_file","tool_input":{"a":1}}`, "create_file", `{"a":1}`},
		{"both names: the one that is sent counts", `{"hookEventName":"Stop","hook_event_name":"PreToolUse","tool_name":"create_file"}`, "create_file", `{}`},
		{"null", `{"hook_event_name":"PreToolUse","session_id":null,"cwd":null,"transcript_path":null,"tool_name":"x","tool_input":null,"tool_use_id":null}`, "x", `{}`},
		{"fields nobody knows", `{"hook_event_name":"PreToolUse","model":{"x":1},"tool_name":"x","tool_input":{}}`, "x", `{}`},
	})
}

// TestVSCodeNamesTheEvent holds that an answer names the event it answers: one
// that names another is dropped.
func TestVSCodeNamesTheEvent(t *testing.T) {
	t.Parallel()
	for phase, want := range map[sentinel.Phase]string{
		sentinel.PhasePre: "PreToolUse", sentinel.PhasePost: "PostToolUse",
		sentinel.PhaseStart: "SessionStart", sentinel.PhasePrompt: "UserPromptSubmit",
	} {
		ans := agenttest.Named(t, "vscode").Encode(sentinel.Event{Phase: phase}, agenttest.ExampleDecision("warn"))
		require.Equal(t, want, agenttest.Output(t, ans).HookEventName)
	}
}

func TestVSCodeResponseOfAnyType(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]string{`"text"`: "text", `{"a": 1}`: `{"a":1}`, `null`: "", `[{"text":"x"}]`: "x"} {
		ev, err := agenttest.Named(t, "vscode").Decode([]byte(`{"hook_event_name":"PostToolUse","tool_name":"x","tool_response":` + response + `}`))
		require.NoError(t, err)
		require.Equal(t, want, ev.Tool.Output)
	}
}

func FuzzVSCodeDecode(f *testing.F) {
	agenttest.FuzzEvents(f, "vscode", `{"hookEventName":"PostToolUse","tool_name":"x","tool_response":[null]}`)
}
