package hook

import (
	"time"

	"github.com/agentsentinel/sentinel"
)

// vscode is the command hook of the Local agent of GitHub Copilot in VS Code, as
// of autumn 2026. Its newer Copilot sessions run Copilot CLI and speak copilot's
// protocol.
type vscode struct{}

// Name returns "vscode".
func (vscode) Name() string { return "vscode" }

// timeout is 30 seconds (hookSchema.ts in VS Code).
func (vscode) timeout(sentinel.Phase) time.Duration { return 30 * time.Second }

// Decode reads one event. The program sends hook_event_name and session_id; its
// documentation shows hookEventName and sessionId. Both are understood.
func (vscode) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	in = in.renamed("hookEventName", "hook_event_name").renamed("sessionId", "session_id")
	ev, name, err := common(in, "vscode")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Phase = claudePhase(name)
	if ev.Phase != sentinel.PhasePre && ev.Phase != sentinel.PhasePost {
		return ev, nil
	}
	if ev.Tool, err = calledTool(in); err != nil {
		return sentinel.Event{}, err
	}
	if response, ok := in.get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = claudeOutput(response)
	}
	return ev, nil
}

// Encode answers by JSON at exit 0. VS Code reads hookSpecificOutput alone before
// a tool, and drops it when it names another event.
func (vscode) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	var out claudeOut
	switch ev.Phase {
	case sentinel.PhasePre:
		out.HookEventName = "PreToolUse"
		switch {
		case proceeds(d):
		case d.Verdict == sentinel.VerdictAsk:
			out.PermissionDecision, out.PermissionDecisionReason = "ask", question(d)
		default:
			out.PermissionDecision, out.PermissionDecisionReason = "deny", denial(d)
		}
	case sentinel.PhasePost:
		out.HookEventName = "PostToolUse"
	case sentinel.PhaseStart:
		out.HookEventName = "SessionStart"
	case sentinel.PhasePrompt:
		out.HookEventName = "UserPromptSubmit"
	default:
		return Answer{Kept: d.Context()}
	}
	out.notice = takeNotice(&d)
	out.AdditionalContext = join(d.Context())
	return claudeJSON(out)
}

// sends knows the events that carry the time: those about a tool by the call's
// id, which Copilot CLI does not send, Stop by the missing stop_reason, and the
// others by the transcript. permission_mode is what the agents send that follow
// Claude Code more closely.
func (vscode) sends(in payload) bool {
	if in.has("cursor_version", "conversation_id", "agent_action_name", "hookName", "toolName", "turn_id", "permission_mode") {
		return false
	}
	if stamp, ok := in.get("timestamp"); !ok || stamp[0] != '"' {
		return false
	}
	if in.has("hookEventName") {
		return !in.has("hook_event_name")
	}
	if !pascalCase(in) || (gemini{}).marks(in) || (qwen{}).marks(in) || (codex{}).marks(in) {
		return false
	}
	switch name, _ := in.text("hook_event_name"); name {
	case "PreToolUse", "PostToolUse":
		return in.has("tool_use_id")
	case "Stop", "SubagentStop":
		return !in.has("stop_reason", "agent_name")
	case "SessionEnd":
		return false // VS Code has no such event
	}
	return in.has("transcript_path")
}
