package wire

// The values of a trial event.
const (
	TrialSession = "sentinel-doctor"
	TrialTime    = "2026-01-01T00:00:00.000Z"
)

// Trial is an event in the common form that announces a shell command.
func Trial(dir, event, tool, command string) map[string]any {
	return map[string]any{
		"session_id": TrialSession, "cwd": dir, "hook_event_name": event, "tool_use_id": "trial",
		"tool_name": tool, "tool_input": map[string]any{"command": command},
	}
}
