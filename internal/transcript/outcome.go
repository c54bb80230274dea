package transcript

import "strings"

// shellTool reports whether a tool runs a command and tells its exit code in the
// text it returns.
func shellTool(name string) bool {
	switch name {
	case "run_shell_command", "bash", "powershell", "run_in_terminal", "shell", "Bash":
		return true
	}
	return false
}

// exitCode finds the exit code in the end of an output as Gemini CLI and Qwen
// ("Exit Code: 1") and Copilot CLI ("<shellId: 0 completed with exit code 1>")
// write it. The last one counts: earlier ones are output of the command.
func exitCode(tail string) (code string, ok bool) {
	for _, mark := range []string{"Exit Code: ", "completed with exit code "} {
		if i := strings.LastIndex(tail, mark); i >= 0 {
			rest := tail[i+len(mark):]
			end := 0
			for end < len(rest) && (rest[end] == '-' || '0' <= rest[end] && rest[end] <= '9') {
				end++
			}
			if end > 0 {
				return rest[:end], true
			}
		}
	}
	return "", false
}

// refusal reports whether an output is an agent's fixed wording for a call that a hook
// or the user refused.
func refusal(text string) bool {
	return ours(text) || begins(text,
		"Denied by preToolUse hook", "The user rejected this tool call", // Copilot CLI
		"Command blocked by PreToolUse hook", "Tool call blocked by PreToolUse hook", "patch rejected", "exec command rejected", "aborted by user", // Codex
		"Tool execution blocked:", "[Operation Cancelled]", // Gemini CLI, Qwen
	)
}
