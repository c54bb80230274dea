// Package kiro is Kiro CLI 3 and Kiro IDE 1, which read hook files, and Kiro CLI 2,
// which has its hooks in the files of its agents as Amazon Q does. It speaks Amazon Q's
// protocol.
package kiro

import (
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/amazonq"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "kiro"

// Agent is Kiro.
var Agent = wire.Agent{
	Name: Name, Title: "Kiro", Speaks: amazonq.Name,
	Abilities: wire.Abilities{
		Timeout: 60 * time.Second,
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "refuses the call, with a text that says that a person must approve it",
		OnWarn:  "reads it with the next prompt",
	},
	Tools: wire.Tools{
		Write:      []string{"fs_write", "write", "fsWrite", "fsAppend", "strReplace", "deleteFile"},
		Run:        []string{"shell", "executeBash", "executePwsh"},
		Read:       []string{"readFile", "readMultipleFiles"},
		Search:     []string{"grepSearch", "grep"},
		Harmless:   []string{"fileSearch", "listDirectory", "userInput"},
		PowerShell: []string{"executePwsh"},
		Folders:    []wire.ToolKeys{{Tools: []string{"executeBash", "executePwsh"}, Keys: []string{"cwd", "working_dir"}}},
	},
	Settings: install.Settings{Files: files, Form: form, Wants: wants, Before: []string{"PreToolUse", "preToolUse"}, Stop: []string{"Stop", "stop"}, Steps: steps, Windows: install.Cmd},
	Traces: wire.Traces{
		Programs: []string{"kiro-cli", "kiro"}, Paths: []string{".kiro/extensions", "/Applications/Kiro.app"}, Repository: []string{".kiro"}, Processes: []string{"kiro-cli"},
	},
	Starts: wire.Starts{
		Programs: []string{"kiro-cli"},
		Options:  []string{"--trust-all-tools", "-a"},
		Tasks:    []string{"--no-interactive"},
		Changes:  []string{"mcp add*"},
	},
	Trial: trial,
}

func trial(dir, command string) map[string]any {
	return wire.Trial(dir, "preToolUse", "shell", command)
}

func files(p install.Place, s install.Scope) []string {
	kiro := filepath.Join(p.Base(s), ".kiro")
	return append([]string{filepath.Join(kiro, "hooks", amazonq.OwnFile)}, amazonq.JSONFiles(filepath.Join(kiro, "agents"))...)
}

func form(file string) install.Form {
	if ofAgent(file) {
		return amazonq.AgentForm()
	}
	return install.Form{Shape: install.Listed, Head: install.Object{}.With("version", "v1")}
}

func ofAgent(file string) bool { return filepath.Base(filepath.Dir(file)) == "agents" }

func steps(p install.Place, s install.Scope) []install.Step {
	if s == install.Repository {
		return nil
	}
	return []install.Step{{What: "Kiro documents hook files for a workspace only", Do: "run `" + install.ProgramName(p.Program) + " init --agent kiro` in a repository to be sure"}}
}

// wants: in a hook file the matcher is a regular expression over the tool's name, and
// the timeout is in seconds.
func wants(file string, h install.Hook) []install.Want {
	if ofAgent(file) {
		return amazonq.Wants(file, h)
	}
	tools := h.Matching("fs_write|write|fsWrite|fsAppend|strReplace|deleteFile|execute_bash|execute_cmd|shell|executeBash|executePwsh|use_aws",
		"fs_read|read|readFile|readMultipleFiles|grepSearch|grep")
	matcher := install.Pair{Key: "matcher", Value: "^(" + tools + "|@.*)$"}
	want := func(name, trigger, ending string, members ...install.Pair) install.Want {
		action := install.Object{}.With("type", "command").With("command", amazonq.Line(h)+ending)
		o := append(install.Object{}.With("name", "sentinel-"+name).With("trigger", trigger), members...)
		return install.Want{Event: trigger, Item: o.With("action", action).With("timeout", h.Seconds())}
	}
	deny := ""
	if h.Strict {
		deny = install.ElseDeny
	}
	return []install.Want{
		want("pre", "PreToolUse", deny, matcher),
		want("post", "PostToolUse", "", matcher),
		want("stop", "Stop", ""),
		want("start", "SessionStart", ""),
		want("prompt", "UserPromptSubmit", ""),
	}
}
