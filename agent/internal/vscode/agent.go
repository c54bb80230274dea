// Package vscode is the Local agent of GitHub Copilot in VS Code, as of autumn 2026.
// Its newer Copilot sessions run Copilot CLI and speak that agent's protocol.
package vscode

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/claude"
	"github.com/agentsentinel/sentinel/agent/internal/copilot"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Name is the agent's name.
const Name = "vscode"

// Agent is Copilot in VS Code. Its events carry the time. Those about a tool are known
// by the call's id, which Copilot CLI does not send, Stop by the missing stop_reason,
// and the others by the transcript. permission_mode comes from agents that follow
// Claude Code more closely.
var Agent = wire.Agent{
	Name: Name, Title: "Copilot in VS Code",
	Decode: decode, Encode: encode,
	Never: []string{
		"cursor_version", "conversation_id", "agent_action_name", "hookName", "toolName", "turn_id", "permission_mode",
	},
	Signs: []wire.Sign{
		{All: []string{"hookEventName"}, None: []string{"hook_event_name"}, Time: wire.TextTime},
		{
			Spelling: wire.PascalCase, Time: wire.TextTime, None: []string{"hookEventName"},
			Events: []string{"PreToolUse", "PostToolUse"}, All: []string{"tool_use_id"},
		},
		{
			Spelling: wire.PascalCase, Time: wire.TextTime, None: []string{"hookEventName", "stop_reason", "agent_name"},
			Events: []string{"Stop", "SubagentStop"},
		},
		{
			Spelling: wire.PascalCase, Time: wire.TextTime, None: []string{"hookEventName"}, All: []string{"transcript_path"},
			OtherEvents: []string{"PreToolUse", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"}, // it has no SessionEnd
		},
	},
	Abilities: wire.Abilities{
		StaysAtWork: true, AsksUser: true, ContextBefore: true, ContextAfter: true, NumbersCalls: true, RunsHooksOf: "claude",
		Timeout: 30 * time.Second, // hookSchema.ts in VS Code
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "asks its user",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write: []string{
			"create_file", "replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file",
			"edit_notebook_file", "create_new_jupyter_notebook", "create_directory", "memory",
		},
		Run:    []string{"run_in_terminal", "send_to_terminal", "create_and_run_task"},
		Read:   []string{"read_file", "read_notebook_cell_output", "copilot_getNotebookSummary"},
		Search: []string{"grep_search"},
		Harmless: []string{
			"fetch_webpage", "file_search", "get_changed_files", "get_errors", "get_search_view_results",
			"get_terminal_output", "get_vscode_api", "github_repo", "kill_terminal", "list_code_usages", "list_dir",
			"manage_todo_list", "runSubagent", "run_tests", "semantic_search", "terminal_last_command", "terminal_selection", "test_failure", "think",
		},
		Bookkeeping: []string{"manage_todo_list"},
		Verbs:       []string{"memory"},
		Edits:       []string{"edit_notebook_file", "insert_edit_into_file"},
		NoCommand:   []string{"send_to_terminal", "create_and_run_task"},
	},
	Settings: install.Settings{
		Files: copilot.Files, Form: copilot.Form, Wants: copilot.Wants, Before: []string{"preToolUse", "PreToolUse"}, Stop: []string{"agentStop", "Stop"}, Off: claude.Off, Notes: notes, Windows: install.Cmd,
	},
	Sessions: wire.Sessions{
		Format: copilot.Name, Homes: sessionHomes, Projects: "*", Belongs: belongs,
		Files: []string{"GitHub.copilot-chat/transcripts/*.jsonl"},
	},
	Traces: wire.Traces{Paths: []string{ // VS Code without Copilot is not an agent
		".vscode/extensions/github.copilot-*", ".vscode-server/extensions/github.copilot-*",
	}},
	Trial: trial,
	Seen:  []wire.Seen{{Page: "vscode.md"}},
}

// notes mentions Copilot CLI, which reads the file too.
func notes(s install.Scope) []string {
	if s == install.User {
		return []string{copilot.Both}
	}
	return []string{copilot.Both, copilot.Trust().String()}
}

func trial(dir, command string) map[string]any {
	event := wire.Trial(dir, "PreToolUse", "run_in_terminal", command)
	event["timestamp"] = wire.TrialTime
	event["transcript_path"] = filepath.Join(dir, "GitHub.copilot-chat", "transcripts", "trial.jsonl")
	return event
}

// sessionHomes are the stored workspaces, one for each edition.
func sessionHomes(p install.Place) (homes []string) {
	data := p.Env("XDG_CONFIG_HOME", p.UnderHome(".config"))
	switch p.System() {
	case "darwin":
		data = p.UnderHome("Library", "Application Support")
	case "windows":
		data = p.Env("APPDATA", "")
	}
	for _, edition := range []string{"Code", "Code - Insiders"} {
		if data != "" {
			homes = append(homes, filepath.Join(data, edition, "User", "workspaceStorage"))
		}
	}
	return homes
}

// belongs accepts the workspaces that are the project's folder.
func belongs(dir string, p wire.Project) wire.Belonging {
	text, err := safefile.ReadNoFollow(filepath.Join(dir, "workspace.json"), 64<<10)
	var workspace struct{ Folder string }
	if err != nil || json.Unmarshal(text, &workspace) != nil {
		return wire.Elsewhere
	}
	if folder, ok := fromURL(workspace.Folder); ok && p.Holds(folder) {
		return wire.Here
	}
	return wire.Elsewhere
}

// fromURL is the path of a file: URL.
func fromURL(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return "", false
	}
	if runtime.GOOS == "windows" {
		return filepath.FromSlash(strings.TrimPrefix(u.Path, "/")), true
	}
	return u.Path, true
}
