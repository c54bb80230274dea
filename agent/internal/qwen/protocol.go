package qwen

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/claude"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// decode reads one event. Qwen Code repeats UserPromptSubmit with an empty prompt after
// every tool call; a repeated one is not a user's prompt and has PhaseUnknown.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: claude.Phases, Before: fields, Tool: tool}
	return d.Decode(stdin)
}

func fields(in wire.Payload) wire.Payload {
	if name, _ := in.Text("hook_event_name"); claude.Phases.Of(name) == sentinel.PhasePrompt && string(in["prompt"]) == `""` {
		in["hook_event_name"] = []byte(`"repeated prompt"`)
	}
	return in
}

func tool(in wire.Payload, event string, ev *sentinel.Event) error {
	if response, ok := in.Get("tool_response"); ok && event == "PostToolUse" {
		ev.Tool.Output = wire.OutputUnder(response, "llmContent")
		ev.Tool.Result = results.Of(ev.Tool.Output)
	}
	return wire.Failure(in, event, ev)
}

// results: a command that a signal ended may have the exit code 0.
var results = wire.Results{
	Begins:  []string{"Command: "},
	Stopped: []string{"Command timed out", "Command was cancelled by user"},
	Running: []string{"Background shell "},
	Lines: []wire.ResultLine{
		{Key: "Error: ", Good: []string{"(none)"}}, {Key: "Exit Code: ", Good: []string{"0"}}, {Key: "Signal: ", Good: []string{"0", "(none)"}},
		{Key: "Background PIDs: ", Good: []string{"*"}, May: true}, {Key: "Process Group PGID: ", Good: []string{"*"}},
	},
	Before: [][2]string{{"Tool output was too large and has been truncated.", "\nTruncated part of the output:\n"}},
	Behind: []string{"\n\nNote: this foreground command ran for "},
}

// encode answers by JSON at exit 0. Qwen Code drops all context before a tool: a denial has
// it in its text, and any other answer leaves it to the next event. It asks its user; without a user it refuses the call.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	out := wire.Specific{AdditionalContext: wire.Context(d)}
	switch ev.Phase {
	case sentinel.PhasePre:
		out = wire.Specific{HookEventName: "PreToolUse"}
		out.Judge(d)
		if out.PermissionDecision == "deny" {
			out.PermissionDecisionReason = wire.WholeDenial(d)
			return out.Answer()
		}
		return out.Answer().Keeping(d)
	case sentinel.PhasePost:
		out.HookEventName = wire.PostName(ev)
	case sentinel.PhasePermission:
		return wire.Permission(d)
	case sentinel.PhaseStart:
		out.HookEventName = wire.StartName(ev)
	case sentinel.PhasePrompt:
		out.HookEventName = "UserPromptSubmit"
	case sentinel.PhaseStop:
		return wire.Stay(ev, d)
	default:
		return wire.Answer{Kept: d.Context()}
	}
	return out.Answer()
}
