package install

import "path/filepath"

// copilotAgent is Copilot CLI, as of 1.0.102, and Copilot in VS Code: both read
// every file of these folders, so one file serves both, and putting the hook in
// or out for one does so for the other.
func copilotAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string {
			if s == User {
				return []string{filepath.Join(p.env("COPILOT_HOME", filepath.Join(p.Home, ".copilot")), "hooks", "sentinel.json")}
			}
			return []string{filepath.Join(p.Root, ".github", "hooks", "sentinel.json")}
		},
		form:   func(string) form { return form{shape: flat, head: object{{"version", "1"}}} },
		wants:  func(_ string, h Hook) []want { return copilotWants(h) },
		notice: claudeNotes,
		steps: func(s Scope) []string {
			const both = "Copilot CLI and VS Code read the same hook file: it now holds for both"
			if s == User {
				return []string{both}
			}
			return []string{both, "Copilot CLI runs the hooks of a folder that it trusts: choose to trust this one when copilot asks"}
		},
	}
}

// copilotWants: with these spellings of the events Copilot CLI sends its own
// form, which does not name the event; VS Code sends another, and ignores the
// matcher. Copilot CLI compiles the matcher as ^(?:…)$, and names an MCP tool
// server-tool; no other tool of it has a hyphen.
func copilotWants(h Hook) []want {
	tools := "bash|powershell|write_bash|write_powershell|create|edit|str_replace_editor|apply_patch|Bash|Write|Edit"
	if h.Reads {
		tools += "|view|Read"
	}
	matcher := pair{"matcher", quote(tools + "|.*-.*")}
	return []want{
		{"preToolUse", h.copilotHandler("pre", matcher)},
		{"postToolUse", h.copilotHandler("post", matcher)},
		{"postToolUseFailure", h.copilotHandler("post", matcher)},
		{"agentStop", h.copilotHandler("stop")},
		{"sessionStart", h.copilotHandler("start")},
		{"sessionEnd", h.copilotHandler("end")},
	}
}

// copilotHandler: both programs run the line of their system, whatever its key
// (Copilot CLI 1.0.102 understands VS Code's linux, osx and windows too, and
// prefers them), so a line must be right for both. It names no agent: the event
// tells. Copilot CLI takes any failure before a tool for a refusal, VS Code none
// but exit status 2. Both count the timeout in seconds.
func (h Hook) copilotHandler(phase string, members ...pair) object {
	unix := posix.line(h.on("linux").call(0, "--phase", phase))
	switch {
	case phase == "pre" && h.Strict:
		unix += elseDeny
	case phase == "pre":
		unix += alwaysOK
	}
	o := append(object{{"type", `"command"`}}, members...)
	return append(o,
		pair{"bash", quote(unix)},
		pair{"powershell", quote(h.on("windows").copilotWindows(phase))},
		pair{"timeoutSec", h.seconds()},
	)
}

// copilotWindows: Copilot CLI runs the line by PowerShell, VS Code by cmd.exe, so
// what has an ending is handed to cmd.exe, in words that mean the same in both. A
// path that needs quotes can be right in one only.
func (h Hook) copilotWindows(phase string) string {
	call := h.call(0, "--phase", phase)
	quoted := cmd.word(call[0]) != call[0]
	switch {
	case phase == "pre" && quoted && h.Strict, phase != "pre":
		return powershell.line(call)
	case quoted:
		return powershell.line(call) + alwaysOK
	case h.Strict:
		return inCmd(cmd.line(call) + elseDeny)
	}
	return inCmd(cmd.line(call) + alwaysOKInCmd)
}
