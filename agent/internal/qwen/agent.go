// Package qwen is Qwen Code, as of version 0.15.10: Claude Code's events and answers,
// with the tool names and results of Gemini CLI.
package qwen

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "qwen"

// Agent is Qwen Code. It is known by the folder of its transcripts, and by two tools
// that no other agent has under Claude Code's event names.
var Agent = wire.Agent{
	Name: Name, Title: "Qwen Code",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{
		{Spelling: wire.PascalCase, Folder: ".qwen"},
		{
			Events: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"},
			Tools:  []string{"run_shell_command", "write_file"},
		},
	},
	Abilities: wire.Abilities{
		StaysAtWork: true, AsksUser: true, ContextAfter: true, TellsEnd: true, TellsResults: true, NumbersCalls: true,
		Timeout: 60 * time.Second, // DEFAULT_HOOK_TIMEOUT as built into version 0.15.10
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "asks its user; in the mode yolo the call is refused",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write:  []string{"write_file", "edit", "replace", "notebook_edit"},
		Run:    []string{"run_shell_command", "monitor"},
		Read:   []string{"read_file", "read_many_files", "zoom_image"},
		Search: []string{"grep_search", "search_file_content"},
		Harmless: []string{
			"agent", "ask_user_question", "send_message", "task_create", "task_get", "task_list", "task_output", "task_stop", "task_update",
			"cron_create", "cron_delete", "cron_list", "enter_worktree", "exit_worktree", "loop_wakeup", "record_artifact", "report_findings",
			"tool_call", // a tool that it calls comes to the hook by its own name
		},
		Bookkeeping: []string{"todo_write", "ask_user_question"},
		Folders:     []wire.ToolKeys{{Tools: []string{"run_shell_command"}, Keys: []string{"dir_path", "directory"}}},
	},
	Results: results,
	Settings: install.Settings{
		Files: files, Form: form, Wants: wants, Before: []string{"PreToolUse"}, Stop: []string{"Stop"}, Off: off, Steps: steps, Windows: install.PowerShell,
		Reach: install.ReachRoot, // TestSubfolder/qwen
	},
	Guards:   []string{"~/.qwen/trustedFolders.json", "~/.qwen/extensions/"},
	Sessions: wire.Sessions{Format: Name, Homes: sessionHomes, Files: []string{"projects/*/chats/*.jsonl"}, OtherIDs: true},
	Traces: wire.Traces{
		Programs: []string{"qwen"}, Paths: []string{".qwen/projects"}, Repository: []string{"QWEN.md", ".qwen"},
		Version: true, Processes: []string{"qwen"}, Environment: []string{"QWEN_CODE"},
	},
	Starts: wire.Starts{
		Programs:  []string{"qwen", "qwen-code"},
		Options:   []string{"--yolo", "-y", "yolo", "--approval-mode=yolo"},
		Tasks:     []string{"-p", "--prompt", "-i", "--prompt-interactive"},
		Changes:   []string{"mcp add*", "hooks disable*", "extensions install", "extensions link", "extensions disable", "extensions uninstall"},
		Variables: []string{"QWEN_HOME"},
	},
	Canary: wire.Canary{
		Speaks: "chat",
		Args: []string{
			"{PROMPT}", "--approval-mode", "yolo", "-o", "stream-json", "--auth-type=openai",
			"--openai-base-url", "{URL}/v1", "--openai-api-key", "canary", "-m", "scripted-model",
		},
		Env: []string{ // it would ask loopback through a proxy, too
			"HTTP_PROXY=", "HTTPS_PROXY=", "http_proxy=", "https_proxy=", "QWEN_CODE_SYSTEM_SETTINGS_PATH={FILE}",
		},
		Settings: `{"$version": 4, "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
			"general": {"enableAutoUpdate": false, "disableAutoUpdate": true}}`,
		Tool: "write_file", Input: `{"file_path": "{PATH}", "content": "canary\n"}`,
	},
	Plugin: wire.Plugin{Find: plugin, Flags: []string{"--agent", Name}},
	Trial:  trial,
	Seen: []wire.Seen{{
		Page: "qwen.md", Version: "0.15.10",
		Block:   wire.Claim{Test: "TestQwen/blocked"},
		Ask:     wire.Claim{Test: "TestQwen/asked", Note: "refused with the question in `yolo`; the dialog is documented, not run"},
		Warn:    wire.Claim{Test: "TestQwen/warned", Note: "with the result"},
		Context: wire.Claim{Recorded: true, Note: "at the start documented, not run"},
		Stop:    wire.Claim{Test: "TestQwen/harmless"},
		Parts:   map[string]string{"verified": "its records leave out what subagents do"},
	}},
}

func trial(dir, command string) map[string]any {
	event := wire.Trial(dir, "PreToolUse", "run_shell_command", command)
	event["timestamp"] = wire.TrialTime
	return event
}

func plugin(p install.Place) string {
	return wire.Extension(p.UnderHome(".qwen"), p.Root)
}

func sessionHomes(p install.Place) []string { return []string{p.UnderHome(".qwen")} }

func files(p install.Place, s install.Scope) []string {
	return []string{filepath.Join(p.Base(s), ".qwen", "settings.json")}
}

// steps: Qwen Code asks for trust only where a user has switched that on.
func steps(p install.Place, s install.Scope) []install.Step {
	if s == install.User {
		return nil
	}
	system := "/etc/qwen-code/settings.json"
	switch p.System() {
	case "darwin":
		system = "/Library/Application Support/QwenCode/settings.json"
	case "windows":
		system = `C:\ProgramData\qwen-code\settings.json`
	}
	trust := wire.FolderTrust{
		Title: "Qwen Code", Program: "qwen",
		File:     p.Env("QWEN_CODE_TRUSTED_FOLDERS_PATH", p.UnderHome(".qwen", "trustedFolders.json")),
		Settings: append(files(p, install.User), p.Env("QWEN_CODE_SYSTEM_SETTINGS_PATH", system)),
	}
	return trust.Steps(p, p.Root)
}

// off names settings that keep the hook from running.
func off(text []byte) []string {
	var s struct{ DisableAllHooks bool }
	if json.Unmarshal(install.WithoutComments(text), &s) == nil && s.DisableAllHooks {
		return []string{`"disableAllHooks" is true in this file: no hook runs, Sentinel's neither`}
	}
	return nil
}

// form: Qwen Code brings settings without its version up to date, which rewrites the
// file and leaves the old one next to it, so a new file has one.
func form(string) install.Form {
	return install.Form{Dialect: install.WithComments, Unit: time.Millisecond, Born: install.Object{}.With("$version", 4)}
}

// wants: Qwen Code counts the timeout in milliseconds, refuses a call at exit status 2,
// and lets it pass at any other.
func wants(_ string, h install.Hook) []install.Want {
	matcher := "^(" + h.Matching("write_file|edit|replace|notebook_edit|run_shell_command|monitor", "read_file|read_many_files|grep_search|search_file_content") + "|mcp__.*)$"
	shell := h.Shell(install.PowerShell)
	handler := func(ending string) install.Object {
		line := shell.Line(h.Call(0, "--agent", Name))
		return install.Object{}.With("name", "sentinel").With("type", "command").With("command", line+ending).With("timeout", h.Millis())
	}
	ordinary := ""
	if shell == install.PowerShell {
		ordinary = install.SameStatus
	}
	other := handler(ordinary)
	pre := other
	if h.Strict {
		pre = handler(shell.ElseDeny())
	}
	return []install.Want{
		install.InGroup("PreToolUse", matcher, pre),
		install.InGroup("PermissionRequest", matcher, other),
		install.InGroup("PostToolUse", matcher, other),
		install.InGroup("PostToolUseFailure", matcher, other),
		install.InGroup("Stop", "", other),
		install.InGroup("SessionStart", "", other),
		install.InGroup("SubagentStart", "", other),
		install.InGroup("SessionEnd", "", other),
	}
}
