package install

import "path/filepath"

// windsurfAgent is Cascade, the agent of Windsurf (now Devin Desktop).
func windsurfAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string {
			if s == User {
				return []string{filepath.Join(p.Home, ".codeium", "windsurf", "hooks.json")}
			}
			return []string{filepath.Join(p.Root, ".windsurf", "hooks.json")}
		},
		form:  func(string) form { return form{shape: flat} },
		wants: func(_ string, h Hook) []want { return windsurfWants(h) },
	}
}

// windsurfWants: Cascade has an event for each kind of tool in place of a
// matcher. Its end of a turn hands the transcript over; nothing can be blocked
// there. What the person writes comes through an event of its own, which tells
// sessions apart and is kept with them.
func windsurfWants(h Hook) []want {
	kinds := []string{"write_code", "run_command", "mcp_tool_use"}
	if h.Reads {
		kinds = append(kinds, "read_code")
	}
	var all []want
	for _, kind := range kinds {
		all = append(all, want{"pre_" + kind, h.windsurfHandler(h.Strict)})
	}
	for _, kind := range kinds {
		all = append(all, want{"post_" + kind, h.windsurfHandler(false)})
	}
	return append(all,
		want{"post_cascade_response_with_transcript", h.windsurfHandler(false)},
		want{"pre_user_prompt", h.windsurfHandler(false)})
}

// windsurfHandler: there is no timeout to set, and how long Cascade waits is not
// documented, so the deadline is never longer than the usual one. Only exit
// status 2 stops a call.
func (h Hook) windsurfHandler(strict bool) object {
	line := func(goos string, s shell) string {
		return s.line(h.on(goos).call(DefaultTimeout, "--agent", "windsurf"))
	}
	unix, windows := "", sameStatus
	if strict {
		unix, windows = posix.elseDeny(), powershell.elseDeny()
	}
	return object{
		{"command", quote(line("linux", posix) + unix)},
		{"powershell", quote(line("windows", powershell) + windows)},
	}
}
