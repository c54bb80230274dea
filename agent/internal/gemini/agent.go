// Package gemini is Gemini CLI, as of version 0.61.0.
package gemini

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Name is the agent's name.
const Name = "gemini"

// Agent is Gemini CLI. It is known by the names of events that it alone has, and by the
// folder of its transcripts, since the names of the others are common. The end of a
// session has a time and a transcript here only: VS Code has no such event and Copilot
// CLI sends no path.
var Agent = wire.Agent{
	Name: Name, Title: "Gemini CLI",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{
		{Spelling: wire.PascalCase, Events: []string{
			"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress",
		}},
		{Spelling: wire.PascalCase, Folder: ".gemini"},
	},
	Signs: []wire.Sign{{
		Events: []string{"SessionEnd"}, All: []string{"timestamp", "transcript_path"}, None: []string{"cursor_version", "conversation_id"},
	}},
	Abilities: wire.Abilities{
		StaysAtWork: true, AsksUser: true, WaitsOnAsk: true, ContextAfter: true, TellsEnd: true, TellsResults: true, HearsPerson: true,
		Timeout: 60 * time.Second, // DEFAULT_HOOK_TIMEOUT in hookRunner.js
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "asks its user; an MCP call is refused",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write:  []string{"write_file", "replace"},
		Run:    []string{"run_shell_command"},
		Read:   []string{"read_file", "read_many_files"},
		Search: []string{"grep_search", "search_file_content"},
		Harmless: []string{
			"activate_skill", "cli_help", "complete_task", "delegate_to_agent", "enter_plan_mode", "exit_plan_mode", "get_internal_docs",
			"google_web_search", "invoke_agent", "list_background_processes", "list_directory", "read_background_output", "save_memory", "write_todos", "update_topic",
		},
		Bookkeeping: []string{
			"write_todos", "enter_plan_mode", "exit_plan_mode", "save_memory", "tracker_create_task", "tracker_update_task", "complete_task", "update_topic",
		},
		NamesOnly: []string{"grep_search"},
		Folders:   []wire.ToolKeys{{Tools: []string{"run_shell_command"}, Keys: []string{"dir_path", "directory"}}},
	},
	Results: results,
	Settings: install.Settings{
		Files: files, Form: form, Wants: wants, Before: []string{"BeforeTool"}, Stop: []string{"AfterAgent"}, Off: off, Steps: steps, Windows: install.PowerShell,
		Reach: install.ReachRoot, // TestSubfolder/gemini
	},
	Guards: []string{"~/.gemini/trustedFolders.json", "~/.gemini/trusted_hooks.json", "~/.gemini/extensions/"},
	Sessions: wire.Sessions{
		Format: Name, Homes: sessionHomes, Projects: "tmp/*", Belongs: belongs,
		Files: []string{"chats/session-*.json", "chats/session-*.jsonl", "chats/*/*.jsonl"}, ParentFolder: true,
	},
	Traces: wire.Traces{
		Programs: []string{"gemini"}, Paths: []string{".gemini/tmp"}, Repository: []string{"GEMINI.md", ".gemini"}, Version: true, Processes: []string{"gemini"}, Environment: []string{"GEMINI_CLI"},
		Missing: []wire.Missing{{
			Before: "0.36.0",
			What:   "does not know the question that Sentinel asks, and runs the call: severity `ask` stops nothing",
			Do:     "update Gemini CLI to 0.36 or newer",
		}},
	},
	Starts: wire.Starts{
		Programs:  []string{"gemini", "gemini-cli"},
		Options:   []string{"--yolo", "-y", "yolo", "--approval-mode=yolo"},
		Tasks:     []string{"-p", "--prompt", "-i", "--prompt-interactive"},
		Changes:   []string{"mcp add*", "hooks disable*", "extensions install", "extensions link", "extensions disable", "extensions uninstall"},
		Variables: []string{"GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"},
	},
	Plugin: wire.Plugin{Find: plugin, Flags: []string{"--agent", Name}},
	Canary: wire.Canary{
		Speaks: "generate",
		Args:   []string{"-p", "{PROMPT}", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-o", "stream-json"},
		Env:    []string{"GEMINI_API_KEY=canary", "GOOGLE_GEMINI_BASE_URL={URL}", "GEMINI_CLI_SYSTEM_SETTINGS_PATH={FILE}"},
		Settings: `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false},
			"telemetry": {"enabled": false}, "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}}`,
		Tool: "write_file", Input: `{"file_path": "{PATH}", "content": "canary\n"}`,
	},
	Trial: trial,
	Seen: []wire.Seen{{
		Page: "gemini.md", Version: "0.61.0",
		Block:   wire.Claim{Test: "TestGemini/blocked"},
		Ask:     wire.Claim{Test: "TestGemini/asked", Note: "`gemini -p` waits for ever; the dialog is documented, not run"},
		Warn:    wire.Claim{Test: "TestGemini/warned", Note: "with the result"},
		Context: wire.Claim{Recorded: true},
		Stop:    wire.Claim{Test: "TestGemini/harmless"},
	}},
}

func plugin(p install.Place) string {
	return wire.Extension(p.UnderHome(".gemini"), p.Root)
}

func trial(dir, command string) map[string]any {
	event := wire.Trial(dir, "BeforeTool", "run_shell_command", command)
	event["timestamp"] = wire.TrialTime
	return event
}

func sessionHomes(p install.Place) []string { return []string{p.UnderHome(".gemini")} }

// belongs accepts a folder that has the project's path in .project_root or, of older
// versions, is named by its SHA-256. The sessions themselves do not say where they were
// held.
func belongs(dir string, p wire.Project) wire.Belonging {
	text, err := safefile.ReadNoFollow(filepath.Join(dir, ".project_root"), 64<<10)
	if err == nil && p.Holds(strings.TrimSpace(string(text))) {
		return wire.Here
	}
	for _, root := range p.Roots {
		if filepath.Base(dir) == digest.Hex(root) {
			return wire.Here
		}
	}
	return wire.Elsewhere
}
