package vscode

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/claude"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// decode reads one event. The program sends hook_event_name and session_id; its
// documentation shows hookEventName and sessionId. Both are understood.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: claude.Phases, Before: fields, Tool: tool}
	return d.Decode(stdin)
}

func fields(in wire.Payload) wire.Payload {
	return in.Renamed("hookEventName", "hook_event_name").Renamed("sessionId", "session_id")
}

func tool(in wire.Payload, _ string, ev *sentinel.Event) error {
	if response, ok := in.Get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = wire.Output(response)
	}
	return nil
}

// encode answers by JSON at exit 0. VS Code reads hookSpecificOutput alone before
// a tool, and drops it when it names another event.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	var out wire.Specific
	switch ev.Phase {
	case sentinel.PhasePre:
		out.HookEventName = "PreToolUse"
		out.Judge(d)
	case sentinel.PhasePost:
		out.HookEventName = "PostToolUse"
	case sentinel.PhaseStart:
		out.HookEventName = wire.StartName(ev)
	case sentinel.PhasePrompt:
		out.HookEventName = "UserPromptSubmit"
	case sentinel.PhaseStop:
		out.HookEventName = "Stop"
		out.Stay(ev, d)
		return out.Answer().Keeping(d)
	default:
		return wire.Answer{Kept: d.Context()}
	}
	out.Notice = wire.TakeNotice(&d)
	out.AdditionalContext = wire.Context(d)
	return out.Answer()
}
