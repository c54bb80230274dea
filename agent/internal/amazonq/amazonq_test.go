package amazonq_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

func TestAmazonQNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"amazonq", "q", "kiro"} {
		ag, err := agenttest.ByName(name)
		require.NoError(t, err)
		require.Equal(t, "amazonq", ag.Name)
		ag, err = agenttest.Agents.Resolve(name, []byte(`{"hook_event_name":"PreToolUse","cwd":"/r","tool_name":"shell","tool_input":{}}`))
		require.NoError(t, err)
		require.Equal(t, "amazonq", ag.Name)
	}
	require.NotContains(t, agenttest.ProtocolNames(), "q")
	require.NotContains(t, agenttest.ProtocolNames(), "kiro")
}

func TestAmazonQRefuses(t *testing.T) {
	t.Parallel()
	agenttest.RequireRefusals(t, "amazonq", []agenttest.Refusal{
		{"no event", `{"cwd":"/r","tool_name":"fs_write"}`, "hook_event_name is missing"},
		{"event of another type", `{"hook_event_name":7}`, "hook_event_name must be a string, not a number"},
		{"relative folder", `{"hook_event_name":"stop","cwd":"."}`, `cwd must be an absolute path, not "."`},
		{"session of another type", `{"hook_event_name":"stop","session_id":{}}`, "session_id must be a string, not an object"},
		{"no tool", `{"hook_event_name":"preToolUse","tool_input":{}}`, "tool_name is missing"},
		{"tool renamed", `{"hook_event_name":"preToolUse","name":"fs_write"}`, "tool_name is missing"},
		{"input is a list", `{"hook_event_name":"preToolUse","tool_name":"fs_write","tool_input":[1]}`, "tool_input must be an object or a string, not an array"},
	})
}

func TestAmazonQTolerates(t *testing.T) {
	t.Parallel()
	agenttest.RequireTolerance(t, "amazonq", []agenttest.Tolerance{
		{"PascalCase", `{"hook_event_name":"PreToolUse","tool_name":"shell","tool_input":{"command":"ls"}}`, "shell", `{"command":"ls"}`},
		{"JSON in a text", `{"hook_event_name":"preToolUse","tool_name":"fs_write","tool_input":"{\"path\":\"a\"}"}`, "fs_write", `{"path":"a"}`},
		{"null", `{"hook_event_name":"preToolUse","cwd":null,"session_id":null,"tool_name":"x","tool_input":null}`, "x", `{}`},
		{"Kiro's write with a command", `{"hook_event_name":"preToolUse","tool_name":"write","tool_input":{"command":"append","path":"a"}}`, "fs_write", `{"command":"append","path":"a"}`},
		{"Kiro's write with the content", `{"hook_event_name":"preToolUse","tool_name":"write","tool_input":{"path":"a","content":"x"}}`, "write", `{"path":"a","content":"x"}`},
		{"fields nobody knows", `{"hook_event_name":"preToolUse","x":[],"tool_name":"@s/t","tool_input":{"a":1}}`, "@s/t", `{"a":1}`},
	})
}

func TestAmazonQResults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		response, output string
		failed           bool
	}{
		{`{"success":true,"result":["a","b"]}`, "a\nb", false},
		{`{"success":false,"result":["gone"]}`, "gone", true},
		{`{"success":true,"result":[{"stdout":"a","stderr":"b","exit_status":"0"}]}`, "a\nb", false},
		{`{"success":true,"result":[]}`, "", false},
		{`{"success":true,"result":"a"}`, "a", false},
		{`{"success":true}`, `{"success":true}`, false},
		{`"text"`, "text", false},
		{`null`, "", false},
	} {
		ev, err := agenttest.Named(t, "amazonq").Decode([]byte(`{"hook_event_name":"postToolUse","tool_name":"x","tool_response":` + tt.response + `}`))
		require.NoError(t, err)
		require.Equal(t, tt.output, ev.Tool.Output, tt.response)
		require.Equal(t, tt.failed, ev.Tool.Failed, tt.response)
	}
}

// TestAmazonQContextFits holds that no context reaches what Amazon Q reads of a
// hook's output.
func TestAmazonQContextFits(t *testing.T) {
	t.Parallel()
	agenttest.RequireContextBelow(t, "amazonq", sentinel.Event{Phase: sentinel.PhasePrompt}, 10_240)
}

func FuzzAmazonQDecode(f *testing.F) {
	agenttest.FuzzEvents(f, "amazonq", `{"hook_event_name":"postToolUse","tool_name":"x","tool_response":{"result":[null,{"stdout":1}]}}`, `{"hook_event_name":"\u0130"}`)
}
