package codex

import (
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/install"
)

func home(p install.Place) string { return p.Env("CODEX_HOME", p.UnderHome(".codex")) }

func sessionHomes(p install.Place) []string { return []string{home(p)} }

// files: the hooks can be in config.toml too. hooks.json of the same folder adds to
// them, so the TOML file is never touched.
func files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(home(p), "hooks.json")}
	}
	return []string{filepath.Join(p.Root, ".codex", "hooks.json")}
}

func form(string) install.Form { return install.Form{} }

// endMax is the most that Codex gives a hook at the end of a session. It cuts a longer
// timeout and says so in every session.
const endMax = 3 * time.Second

// wants: Codex hands every shell tool over as Bash and every edit as apply_patch. It
// counts the timeout in seconds, and lets a call pass when the hook fails.
func wants(_ string, h install.Hook) []install.Want {
	matcher := "^(" + h.Matching("Bash|apply_patch", "") + "|mcp__.*)$"
	other := handler(h, "")
	pre := other
	if h.Strict {
		pre = handler(h, install.ElseDeny)
	}
	return []install.Want{
		install.InGroup("PreToolUse", matcher, pre),
		install.InGroup("PermissionRequest", matcher, other),
		install.InGroup("PostToolUse", matcher, other),
		install.InGroup("Stop", "", other),
		install.InGroup("SessionStart", "", other),
		install.InGroup("UserPromptSubmit", "", other),
		install.InGroup("SubagentStart", "", other),
		install.InGroup("SessionEnd", "", handler(h.Within(endMax), "")),
	}
}

func handler(h install.Hook, ending string) install.Object {
	line := h.Shell(install.Cmd).Line(h.Call(0, "--agent", Name))
	return install.Object{}.With("type", "command").With("command", line+ending).With("timeout", h.Seconds())
}
