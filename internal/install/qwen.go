package install

// qwenAgent is Qwen Code, as of 0.15.10: Claude Code's events, Gemini CLI's tools
// and settings. It brings settings without its version up to date, which rewrites
// the file and leaves the old one beside it, so a new file has one.
func qwenAgent() agent {
	return agent{
		files: settingsIn(".qwen"),
		form:  func(string) form { return form{dialect: withComments, born: object{{"$version", "4"}}} },
		wants: func(_ string, h Hook) []want { return qwenWants(h) },
	}
}

// qwenWants: Qwen Code counts the timeout in milliseconds, refuses a call at exit
// status 2, and lets it pass at any other.
func qwenWants(h Hook) []want {
	tools := "write_file|edit|replace|run_shell_command"
	if h.Reads {
		tools += "|read_file|read_many_files"
	}
	matcher := "^(" + tools + "|mcp__.*)$"
	sh := h.shell(powershell)
	handler := func(ending string) object {
		line := sh.line(h.call(0, "--agent", "qwen"))
		return object{{"name", `"sentinel"`}, {"type", `"command"`}, {"command", quote(line + ending)}, {"timeout", h.millis()}}
	}
	ordinary := ""
	if sh == powershell {
		ordinary = sameStatus
	}
	other := handler(ordinary)
	pre := other
	if h.Strict {
		pre = handler(sh.elseDeny())
	}
	return []want{
		inGroup("PreToolUse", matcher, pre),
		inGroup("PostToolUse", matcher, other),
		inGroup("PostToolUseFailure", matcher, other),
		inGroup("Stop", "", other),
		inGroup("SessionStart", "", other),
		inGroup("SessionEnd", "", other),
	}
}
