package doctor

import (
	"encoding/json"
	"path/filepath"
)

// trialEvent is the event that an agent sends before it runs a command in dir,
// with the members by which it is known. docs/agents has them all.
func trialEvent(agent, dir, command string) []byte {
	event := eventOf(agent, dir, command)
	text, err := json.Marshal(event)
	if err != nil {
		return nil // cannot happen: there are texts in it, and numbers
	}
	return text
}

func eventOf(agent, dir, command string) map[string]any {
	const (
		session = "sentinel-doctor"
		at      = "2026-01-01T00:00:00.000Z"
	)
	input := map[string]any{"command": command}
	event := map[string]any{"session_id": session, "cwd": dir, "hook_event_name": "PreToolUse", "tool_use_id": "trial"}
	call := func(tool string) map[string]any {
		event["tool_name"], event["tool_input"] = tool, input
		return event
	}
	switch agent {
	case "copilot":
		return map[string]any{"sessionId": session, "timestamp": int64(1767225600000), "cwd": dir, "toolName": "bash", "toolArgs": input}
	case "vscode":
		event["timestamp"] = at
		event["transcript_path"] = filepath.Join(dir, "GitHub.copilot-chat", "transcripts", "trial.jsonl")
		return call("run_in_terminal")
	case "cursor":
		return map[string]any{
			"conversation_id": session, "generation_id": "trial", "session_id": session, "cursor_version": "2.4.0",
			"hook_event_name": "beforeShellExecution", "workspace_roots": []string{dir}, "command": command, "cwd": dir,
		}
	case "windsurf":
		return map[string]any{
			"agent_action_name": "pre_run_command", "trajectory_id": session, "execution_id": "trial", "timestamp": at,
			"tool_info": map[string]any{"command_line": command, "cwd": dir},
		}
	case "cline":
		return map[string]any{
			"clineVersion": "3.9", "hookName": "PreToolUse", "timestamp": at, "taskId": session, "workspaceRoots": []string{dir},
			"userId": "trial", "preToolUse": map[string]any{"toolName": "execute_command", "parameters": input},
		}
	case "amazonq":
		event["hook_event_name"] = "preToolUse"
		return call("execute_bash")
	case "kiro":
		event["hook_event_name"] = "preToolUse"
		return call("shell")
	case "codex":
		event["turn_id"] = "trial"
		return call("Bash")
	case "gemini":
		event["hook_event_name"], event["timestamp"] = "BeforeTool", at
		return call("run_shell_command")
	case "qwen":
		event["timestamp"] = at
		return call("run_shell_command")
	case "opencode":
		event["hook_event_name"] = "tool.execute.before"
		return call("bash")
	}
	return call("Bash") // Claude Code
}
