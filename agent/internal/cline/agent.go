// Package cline is Cline: its command line program as of version 3.0.65, and the
// extension for VS Code, which sends less and puts every argument into a string.
package cline

import (
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "cline"

// The fields that both forms of its hook have in common, for the documentation.
const (
	receipts = "by receipts alone: its records do not name the task that its events name"
	kept     = "no: it has no event that can refuse the end of a turn"
)

// timeout is how long Cline's extension waits for a hook; the command line program
// waits longer. It cannot be set (hook-factory.ts).
const timeout = 30 * time.Second

// Agent is Cline. Copilot CLI's request for permission has hookName too, and a session.
var Agent = wire.Agent{
	Name: Name, Title: "Cline",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{{All: []string{"hookName"}, None: []string{"sessionId", "agent_action_name", "cursor_version"}}},
	Abilities: wire.Abilities{
		ContextBefore: true, ContextAfter: true, TellsEnd: true, TellsResults: true, HearsPerson: true,
		Timeout: timeout,
		OnBlock: "ends the run; the model is not told why",
		OnAsk:   "ends the run, with a text that says that a person must approve it",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write:  []string{"write_to_file", "replace_in_file", "new_rule", "editor"},
		Run:    []string{"execute_command", "run_commands"},
		Read:   []string{"read_file", "read_files"},
		Search: []string{"search_files", "search_codebase"},
		MCP:    []string{"use_mcp_tool"},
		Harmless: []string{
			"access_mcp_resource", "ask_followup_question", "ask_question", "attempt_completion", "browser_action", "condense", "fetch_web_content",
			"focus_chain", "list_code_definition_names", "list_files", "load_mcp_documentation", "new_task", "plan_mode_respond", "report_bug",
			"spawn_agent", "submit_and_exit", "summarize_task", "use_skill",
			"team_attach_outcome_fragment", "team_await_runs", "team_broadcast", "team_cancel_run", "team_cleanup", "team_create_outcome",
			"team_finalize_outcome", "team_list_outcomes", "team_list_runs", "team_mission_log", "team_read_mailbox",
			"team_review_outcome_fragment", "team_run_task", "team_send_message", "team_shutdown_teammate", "team_spawn_teammate", "team_status",
			"team_task",
		},
		Bookkeeping: []string{"ask_followup_question", "attempt_completion", "plan_mode_respond", "update_todo_list"},
		Folders:     []wire.ToolKeys{{Tools: []string{"execute_command", "run_commands"}, Keys: []string{"cwd", "Cwd"}}},
		Separator:   "__",
	},
	Settings: install.Settings{
		Files: files, Script: script, ReadScript: readScript, PerEvent: true, Before: []string{"PreToolUse"}, Stop: []string{"TaskComplete"}, Executable: true,
		Reach: install.ReachBelow, // TestSubfolder/cline
	},
	Guards: []string{".cline/hooks/", "~/.cline/hooks/", ".cline/plugins/", "~/.cline/plugins/"},
	Traces: wire.Traces{
		Programs: []string{"cline"},
		Paths: []string{
			".vscode/extensions/saoudrizwan.claude-dev-*", ".vscode-server/extensions/saoudrizwan.claude-dev-*", ".cursor/extensions/saoudrizwan.claude-dev-*",
		},
		Repository: []string{".clinerules"},
		Processes:  []string{"cline"}, Environment: []string{"CLINE_ACTIVE"},
	},
	Starts: wire.Starts{
		Programs: []string{"cline"},
		Options:  []string{"--yolo", "-y"},
		Tasks:    []string{"task", "t"},
	},
	Trial: trial,
	Seen: []wire.Seen{
		{
			Program: "Cline, the program", Page: "cline.md", Version: "3.0.65",
			Block:   wire.Claim{Test: "TestCline/blocked", Note: "ends the run, the model is not told"},
			Ask:     wire.Claim{Test: "TestCline/asked", Note: "ends the run"},
			Warn:    wire.Claim{Test: "TestCline/warned", Note: "with the result"},
			Context: wire.Claim{Recorded: true},
			Stop:    wire.Claim{Test: "TestCline/harmless"},
			Parts: map[string]string{
				"blocked": "ends the run", "server": "ends the run", "parallel": "ends the run", "subagent": "ends the run of the subagent alone",
				"verified": receipts, "kept": kept,
			},
		},
		{Program: "Cline, the extension", Ask: wire.Claim{Note: "ends the run"}},
	},
}

func trial(dir, command string) map[string]any {
	return map[string]any{
		"clineVersion": "3.9", "hookName": "PreToolUse", "timestamp": wire.TrialTime, "taskId": wire.TrialSession,
		"workspaceRoots": []string{dir}, "userId": "trial",
		"preToolUse": map[string]any{"toolName": "execute_command", "parameters": map[string]any{"command": command}},
	}
}
