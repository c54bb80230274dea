package windsurf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

func TestWindsurfRefuses(t *testing.T) {
	t.Parallel()
	agenttest.RequireRefusals(t, "windsurf", []agenttest.Refusal{
		{"no action", `{"trajectory_id":"t","tool_info":{"file_path":"/r/a"}}`, "agent_action_name is missing"},
		{"action renamed", `{"hook_event_name":"pre_write_code","tool_info":{"file_path":"/r/a"}}`, "agent_action_name is missing"},
		{"action of another type", `{"agent_action_name":{}}`, "agent_action_name must be a string, not an object"},
		{"trajectory of another type", `{"agent_action_name":"pre_write_code","trajectory_id":7}`, "trajectory_id must be a string, not a number"},
		{"no tool_info", `{"agent_action_name":"pre_write_code"}`, "tool_info is missing"},
		{"null", `{"agent_action_name":"pre_run_command","tool_info":null}`, "tool_info is missing"},
		{"empty", `{"agent_action_name":"pre_run_command","tool_info":{}}`, "tool_info is missing"},
		{"tool_info is a text", `{"agent_action_name":"pre_run_command","tool_info":"ls"}`, "tool_info must be an object, not a string"},
		{"transcript of another type", `{"agent_action_name":"post_cascade_response_with_transcript","tool_info":{"transcript_path":1}}`, "transcript_path must be a string"},
		{"no MCP tool", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"s"}}`, "mcp_tool_name is missing"},
		{"server of another type", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":[],"mcp_tool_name":"t"}}`, "mcp_server_name must be a string"},
		{"MCP arguments are a list", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_tool_name":"t","mcp_tool_arguments":[1]}}`, "mcp_tool_arguments must be an object or a string, not an array"},
	})
}

func TestWindsurfTolerates(t *testing.T) {
	t.Parallel()
	agenttest.RequireTolerance(t, "windsurf", []agenttest.Tolerance{
		{"nothing but the action", `{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls"}}`, "run_command", `{"command_line":"ls"}`},
		{"fields nobody knows", `{"agent_action_name":"pre_read_code","x":[],"tool_info":{"file_path":"/r/a","y":1}}`, "view_file", `{"file_path":"/r/a","y":1}`},
		{"relative folder", `{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls","cwd":"sub"}}`, "run_command", `{"command_line":"ls","cwd":"sub"}`},
		{"no MCP arguments", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"s","mcp_tool_name":"t"}}`, "mcp__s__t", `{}`},
		{"MCP arguments as text", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"s","mcp_tool_name":"t","mcp_tool_arguments":"{\"a\":1}"}}`, "mcp__s__t", `{"a":1}`},
	})
}

// TestWindsurfFolders holds where a command runs: a relative folder stays among
// the arguments, to be read from the folder of the hook.
func TestWindsurfFolders(t *testing.T) {
	t.Parallel()
	for cwd, want := range map[string]string{`"/r"`: "/r", `"C:\\r"`: `C:\r`, `"sub"`: "", `""`: "", `null`: "", `7`: ""} {
		ev, err := agenttest.Named(t, "windsurf").Decode([]byte(`{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls","cwd":` + cwd + `}}`))
		require.NoError(t, err)
		require.Equal(t, want, ev.Dir, cwd)
	}
}

func FuzzWindsurfDecode(f *testing.F) {
	agenttest.FuzzEvents(f, "windsurf", `{"agent_action_name":"post_mcp_tool_use","tool_info":{"mcp_tool_name":"t","mcp_result":{"content":[null]}}}`)
}
