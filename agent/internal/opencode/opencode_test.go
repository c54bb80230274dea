package opencode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// TestOpencodeForms holds that what a callback is given means the same as what
// the plugin makes of it.
func TestOpencodeForms(t *testing.T) {
	t.Parallel()
	const session = `"session_id":"s","tool_use_id":"c"`
	for _, tt := range []struct{ name, bare, plugin string }{
		{"before a tool", `{"input":{"tool":"write","sessionID":"s","callID":"c"},"output":{"args":{"filePath":"/a"}}}`,
			`{"hook_event_name":"tool.execute.before",` + session + `,"tool_name":"write","tool_input":{"filePath":"/a"}}`},
		{"after a tool", `{"input":{"tool":"bash","sessionID":"s","callID":"c","args":{"command":"ls"}},"output":{"title":"ls","metadata":{"exit":0},"output":"a"}}`,
			`{"hook_event_name":"tool.execute.after",` + session + `,"tool_name":"bash","tool_input":{"command":"ls"},"tool_response":{"title":"ls","metadata":{"exit":0},"output":"a"}}`},
		{"arguments that look like a result", `{"input":{"tool":"x","sessionID":"s","callID":"c"},"output":{"args":{"output":"a"}}}`,
			`{"hook_event_name":"tool.execute.before",` + session + `,"tool_name":"x","tool_input":{"output":"a"}}`},
		{"a field that a newer version adds", `{"input":{"tool":"x","sessionID":"s","callID":"c"},"output":{"args":{},"metadata":{}}}`,
			`{"hook_event_name":"tool.execute.before",` + session + `,"tool_name":"x","tool_input":{}}`},
		{"a prompt", `{"input":{"sessionID":"s"},"output":{"message":{},"parts":[]}}`, `{"hook_event_name":"chat.message","session_id":"s"}`},
		{"a prompt of several parts", `{"input":{"sessionID":"s"},"output":{"message":{},"parts":[{"type":"text","text":"Do it."},{"type":"file"},` +
			`{"type":"text","text":"not theirs","synthetic":true},{"type":"text","text":"Now."}]}}`,
			`{"hook_event_name":"chat.message","session_id":"s","prompt":"Do it.\nNow."}`},
		{"a prompt of another form", `{"input":{"sessionID":"s"},"output":{"parts":"text"}}`, `{"hook_event_name":"chat.message","session_id":"s"}`},
		{"a session begins", `{"id":"evt_1","type":"session.created","properties":{"sessionID":"s","info":{"directory":"/r"}}}`,
			`{"hook_event_name":"session.created","session_id":"s","cwd":"/r"}`},
		{"a turn ends", `{"id":"evt_1","type":"session.idle","properties":{"sessionID":"s"}}`, `{"hook_event_name":"session.idle","session_id":"s"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bare, err := agenttest.Named(t, "opencode").Decode([]byte(tt.bare))
			require.NoError(t, err)
			plugin, err := agenttest.Named(t, "opencode").Decode([]byte(tt.plugin))
			require.NoError(t, err)
			require.NotZero(t, plugin.Phase)
			require.Equal(t, plugin, bare)
		})
	}
}

func TestOpencodeRefusesHalfACallback(t *testing.T) {
	t.Parallel()
	for stdin, want := range map[string]string{
		`{"input":{"sessionID":"s"},"output":{"args":{}}}`:                   "tool_name is missing",
		`{"input":{"name":"write","sessionID":"s"},"output":{"args":{}}}`:    "tool_name is missing",
		`{"input":{"tool":7,"sessionID":"s"},"output":{"args":{}}}`:          "tool_name must be a string, not a number",
		`{"input":{"tool":"write","sessionID":{}},"output":{"args":{}}}`:     "session_id must be a string, not an object",
		`{"input":{"tool":"write","sessionID":"s"},"output":{"args":["a"]}}`: "tool_input must be an object or a string, not an array",
		`{"input":7,"output":7}`:     "tool_name is missing",
		`{"input":{},"n":1}`:         "tool_name is missing",
		`{"type":7,"properties":{}}`: "hook_event_name must be a string, not a number",
		`{"type":"session.created","properties":{"info":{"directory":"relative"}}}`: "cwd must be an absolute path",
		`{"directory":"/r","worktree":"/r","keys":[]}`:                              "hook_event_name is missing",
	} {
		ev, err := agenttest.Named(t, "opencode").Decode([]byte(stdin))
		require.ErrorIs(t, err, sentinel.ErrEvent, stdin)
		require.ErrorContains(t, err, want, stdin)
		require.Zero(t, ev, stdin)
	}
}

// TestOpencodeRecordings reads what opencode really gave a plugin. Two kinds of
// file in that folder are no events: what the recording plugin noted of itself,
// and its calls of a callback that this project does not use.
func TestOpencodeRecordings(t *testing.T) {
	t.Parallel()
	exits := 0
	for _, file := range agenttest.Recordings(t, "opencode/*/*.json") {
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
		if name == "plugin-init" || name == "system.transform" {
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			_, ok := agenttest.Agents.Detect(stdin)
			require.False(t, ok, file)
			_, err = agenttest.Named(t, "opencode").Decode(stdin)
			require.ErrorIs(t, err, sentinel.ErrEvent, file)
			continue
		}
		ev := agenttest.Recorded(t, "opencode", file)
		event, tool := agenttest.RecordedName(file)
		require.Equal(t, map[string]sentinel.Phase{
			"event.session.created": sentinel.PhaseStart, "chat.message": sentinel.PhasePrompt,
			"tool.execute.before": sentinel.PhasePre, "tool.execute.after": sentinel.PhasePost,
			"event.session.idle": sentinel.PhaseStop, "event.file.edited": sentinel.PhaseUnknown,
		}[event], ev.Phase, file)
		require.Equal(t, tool, ev.Tool.Name, file)
		require.Equal(t, tool != "", ev.Tool.ID != "", file)
		require.Equal(t, event != "event.file.edited", ev.Session != "", file)
		require.Equal(t, ev.Phase == sentinel.PhasePost, ev.Tool.Output != "", file)
		if ev.Tool.Failed {
			exits++
		}
	}
	require.Equal(t, 2, exits, "two commands failed")
}

func FuzzOpencodeDecode(f *testing.F) {
	agenttest.FuzzDecode(f, "opencode",
		`{"input":{"tool":"x","sessionID":"s"},"output":{"metadata":{"exit":"1"},"output":null,"content":[{}]}}`,
		`{"id":"evt_","type":"","properties":null}`)
}
