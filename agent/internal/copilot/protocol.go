package copilot

import (
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// contextMax is how much context a hook may give, in bytes. Copilot CLI keeps the
// beginning of a longer text only.
const contextMax = 10_000

// fields are the names that one dialect has for the same fields.
type fields struct{ session, parent, transcript, tool, args, result, text, kind string }

func dialect(in wire.Payload) fields {
	if in.Has("hook_event_name") {
		return fields{"session_id", "parent_agent_id", "transcript_path", "tool_name", "tool_input", "tool_result", "text_result_for_llm", "result_type"}
	}
	return fields{"sessionId", "parentAgentId", "transcriptPath", "toolName", "toolArgs", "toolResult", "textResultForLlm", "resultType"}
}

// decode reads one event. Its spelling in the hook file chooses one of two dialects:
// preToolUse comes in camelCase and with Copilot's own tool names, PreToolUse in
// snake_case and with those of Claude Code. The arguments have Copilot's keys in both.
func decode(stdin []byte) (sentinel.Event, error) {
	in, err := wire.Parse(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Agent: Name}
	if ev.Phase, err = phase(in); err != nil {
		return sentinel.Event{}, err
	}
	ev.Part = ev.Phase == sentinel.PhaseStop && in.Has("agentName", "agent_name", "response")
	fields := dialect(in)
	if ev.Session, err = in.Text(fields.session); err != nil {
		return sentinel.Event{}, err
	}
	// A subagent has a session of its own in events, and none in the transcript.
	if parent, _ := in.Text(fields.parent); parent != "" {
		ev.Session, ev.Part = parent, ev.Phase == sentinel.PhaseStop
	}
	ev.Source, ev.Prompt = wire.Spoken(in)
	if ev.Transcript, err = in.Text(fields.transcript); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Dir, err = in.Dir("cwd"); err != nil {
		return sentinel.Event{}, err
	}
	if wire.AboutTool(ev.Phase) {
		ev.Tool, err = tool(in, fields, ev.Phase)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

// phases has the names of both dialects.
var phases = wire.Phases{
	Start: []string{"sessionStart", "SessionStart"}, Prompt: []string{"userPromptSubmitted", "UserPromptSubmit"},
	Pre: []string{"preToolUse", "PreToolUse"}, Post: []string{"postToolUse", "postToolUseFailure", "PostToolUse", "PostToolUseFailure"},
	Stop: []string{"agentStop", "Stop"}, End: []string{"sessionEnd", "SessionEnd"}, PartStop: []string{"subagentStop", "SubagentStop"},
}

// phase reads the event's name or, in the camelCase dialect, which sends
// none, tells it from the fields that only that event has.
func phase(in wire.Payload) (sentinel.Phase, error) {
	switch {
	case in.Has("hook_event_name"):
		name, err := in.Need("hook_event_name")
		return phases.Of(name), err
	case !in.Has("sessionId", "toolName", "toolArgs"):
		return sentinel.PhaseUnknown, wire.EventError("there is neither hook_event_name nor sessionId")
	case in.Has("hookName"): // a request for permission, which comes with preToolUse
		return sentinel.PhaseUnknown, nil
	case in.Has("toolName", "toolArgs"):
		if _, failed := in.Get("error"); failed || in.Has("toolResult") {
			return sentinel.PhasePost, nil
		}
		return sentinel.PhasePre, nil
	case in.Has("stopReason", "stop_hook_active", "response"):
		return sentinel.PhaseStop, nil
	case in.Has("source", "initialPrompt"):
		return sentinel.PhaseStart, nil
	case in.Has("prompt"):
		return sentinel.PhasePrompt, nil
	case in.Has("reason"):
		return sentinel.PhaseEnd, nil
	}
	return sentinel.PhaseUnknown, nil
}

func tool(in wire.Payload, fields fields, phase sentinel.Phase) (tool sentinel.ToolCall, err error) {
	if tool.Name, err = in.Need(fields.tool); err != nil {
		return tool, err
	}
	if tool.Args, err = in.Args(fields.args); err != nil {
		return tool, err
	}
	tool.Args = wire.JSONInText(tool.Args)
	if tool.Name == "Edit" && wire.Object(tool.Args).Has("command") {
		// Several tools are called Edit. One of them also views and creates, and says
		// so in "command", a key that no rule about Claude's Edit looks at.
		tool.Name = "str_replace_editor"
	}
	if phase == sentinel.PhasePost {
		tool.Output, tool.Result = result(in, fields)
		tool.Failed = tool.Result == sentinel.ResultFailed
		tool.Task = task(&tool)
	}
	return tool, nil
}

// result reads what a tool returned. A command that fails is a success of the tool.
func result(in wire.Payload, fields fields) (output string, result sentinel.Result) {
	if raw, ok := in.Get("error"); ok {
		return wire.OutputUnder(raw, "message"), sentinel.ResultFailed
	}
	raw, ok := in.Get(fields.result)
	if !ok {
		return "", sentinel.ResultUnknown
	}
	output = wire.OutputUnder(raw, fields.text)
	if kind, _ := wire.Object(raw).Text(fields.kind); kind != "" && kind != "success" {
		return output, sentinel.ResultFailed
	}
	return output, results.Of(output)
}

// task is the shell of a command that goes on, or that a tool has waited for.
func task(tool *sentinel.ToolCall) (id string) {
	if shell, _ := wire.Object(tool.Args).Text("shellId"); shell != "" && strings.HasPrefix(tool.Name, "read_") {
		return shell
	}
	if tool.Result == sentinel.ResultRunning {
		_, id, _ = strings.Cut(tool.Output[strings.LastIndex(tool.Output, "<command ")+1:], "shellId: ")
		id = id[:max(strings.IndexAny(id, " >,"), 0)]
	}
	return id
}

// results: the last line has the exit code, if the command has ended.
var results = wire.Results{
	Running: []string{"<command "},
	Lines:   []wire.ResultLine{{Key: "<", Good: []string{"* exit code 0>"}}},
	Else:    sentinel.ResultRunning,
}

// reply is an answer. Both dialects read these keys at the top level; only one of them
// reads hookSpecificOutput.
type reply struct {
	PermissionDecision       string `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"`
}

// encode answers by JSON at exit 0: at every other exit code Copilot CLI denies
// the call and drops the reason. Where it has no user to ask, a question is a
// refusal.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	out := reply{AdditionalContext: wire.ContextWithin(d, contextMax)}
	switch ev.Phase {
	case sentinel.PhasePre:
		switch {
		case wire.Proceeds(d):
		case d.Verdict == sentinel.VerdictAsk:
			out.PermissionDecision, out.PermissionDecisionReason = "ask", wire.Question(d)
		default:
			out.PermissionDecision, out.PermissionDecisionReason = "deny", wire.Denial(d)
		}
	case sentinel.PhasePost, sentinel.PhaseStart, sentinel.PhasePrompt:
	case sentinel.PhaseStop:
		return wire.Stay(ev, d)
	default:
		return wire.Answer{Kept: d.Context()}
	}
	if out == (reply{}) {
		return wire.Answer{}
	}
	return wire.JSON(out)
}
