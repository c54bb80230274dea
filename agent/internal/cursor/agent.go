// Package cursor is Cursor. What is known of its hooks was read in the executor of its
// SDK 1.0.32 and in its documentation; the editor itself is closed.
package cursor

import (
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "cursor"

// Agent is Cursor.
var Agent = wire.Agent{
	Name: Name, Title: "Cursor",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{
		{All: []string{"cursor_version"}, None: []string{"agent_action_name"}},
		{All: []string{"conversation_id", "generation_id"}, None: []string{"agent_action_name", "hookName"}},
	},
	Abilities: wire.Abilities{
		StaysAtWork: true, AsksUser: true, ContextAfter: true, TellsEnd: true, RunsHooksOf: "claude", HearsPerson: true,
		Timeout: 60 * time.Second,
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "asks its user about commands and MCP tools; anything else is refused",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write: []string{
			"Write", "edit_file", "search_replace", "delete_file", "edit_notebook", "StrReplace", "TabWrite", "Delete", "ApplyPatch",
		},
		Run:    []string{"run_terminal_cmd", "run_terminal_command", "Shell", "WriteShellStdin"},
		Read:   []string{"Read", "read_file"},
		Search: []string{"Grep", "grep_search"},
		Harmless: []string{
			"Fetch", "FetchMcpResource", "List", "ReadLints", "codebase_search", "create_diagram", "fetch_rules", "read_lints",
			"todo_write", "update_memory",
		},
		Bookkeeping: []string{"todo_write"},
		Patch:       []string{"ApplyPatch"},
		Edits:       []string{"edit_notebook", "edit_file"},
		NoCommand:   []string{"WriteShellStdin"},
		Folders:     []wire.ToolKeys{{Tools: []string{"Shell"}, Keys: []string{"cwd", "Cwd"}}},
	},
	Settings: install.Settings{
		Files: files, Form: form, Wants: wants, Windows: install.PowerShell,
		Before: []string{"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead"}, Stop: []string{"stop"},
	},
	Guards: []string{".cursor/cli.json", "~/.cursor/cli-config.json", "~/.cursor/plugins/"},
	Traces: wire.Traces{
		Programs: []string{"cursor", "cursor-agent"}, Paths: []string{".cursor/extensions", "/Applications/Cursor.app"},
		Repository:  []string{".cursor", ".cursorrules"},
		Processes:   []string{"cursor-agent"},
		Environment: []string{"CURSOR_AGENT"}, // CURSOR_TRACE_ID is in a user's terminals too
	},
	Starts: wire.Starts{
		Programs:  []string{"cursor-agent"},
		Options:   []string{"--yolo", "-f", "--force"},
		Tasks:     []string{"-p", "--print"},
		Variables: []string{"CURSOR_CONFIG_DIR"},
	},
	Plugin: wire.Plugin{Find: plugin, Flags: []string{"--agent", Name}},
	Trial:  trial,
	Seen: []wire.Seen{{
		Page: "cursor.md", Ask: wire.Claim{Note: "shell and MCP; else refused with the question"},
	}},
}

func plugin(p install.Place) string {
	return wire.FirstFolder(filepath.Join(p.Home, ".cursor", "plugins", "local", "sentinel"))
}

func trial(dir, command string) map[string]any {
	return map[string]any{
		"conversation_id": wire.TrialSession, "generation_id": "trial", "session_id": wire.TrialSession, "cursor_version": "2.4.0",
		"hook_event_name": "beforeShellExecution", "workspace_roots": []string{dir}, "command": command, "cwd": dir,
	}
}
