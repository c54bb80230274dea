package install

import "path/filepath"

// cursorAgent is Cursor. What is known of its hooks was read in the executor of
// its SDK 1.0.32 and in its documentation; the editor itself is closed.
func cursorAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string { return []string{filepath.Join(p.base(s), ".cursor", "hooks.json")} },
		form:  func(string) form { return form{shape: flat, head: object{{"version", "1"}}} },
		wants: func(_ string, h Hook) []want { return cursorWants(h) },
	}
}

// cursorWants: shell commands and MCP calls come through events of their own, in
// which Cursor can ask its user and names the server; preToolUse is for the tools
// that write and delete. The matcher is a regular expression that may match
// anywhere; the events for shell and MCP have none, since each is one kind of
// tool.
func cursorWants(h Hook) []want {
	const writes = "Write|Edit|StrReplace|TabWrite|ApplyPatch|Delete|edit_file|search_replace|edit_notebook|delete_file|WriteShellStdin"
	before, after := writes, writes+"|Shell|MCP:.*"
	if h.Reads {
		before, after = before+"|Read|read_file", after+"|Read|read_file"
	}
	pre := func(event string, members ...pair) want {
		o := h.cursorHandler(members...)
		if h.Strict {
			o = append(o, pair{"failClosed", "true"})
		}
		return want{event, o}
	}
	matching := func(tools string) pair { return pair{"matcher", quote("^(" + tools + ")$")} }
	return []want{
		pre("preToolUse", matching(before)),
		pre("beforeShellExecution"),
		pre("beforeMCPExecution"),
		{"postToolUse", h.cursorHandler(matching(after))},
		{"postToolUseFailure", h.cursorHandler(matching(after))},
		{"stop", h.cursorHandler()},
		{"sessionStart", h.cursorHandler()},
		{"sessionEnd", h.cursorHandler()},
		{"beforeSubmitPrompt", h.cursorHandler()},
	}
}

// cursorHandler: Cursor counts the timeout in seconds.
func (h Hook) cursorHandler(members ...pair) object {
	line := h.shell(powershell).line(h.call(0, "--agent", "cursor"))
	o := append(object{{"command", quote(line)}}, members...)
	return append(o, pair{"timeout", h.seconds()})
}
