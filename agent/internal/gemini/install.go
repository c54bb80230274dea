package gemini

import (
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/install"
)

func files(p install.Place, s install.Scope) []string {
	return []string{filepath.Join(p.Base(s), ".gemini", "settings.json")}
}

func form(string) install.Form {
	return install.Form{Dialect: install.WithComments, Unit: time.Millisecond}
}

func steps(s install.Scope) []string {
	if s == install.User {
		return nil
	}
	return []string{"Gemini CLI runs the hooks of a folder that it trusts: choose to trust this one when gemini asks"}
}

// wants: Gemini CLI counts the timeout in milliseconds. It takes any exit status above 1
// for a refusal, so that without the ending every call would be refused where sentinel is
// not installed, and a finished turn would begin again.
func wants(_ string, h install.Hook) []install.Want {
	matcher := "^(" + h.Matching("write_file|replace|run_shell_command", "read_file|read_many_files") + "|mcp_.*)$"
	other := handler(h, install.AlwaysOK)
	pre := other
	if h.Strict {
		pre = handler(h, "")
	}
	return []install.Want{
		install.InGroup("BeforeTool", matcher, pre),
		install.InGroup("AfterTool", matcher, other),
		install.InGroup("AfterAgent", "", other),
		install.InGroup("SessionStart", "", other),
		install.InGroup("SessionEnd", "", other),
	}
}

func handler(h install.Hook, ending string) install.Object {
	line := h.Shell(install.PowerShell).Line(h.Call(0, "--agent", Name))
	return install.Object{}.With("name", "sentinel").With("type", "command").With("command", line+ending).With("timeout", h.Millis())
}
