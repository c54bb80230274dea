// Package copilot is GitHub Copilot CLI, as of version 1.0.102.
package copilot

import (
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/claude"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "copilot"

// Agent is Copilot CLI. It is known by the spelling of the fields that a tool call has
// in the camelCase dialect; there also, without a tool, by the time in milliseconds;
// and in the PascalCase dialect by what it lacks: the call's id, which VS Code sends,
// and outside of Stop the transcript.
var Agent = wire.Agent{
	Name: Name, Title: "Copilot CLI",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{{
		All:  []string{"sessionId", "toolName"},
		None: []string{"hook_event_name", "clineVersion", "cursor_version", "agent_action_name"},
	}},
	Never: []string{
		"clineVersion", "cursor_version", "conversation_id", "agent_action_name", "turn_id", "permission_mode", "hookEventName",
	},
	Signs: []wire.Sign{
		{All: []string{"sessionId"}, None: []string{"hook_event_name"}, Time: wire.NumberTime},
		{
			Spelling: wire.PascalCase, Time: wire.TextTime, None: []string{"tool_use_id"},
			Events: []string{"Stop", "SubagentStop"}, Any: []string{"stop_reason", "agent_name"},
		},
		{
			Spelling: wire.PascalCase, Time: wire.TextTime, None: []string{"tool_use_id", "transcript_path"},
			OtherEvents: []string{"Stop", "SubagentStop"},
		},
	},
	Abilities: wire.Abilities{
		StaysAtWork: true, AsksUser: true, ContextBefore: true, ContextAfter: true, TellsEnd: true, TellsResults: true, ErrorDenies: true, RunsHooksOf: "claude", HearsPerson: true,
		Timeout: 30 * time.Second, // timeoutSec in its reference of hooks
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "asks its user; where no person can be asked the call is refused",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write:  []string{"create", "edit", "str_replace_editor", "apply_patch"},
		Run:    []string{"bash", "powershell", "write_bash", "write_powershell"},
		Read:   []string{"view"},
		Search: []string{"grep", "rg", "Grep"},
		Harmless: []string{
			"ask_user", "fetch_copilot_cli_documentation", "glob", "list_agents", "list_bash", "list_powershell", "read_agent", "read_bash",
			"read_powershell", "report_intent", "session_store_sql", "skill", "sql", "stop_bash", "stop_powershell", "store_memory", "task", "task_complete", "update_todo",
			"web_fetch", "web_search", "write_agent",
		},
		Bookkeeping: []string{
			"report_intent", "update_todo", "ask_user", "exit_plan_mode", "task_complete", "fetch_copilot_cli_documentation", "read_agent", "list_agents",
		},
		Patch:      []string{"apply_patch"},
		Verbs:      []string{"str_replace_editor"},
		Modes:      []string{"grep"},
		PowerShell: []string{"powershell", "write_powershell"},
		NoCommand:  []string{"write_bash", "write_powershell"},
		Separator:  "-",
	},
	Results: results,
	Settings: install.Settings{
		Files: Files, Form: Form, Wants: Wants, Before: []string{"preToolUse", "PreToolUse"}, Stop: []string{"agentStop", "Stop"}, Off: claude.Off, Steps: steps, Notes: notes, Windows: install.PowerShell,
		Reach: install.ReachRoot, // TestSubfolder/copilot
	},
	Guards: []string{
		"~/.copilot/config.json", "~/.copilot/settings.json", ".github/copilot/settings.json", ".github/copilot/settings.local.json", ".github/hooks/", "~/.copilot/hooks/",
		"~/.copilot/installed-plugins/",
	},
	Sessions: wire.Sessions{Format: Name, Homes: sessionHomes, Files: []string{"session-state/*/events.jsonl"}, Late: true},
	Traces: wire.Traces{
		Programs: []string{"copilot"}, Paths: []string{".copilot/session-state"}, Version: true,
		Repository: []string{".github/copilot-instructions.md", ".github/hooks"}, Processes: []string{"copilot"},
		Environment: []string{"COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"},
	},
	Starts: wire.Starts{
		Programs:  []string{"copilot"},
		Options:   []string{"--yolo", "--allow-all*", "--config-dir*"},
		Tasks:     []string{"-p", "--prompt"},
		Changes:   []string{"mcp add*", "plugin install", "plugin disable", "plugin uninstall"},
		Variables: []string{"COPILOT_HOME"},
	},
	Plugin: wire.Plugin{Find: plugin, Flags: []string{"--phase", "pre"}},
	Canary: wire.Canary{
		Speaks: "chat",
		Args:   []string{"-p", "{PROMPT}", "--allow-all-tools", "--output-format", "json", "--disable-builtin-mcps"},
		Env: []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=claude-sonnet-4.5", "COPILOT_PROVIDER_TYPE=openai",
			"COPILOT_PROVIDER_API_KEY=canary", "COPILOT_PROVIDER_BASE_URL={URL}/v1",
		},
		Tool: "create", Input: `{"path": "{PATH}", "file_text": "canary\n"}`,
	},
	Trial: trial,
	Seen: []wire.Seen{{
		Page: "copilot.md", Version: "1.0.102",
		Block:   wire.Claim{Test: "TestCopilot/blocked"},
		Ask:     wire.Claim{Test: "TestCopilot/asked", Note: "refused with the question where no person can be asked"},
		Warn:    wire.Claim{Test: "TestCopilot/warned", Note: "after the result"},
		Context: wire.Claim{Recorded: true},
		Stop:    wire.Claim{Test: "TestCopilot/harmless"},
	}},
}

func home(p install.Place) string { return p.Env("COPILOT_HOME", p.UnderHome(".copilot")) }

func sessionHomes(p install.Place) []string { return []string{home(p)} }

// plugin is the file or folder that shows that the plugin is installed, "" where it is not.
// settings.json names plugins from a marketplace, config.json those that were installed
// directly. Copilot copies no plugin from a marketplace in a local folder.
func plugin(p install.Place) string {
	var settings struct{ EnabledPlugins map[string]any }
	file := filepath.Join(home(p), "settings.json")
	if wire.ReadState(file, &settings) == nil {
		if on, named := wire.Enabled(settings.EnabledPlugins); on {
			return file
		} else if named {
			return ""
		}
	}
	var state struct {
		InstalledPlugins []struct {
			Name    string
			Enabled *bool
		}
	}
	file = filepath.Join(home(p), "config.json")
	if wire.ReadState(file, &state) == nil {
		for _, installed := range state.InstalledPlugins {
			if installed.Name != "sentinel" {
				continue
			}
			if installed.Enabled != nil && !*installed.Enabled {
				return ""
			}
			return file
		}
	}
	return wire.FirstFolder(filepath.Join(home(p), "installed-plugins", "*", "sentinel"))
}

func trial(dir, command string) map[string]any {
	return map[string]any{
		"sessionId": wire.TrialSession, "timestamp": int64(1767225600000), "cwd": dir,
		"toolName": "bash", "toolArgs": map[string]any{"command": command},
	}
}
