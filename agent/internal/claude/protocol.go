package claude

import (
	"encoding/json"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// Phases are the phases of Claude Code's events, whose names other agents took over.
var Phases = wire.Phases{
	Start: []string{"SessionStart"}, Prompt: []string{"UserPromptSubmit"},
	Pre: []string{"PreToolUse"}, Post: []string{"PostToolUse", "PostToolUseFailure"},
	Stop: []string{"Stop"}, End: []string{"SessionEnd"}, PartStart: []string{"SubagentStart"}, PartStop: []string{"SubagentStop"},
	Change: []string{"ConfigChange", "FileChanged"}, Permission: []string{"PermissionRequest"},
}

// decode reads one event. An event that is neither about a tool nor about the course
// of a session has PhaseUnknown; the answer to it is silence.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: Phases, Before: scheduled, Tool: tool}
	return d.Decode(stdin)
}

// scheduled marks the end of a turn in whose session prompts wait that the agent has
// written itself (CronCreate, ScheduleWakeup): they come as if a user had sent them.
func scheduled(in wire.Payload) wire.Payload {
	in = named(in)
	var crons []json.RawMessage
	if raw, ok := in["session_crons"]; ok && (json.Unmarshal(raw, &crons) != nil || len(crons) > 0) {
		in["source"] = json.RawMessage(`"` + sentinel.SourceScheduled + `"`)
	}
	return in
}

// named names an event that is a tool call and nothing else: one before the tool, as
// scripts send it that were written for the Python Sentinel.
func named(in wire.Payload) wire.Payload {
	if in.Has("tool_name") && in.Has("tool_input") && in.Within("tool_name", "tool_input", "tool_use_id", "session_id", "transcript_path", "cwd") {
		in["hook_event_name"] = []byte(`"PreToolUse"`)
	}
	return in
}

func tool(in wire.Payload, event string, ev *sentinel.Event) error {
	if event == "PostToolUse" {
		raw, ok := in.Get("tool_response")
		if ok {
			ev.Tool.Output = wire.Output(raw)
		}
		ev.Tool.Result, ev.Tool.Task = result(wire.Object(raw))
	}
	return wire.Failure(in, event, ev)
}

// result is that of a command whose exit status was 0, unless it was not waited for.
func result(response wire.Payload) (came sentinel.Result, task string) {
	if task, _ = response.Text("backgroundTaskId"); task != "" {
		return sentinel.ResultRunning, task
	}
	return wire.Went(response.IsTrue("interrupted")), ""
}

// A refusal keeps changed settings from being taken over.
type refusal struct {
	Decision      string `json:"decision"`
	Reason        string `json:"reason"`
	SystemMessage string `json:"systemMessage"`
}

// encode answers by JSON or nothing at exit 0. It never says "allow", which would skip the
// user's own permission prompt.
//
// Claude Code puts the hook's command line before a reason that comes with exit 2, and not
// before one in JSON. Its calls have an id and a transcript. An event without them is of a
// script or an agent that speaks this protocol, and all of those understand exit 2.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	out := wire.Specific{Notice: wire.TakeNotice(&d)}
	switch ev.Phase {
	case sentinel.PhasePre:
		if itself := ev.Transcript != "" && ev.Tool.ID != ""; !itself && !wire.Proceeds(d) && d.Verdict != sentinel.VerdictAsk {
			return wire.Refusal(d)
		}
		out.HookEventName, out.AdditionalContext = "PreToolUse", wire.Context(d)
		out.Judge(d)
	case sentinel.PhasePost:
		out.HookEventName, out.AdditionalContext = wire.PostName(ev), wire.Context(d)
	case sentinel.PhasePermission:
		return wire.Permission(d)
	case sentinel.PhaseStart:
		out.HookEventName, out.AdditionalContext, out.WatchPaths = wire.StartName(ev), wire.Context(d), d.Watch
	case sentinel.PhaseChange:
		if !wire.Proceeds(d) { // the settings that it had stay in force
			return wire.JSON(refusal{"block", wire.Denial(d), wire.Denial(d)})
		}
	case sentinel.PhasePrompt:
	case sentinel.PhaseStop:
		if wire.Stays(ev, d) {
			return wire.Stay(ev, d)
		}
	default:
		return wire.Answer{}
	}
	return out.Answer()
}
