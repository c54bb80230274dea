package codex

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// contextMax is how much context the model is shown, in bytes: Codex reckons with
// four bytes a token and moves a text of more than 2,500 tokens into a file. It can be
// set (additionalContextLimit).
const contextMax = 10_000

// phases has no event for a failed tool: a command that failed is a PostToolUse like
// any other.
var phases = wire.Phases{
	Start: []string{"SessionStart"}, Prompt: []string{"UserPromptSubmit"}, Pre: []string{"PreToolUse"}, Post: []string{"PostToolUse"},
	Stop: []string{"Stop"}, End: []string{"SessionEnd"}, PartStart: []string{"SubagentStart"}, PartStop: []string{"SubagentStop"},
	Permission: []string{"PermissionRequest"},
}

// decode reads one event in Claude Code's form. Every shell tool is called Bash here.
// A patch is the text under command, which alone has its paths.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: phases, Tool: tool}
	return d.Decode(stdin)
}

func tool(in wire.Payload, _ string, ev *sentinel.Event) error {
	if args := wire.Object(ev.Tool.Args); ev.Phase == sentinel.PhasePermission && args.Has("description") {
		delete(args, "description") // why it asks, which the call itself does not have
		ev.Tool.Args = wire.Compact(args)
	}
	if response, ok := in.Get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = wire.OutputUnder(response, "content") // an MCP result
		ev.Tool.Failed = wire.Object(response).IsTrue("isError")
	}
	return nil
}

// encode answers by JSON at exit 0, with keys that Codex knows for that event alone:
// at one key that it does not know, Codex drops the whole answer and the call proceeds.
// Codex takes "ask" and "allow" for mistakes and lets the call proceed, so a question
// becomes a refusal.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	var out wire.Specific
	switch ev.Phase {
	case sentinel.PhasePre:
		out.HookEventName, out.Notice = "PreToolUse", wire.TakeNotice(&d)
		if !wire.Proceeds(d) {
			out.PermissionDecision, out.PermissionDecisionReason = "deny", wire.Denial(d)
		}
	case sentinel.PhasePost:
		out.HookEventName = "PostToolUse"
	case sentinel.PhasePermission:
		return wire.Permission(d)
	case sentinel.PhaseStart:
		out.HookEventName = wire.StartName(ev)
	case sentinel.PhasePrompt:
		out.HookEventName = "UserPromptSubmit"
	case sentinel.PhaseStop: // it accepts no context, and any text would count as a failure
		return wire.Stay(ev, d)
	default:
		return wire.Answer{Kept: d.Context()}
	}
	out.AdditionalContext = wire.ContextWithin(d, contextMax)
	return out.Answer()
}
