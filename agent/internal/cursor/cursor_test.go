package cursor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

func TestCursorRefuses(t *testing.T) {
	t.Parallel()
	agenttest.RequireRefusals(t, "cursor", []agenttest.Refusal{
		{"no event", `{"cursor_version":"2"}`, "hook_event_name is missing"},
		{"event of another type", `{"hook_event_name":true}`, "hook_event_name must be a string, not a boolean"},
		{"session of another type", `{"hook_event_name":"stop","conversation_id":7}`, "session_id must be a string, not a number"},
		{"relative folder", `{"hook_event_name":"stop","cwd":"repo"}`, `cwd must be an absolute path, not "repo"`},
		{"roots are one text", `{"hook_event_name":"stop","workspace_roots":"/r"}`, "workspace_roots must be a list of strings"},
		{"roots hold a number", `{"hook_event_name":"stop","workspace_roots":["/r",1]}`, "workspace_roots must be a list of strings"},
		{"no tool", `{"hook_event_name":"preToolUse","tool_input":{}}`, "tool_name is missing"},
		{"input is a list", `{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":["ls"]}`, "tool_input must be an object or a string, not an array"},
		{"no command", `{"hook_event_name":"beforeShellExecution","cwd":"/r"}`, "command is missing"},
		{"command renamed", `{"hook_event_name":"beforeShellExecution","cmd":"ls"}`, "command is missing"},
		{"command is a list", `{"hook_event_name":"beforeShellExecution","command":["rm","-rf","/"]}`, "command must be a string, not an array"},
		{"no file", `{"hook_event_name":"beforeReadFile","content":"x"}`, "file_path is missing"},
		{"no MCP tool", `{"hook_event_name":"beforeMCPExecution","mcp_server_name":"s","tool_input":"{}"}`, "tool_name is missing"},
		{"server of another type", `{"hook_event_name":"beforeMCPExecution","mcp_server_name":1,"tool_name":"t"}`, "mcp_server_name must be a string, not a number"},
		{"MCP input is a number", `{"hook_event_name":"beforeMCPExecution","tool_name":"t","tool_input":1}`, "tool_input must be an object or a string, not a number"},
		{"error of another type", `{"hook_event_name":"postToolUseFailure","tool_name":"t","error_message":{}}`, "error_message must be a string, not an object"},
	})
}

func TestCursorTolerates(t *testing.T) {
	t.Parallel()
	agenttest.RequireTolerance(t, "cursor", []agenttest.Tolerance{
		{"JSON in a text", `{"hook_event_name":"preToolUse","tool_name":"Write","tool_input":"{\"file_path\":\"/r/a\"}"}`, "Write", `{"file_path":"/r/a"}`},
		{"broken JSON in a text", `{"hook_event_name":"beforeMCPExecution","tool_name":"t","mcp_server_name":"s","tool_input":"{\"a\":"}`, "mcp__s__t", `"{\"a\":"`},
		{"MCP input is an object", `{"hook_event_name":"beforeMCPExecution","tool_name":"t","mcp_server_name":"s","tool_input":{"a":1}}`, "mcp__s__t", `{"a":1}`},
		{"MCP tool with the prefix of preToolUse", `{"hook_event_name":"beforeMCPExecution","tool_name":"MCP:t","mcp_server_name":"s"}`, "mcp__s__t", `{}`},
		{"no server", `{"hook_event_name":"beforeMCPExecution","tool_name":"t","url":"http://x"}`, "MCP:t", `{}`},
		{"fields nobody knows", `{"hook_event_name":"beforeShellExecution","command":"ls <x> & y","new":{}}`, "Shell", `{"command":"ls <x> & y"}`},
		{"null", `{"hook_event_name":"beforeShellExecution","command":"ls","cwd":null,"workspace_roots":null,"session_id":null,"transcript_path":null}`, "Shell", `{"command":"ls"}`},
		{"event in PascalCase", `{"hook_event_name":"PreToolUse","tool_name":"Delete","tool_input":{"file_path":"/r/a"}}`, "Delete", `{"file_path":"/r/a"}`},
		{"hidden content", `{"hook_event_name":"beforeReadFile","file_path":"/r/.env","content":"KEY=1"}`, "Read", `{"file_path":"/r/.env"}`},
	})
}

func TestCursorFolders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fields string
		dir          string
		roots        []string
	}{
		{"first root", `"workspace_roots":["/a","/b"]`, "/a", []string{"/a", "/b"}},
		{"cwd goes first", `"cwd":"/a/x","workspace_roots":["/a"]`, "/a/x", []string{"/a"}},
		{"empty cwd", `"cwd":"","workspace_roots":["/a"]`, "/a", []string{"/a"}},
		{"folders of Windows as URIs have them", `"workspace_roots":["/c:/Users/u/my repo","/D:/x"]`, "c:/Users/u/my repo", []string{"c:/Users/u/my repo", "D:/x"}},
		{"folder of Windows", `"cwd":"/C:/r","workspace_roots":["C:\\r"]`, "C:/r", []string{`C:\r`}},
		{"remote", `"workspace_roots":["vscode-remote://ssh-remote/x","/a"]`, "/a", []string{"/a"}},
		{"relative and empty", `"workspace_roots":["","repo",".."]`, "", nil},
		{"folder with a colon", `"workspace_roots":["/c:","/ab:/x"]`, "/c:", []string{"/c:", "/ab:/x"}},
		{"none", `"workspace_roots":[]`, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ev, err := agenttest.Named(t, "cursor").Decode([]byte(`{"hook_event_name":"stop",` + tt.fields + `}`))
			require.NoError(t, err)
			require.Equal(t, tt.dir, ev.Dir)
			require.Equal(t, tt.roots, ev.Roots)
		})
	}
}

// TestCursorNeverAsksBeforeAnyTool holds that no event of preToolUse is taken for
// one at which Cursor asks, whatever it is called: Cursor reads "ask" there and
// runs the call.
func TestCursorNeverAsksBeforeAnyTool(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"Shell", "MCP:t", "mcp__s__t", "Write", "Read", "run_terminal_cmd"} {
		for _, id := range []string{`"t1"`, `""`, `null`} {
			ev, err := agenttest.Named(t, "cursor").Decode([]byte(`{"hook_event_name":"preToolUse","tool_name":"` + tool + `","tool_use_id":` + id + `,"tool_input":{"command":"ls"}}`))
			require.NoError(t, err)
			u := agenttest.Understand(t, "cursor", agenttest.Named(t, "cursor").Encode(ev, agenttest.ExampleDecision("ask")))
			require.Equal(t, "deny", u.Decision, "%s %s", tool, id)
		}
	}
}

// TestCursorAlwaysAnswers holds that there is one JSON object for every event.
func TestCursorAlwaysAnswers(t *testing.T) {
	t.Parallel()
	for phase := sentinel.PhaseUnknown; phase <= sentinel.PhaseEnd+1; phase++ {
		ans := agenttest.Named(t, "cursor").Encode(sentinel.Event{Phase: phase}, sentinel.Decision{Verdict: sentinel.VerdictAllow})
		require.Equal(t, "{}", string(ans.Stdout), "%v", phase)
	}
}

// TestCursorContextFits holds that no context reaches 10,000 characters, above
// which Cursor drops it.
func TestCursorContextFits(t *testing.T) {
	t.Parallel()
	agenttest.RequireContextBelow(t, "cursor", sentinel.Event{Phase: sentinel.PhasePost, Tool: sentinel.ToolCall{ID: "t"}}, 10_100) // with the JSON around it
}

func FuzzCursorDecode(f *testing.F) {
	agenttest.FuzzEvents(f, "cursor", `{"hook_event_name":"afterMCPExecution","tool_name":"t","result_json":"[null]","tool_input":"[]"}`,
		`{"hook_event_name":"stop","workspace_roots":["/c:/","/","\\\\","c:"]}`)
}
