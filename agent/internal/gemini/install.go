package gemini

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

func files(p install.Place, s install.Scope) []string {
	return []string{filepath.Join(p.Base(s), ".gemini", "settings.json")}
}

func form(string) install.Form {
	return install.Form{Dialect: install.WithComments, Unit: time.Millisecond}
}

func steps(p install.Place, s install.Scope) []install.Step {
	if s == install.User {
		return nil
	}
	trust := wire.FolderTrust{
		Title: "Gemini CLI", Program: "gemini", Asks: true, Variable: "GEMINI_CLI_TRUST_WORKSPACE",
		File:     p.Env("GEMINI_CLI_TRUSTED_FOLDERS_PATH", p.UnderHome(".gemini", "trustedFolders.json")),
		Settings: append(files(p, install.User), p.Env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", systemFile(p))),
	}
	return trust.Steps(p, p.Root)
}

// off names settings that keep the hook from running.
func off(text []byte) (notes []string) {
	var s struct {
		HooksConfig struct {
			Enabled  *bool
			Disabled []string
		}
	}
	if json.Unmarshal(install.WithoutComments(text), &s) != nil {
		return nil
	}
	if on := s.HooksConfig.Enabled; on != nil && !*on {
		notes = append(notes, `"hooksConfig.enabled" is false in this file: no hook runs, Sentinel's neither`)
	}
	if slices.Contains(s.HooksConfig.Disabled, "sentinel") {
		notes = append(notes, `"hooksConfig.disabled" has "sentinel" in this file: its hook does not run`)
	}
	return notes
}

// systemFile is that of the settings of the whole machine.
func systemFile(p install.Place) string {
	switch p.System() {
	case "darwin":
		return "/Library/Application Support/GeminiCli/settings.json"
	case "windows":
		return `C:\ProgramData\gemini-cli\settings.json`
	}
	return "/etc/gemini-cli/settings.json"
}

// wants: Gemini CLI counts the timeout in milliseconds. It takes any exit status above 1
// for a refusal, so that without the ending every call would be refused where sentinel is
// not installed, and a finished turn would begin again.
func wants(_ string, h install.Hook) []install.Want {
	matcher := "^(" + h.Matching("write_file|replace|run_shell_command", "read_file|read_many_files|grep_search|search_file_content") + "|mcp_.*)$"
	other := handler(h, install.AlwaysOK)
	pre := other
	if h.Strict {
		pre = handler(h, "")
	}
	return []install.Want{
		install.InGroup("BeforeTool", matcher, pre),
		install.InGroup("AfterTool", matcher, other),
		install.InGroup("AfterAgent", "", other),
		install.InGroup("BeforeAgent", "", other),
		install.InGroup("SessionStart", "", other),
		install.InGroup("SessionEnd", "", other),
	}
}

func handler(h install.Hook, ending string) install.Object {
	line := h.Shell(install.PowerShell).Line(h.Call(0, "--agent", Name))
	return install.Object{}.With("name", "sentinel").With("type", "command").With("command", line+ending).With("timeout", h.Millis())
}
