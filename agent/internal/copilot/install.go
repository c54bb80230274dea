package copilot

import (
	"path/filepath"
	"slices"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Files: Copilot CLI and Copilot in VS Code read every file of these folders, so one
// file serves both, and putting the hook in or out for one does so for the other.
func Files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(home(p), "hooks", "sentinel.json")}
	}
	return []string{filepath.Join(p.Root, ".github", "hooks", "sentinel.json")}
}

// Form is the form of the file for both.
func Form(string) install.Form {
	return install.Form{Shape: install.Flat, Head: install.Object{}.With("version", 1)}
}

// Both is what to say whichever of the two the file was written for.
const Both = "Copilot CLI and VS Code read the same hook file: it now holds for both"

func notes(install.Scope) []string { return []string{Both} }

func steps(p install.Place, s install.Scope) []install.Step {
	if s == install.User {
		return nil
	}
	var state struct{ TrustedFolders []string }
	file := filepath.Join(home(p), "config.json")
	_ = wire.ReadState(file, &state) // no folder is trusted where it cannot be read
	step := Trust()
	switch folder := slices.IndexFunc(state.TrustedFolders, func(dir string) bool { return wire.Holds(dir, p.Root) }); {
	case folder >= 0:
		step.Done = file + " trusts " + state.TrustedFolders[folder]
	case p.Getenv != nil && p.Getenv("COPILOT_ALLOW_ALL") == "true":
		step.Done = "COPILOT_ALLOW_ALL is true"
	}
	return []install.Step{step}
}

// Trust is the user's step in a repository.
func Trust() install.Step { return wire.TrustStep("Copilot CLI", "copilot", "") }

// Wants: with these spellings of the events Copilot CLI sends its own form, which does
// not name the event; VS Code sends another, and ignores the matcher. Copilot CLI
// compiles the matcher as ^(?:…)$, and names an MCP tool server-tool; no other tool of
// it has a hyphen.
func Wants(_ string, h install.Hook) []install.Want {
	tools := h.Matching("bash|powershell|write_bash|write_powershell|create|edit|str_replace_editor|apply_patch|Bash|Write|Edit", "view|Read|grep|rg|Grep")
	matcher := install.Pair{Key: "matcher", Value: tools + "|.*-.*"}
	return []install.Want{
		{Event: "preToolUse", Item: handler(h, "pre", matcher)},
		{Event: "postToolUse", Item: handler(h, "post", matcher)},
		{Event: "postToolUseFailure", Item: handler(h, "post", matcher)},
		{Event: "agentStop", Item: handler(h, "stop")},
		{Event: "userPromptSubmitted", Item: handler(h, "prompt")},
		{Event: "sessionStart", Item: handler(h, "start")},
		{Event: "sessionEnd", Item: handler(h, "end")},
	}
}

// handler: both programs run the line of their system, whatever its key (Copilot CLI
// 1.0.102 understands VS Code's linux, osx and windows too, and prefers them), so a
// line must be right for both. It names no agent: the event tells. Copilot CLI takes
// any failure before a tool for a refusal, VS Code none but exit status 2. Both count
// the timeout in seconds.
func handler(h install.Hook, phase string, members ...install.Pair) install.Object {
	unix := install.Posix.Line(h.On("linux").Call(0, "--phase", phase))
	switch {
	case phase == "pre" && h.Strict:
		unix += install.ElseDeny
	case phase == "pre":
		unix += install.AlwaysOK
	}
	o := append(install.Object{}.With("type", "command"), members...)
	return o.With("bash", unix).With("powershell", windowsLine(h.On("windows"), phase)).With("timeoutSec", h.Seconds())
}

// windowsLine: Copilot CLI runs the line by PowerShell, VS Code by cmd.exe, so a line
// with an ending is handed to cmd.exe, in words that mean the same in both. A path that
// needs quotes can be right in one only.
func windowsLine(h install.Hook, phase string) string {
	call := h.Call(0, "--phase", phase)
	quoted := install.Cmd.Word(call[0]) != call[0]
	switch {
	case phase == "pre" && quoted && h.Strict, phase != "pre":
		return install.PowerShell.Line(call)
	case quoted:
		return install.PowerShell.Line(call) + install.AlwaysOK
	case h.Strict:
		return install.InCmd(install.Cmd.Line(call) + install.ElseDeny)
	}
	return install.InCmd(install.Cmd.Line(call) + install.AlwaysOKInCmd)
}
