// Package claude is Claude Code, as of version 2.1.329.
package claude

import (
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "claude"

// Agent is Claude Code.
var Agent = wire.Agent{
	Name: Name, Title: "Claude Code",
	Decode: decode, Encode: encode,
	// Codex calls its transcripts rollout-…, and its session events have no other
	// sign. Gemini CLI's own events begin with Before or After.
	Never: []string{
		"timestamp", "turn_id", "cursor_version", "conversation_id", "generation_id",
		"agent_action_name", "hookName", "clineVersion", "sessionId", "toolName",
	},
	Signs: []wire.Sign{
		{
			Spelling: wire.PascalCase, OtherEvents: []string{"Before*", "After*"}, Texts: []string{"session_id"},
			NotFile: "rollout-*", Any: []string{"transcript_path", "permission_mode"},
		},
		{
			Spelling: wire.PascalCase, OtherEvents: []string{"Before*", "After*"}, Texts: []string{"session_id"},
			NotFile: "rollout-*", All: []string{"tool_name", "tool_input"},
		},
		{Texts: []string{"tool_name"}, All: []string{"tool_input"}, Only: []string{"tool_name", "tool_input"}}, // see named
	},
	Abilities: wire.Abilities{
		StaysAtWork: true, AsksUser: true, ReplacesOnAsk: true, ContextBefore: true, ContextAfter: true, TellsEnd: true, TellsResults: true, NumbersCalls: true, HearsPerson: true,
		Timeout: 600 * time.Second,
		PhaseTimeouts: []wire.PhaseTimeout{
			{Phase: sentinel.PhasePrompt, Timeout: 30 * time.Second},
			{Phase: sentinel.PhaseEnd, Timeout: 1500 * time.Millisecond}, // for all hooks together
		},
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "asks its user; where no person can be asked (claude -p) the call is refused",
		OnWarn:  "reads it beside the tool's result",
	},
	Tools: wire.Tools{
		Write:  []string{"Write", "Edit", "MultiEdit", "NotebookEdit", "str_replace_based_edit_tool"},
		Run:    []string{"Bash", "PowerShell", "Monitor"},
		Read:   []string{"Read", "NotebookRead"},
		Search: []string{"Grep"},
		Harmless: []string{
			"Agent", "AskUserQuestion", "BashOutput", "Brief", "Config", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "EnterWorktree",
			"ExitPlanMode", "ExitWorktree", "Glob", "KillBash", "KillShell", "LS", "LSP", "ListMcpResources", "ListMcpResourcesTool",
			"ReadMcpResource", "ReadMcpResourceTool", "ScheduleWakeup", "SendMessage", "Skill", "Sleep", "SlashCommand", "StructuredOutput", "Task",
			"TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead", "TodoWrite",
			"ToolSearch", "WebFetch", "WebSearch", "SendUserMessage", "SendUserFile", "DeferredToolPlaceholder", "ListAgents", "ReportFindings",
			"Workflow", // its subagents run the hooks
		},
		Bookkeeping: []string{
			"TodoWrite", "TodoRead", "ExitPlanMode", "EnterPlanMode", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskStop",
			"TaskOutput", "BashOutput", "AskUserQuestion", "ToolSearch", "StructuredOutput", "ScheduleWakeup",
		},
		Verbs:      []string{"str_replace_based_edit_tool"},
		Edits:      []string{"NotebookEdit"},
		Modes:      []string{"Grep"},
		PowerShell: []string{"PowerShell"},
		NoCommand:  []string{"Monitor"},
	},
	Settings: install.Settings{
		Files: files, Reads: readFiles, Form: form, Wants: wants, Before: []string{"PreToolUse"}, Stop: []string{"Stop"}, Off: Off,
		Windows: install.Posix,     // it prefers the sh that comes with Git
		Reach:   install.ReachRoot, // TestSubfolder/claude
	},
	Guards: []string{"~/.claude.json", ".claude/settings.local.json", "~/.claude/settings.local.json", "~/.claude/plugins/"},
	Sessions: wire.Sessions{
		Format: Name, Homes: sessionHomes, Projects: "projects/*", Belongs: belongs,
		Files: []string{"*.jsonl", "*/subagents/*.jsonl"},
	},
	Traces: wire.Traces{
		Programs: []string{"claude"}, Paths: []string{".claude/local/claude", ".local/bin/claude", ".claude/projects"}, Version: true,
		Repository: []string{
			"CLAUDE.md", ".claude/settings.json", ".claude/settings.local.json", ".claude/agents", ".claude/commands", ".claude/skills",
		},
		Processes:   []string{"claude"},
		Environment: []string{"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"},
		Missing: []wire.Missing{{
			Before: "2.1.295", Strict: true,
			What: "does not know `onFailure`: a call goes on when the hook cannot run, although `fail_open` is false",
			Do:   "update Claude Code to 2.1.295 or newer",
		}},
	},
	Starts: wire.Starts{
		Programs:  []string{"claude", "claude-code"},
		Options:   []string{"--bare", "--dangerously*", "--setting-sources*", "--settings*", "bypassPermissions", "--permission-mode=bypassPermissions"},
		Tasks:     []string{"-p", "--print", "--prompt"},
		Changes:   []string{"mcp add*", "plugin install", "plugin i", "plugin disable", "plugin uninstall", "plugin remove"},
		Variables: []string{"CLAUDE_CONFIG_DIR"},
	},
	Plugin: wire.Plugin{Find: plugin},
	Canary: wire.Canary{
		Speaks: "messages",
		Args: []string{
			"-p", "{PROMPT}", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--allowedTools", "Write",
			"--settings", `{"env":{"ANTHROPIC_BASE_URL":"{URL}","ANTHROPIC_API_KEY":"canary"}}`,
		},
		Env: []string{
			"ANTHROPIC_BASE_URL={URL}", "ANTHROPIC_API_KEY=canary", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0",
			"DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1",
		},
		Tool: "Write", Input: `{"file_path": "{PATH}", "content": "canary\n"}`,
	},
	Trial: trial,
	Seen: []wire.Seen{{
		Page: "../hook-protocol.md", Version: "2.1.329",
		Block:   wire.Claim{Test: "TestClaude/blocked"},
		Ask:     wire.Claim{Test: "TestClaude/asked", Note: "refused where no person can be asked"},
		Warn:    wire.Claim{Test: "TestClaude/warned", Note: "with the result"},
		Context: wire.Claim{Test: "TestAdviceReachesClaude", Note: "advice after a tool"},
		Stop:    wire.Claim{Test: "TestClaude/harmless"},
	}},
}

// trial is a shell command, as Claude Code announces it.
func trial(dir, command string) map[string]any {
	return wire.Trial(dir, "PreToolUse", "Bash", command)
}
