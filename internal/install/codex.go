package install

import (
	"path/filepath"
	"time"
)

// codexAgent is Codex CLI, as of 0.169.0. Its hooks can stand in config.toml too;
// hooks.json of the same folder adds to them, so the TOML file is never touched.
func codexAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string {
			if s == User {
				return []string{filepath.Join(p.env("CODEX_HOME", filepath.Join(p.Home, ".codex")), "hooks.json")}
			}
			return []string{filepath.Join(p.Root, ".codex", "hooks.json")}
		},
		form:  func(string) form { return form{} },
		wants: func(_ string, h Hook) []want { return codexWants(h) },
		steps: func(s Scope) []string {
			review := "Codex runs a new or changed hook only after you have reviewed it: start codex, enter /hooks, and approve Sentinel's"
			if s == User {
				return []string{review}
			}
			return []string{"Codex runs the hooks of a folder that it trusts: choose to trust this one when codex asks", review}
		},
	}
}

// codexWants: Codex hands every shell tool over as Bash and every edit as
// apply_patch. It counts the timeout in seconds, and lets a call pass when the
// hook fails.
func codexWants(h Hook) []want {
	const matcher = "^(Bash|apply_patch|mcp__.*)$"
	other := h.codexHandler("")
	pre := other
	if h.Strict {
		pre = h.codexHandler(elseDeny)
	}
	return []want{
		inGroup("PreToolUse", matcher, pre),
		inGroup("PostToolUse", matcher, other),
		inGroup("Stop", "", other),
		inGroup("SessionStart", "", other),
		inGroup("SessionEnd", "", h.within(codexEnd).codexHandler("")),
	}
}

// codexEnd is the most that Codex gives a hook at the end of a session. It cuts a
// longer timeout and says so in every session.
const codexEnd = 3 * time.Second

func (h Hook) codexHandler(ending string) object {
	line := h.shell(cmd).line(h.call(0, "--agent", "codex"))
	return object{{"type", `"command"`}, {"command", quote(line + ending)}, {"timeout", h.seconds()}}
}
