package hook

import (
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// copilot is the command hook of GitHub Copilot CLI, as of version 1.0.102. How
// the event is spelt in the hook file chooses one of two dialects: preToolUse is
// told in camelCase and by Copilot's own tool names, PreToolUse in snake_case and
// by those of Claude Code. The arguments have Copilot's keys in both.
type copilot struct{}

// copilotContextMax is how much context a hook may give, in bytes; of more Copilot
// CLI keeps the beginning only.
const copilotContextMax = 10_000

// copilotFields are the names that one dialect has for the same fields.
type copilotFields struct{ session, transcript, tool, args, result, text, kind string }

func copilotDialect(in payload) copilotFields {
	if in.has("hook_event_name") {
		return copilotFields{"session_id", "transcript_path", "tool_name", "tool_input", "tool_result", "text_result_for_llm", "result_type"}
	}
	return copilotFields{"sessionId", "transcriptPath", "toolName", "toolArgs", "toolResult", "textResultForLlm", "resultType"}
}

// Name returns "copilot".
func (copilot) Name() string { return "copilot" }

// timeout is 30 seconds (timeoutSec in Copilot CLI's reference of hooks).
func (copilot) timeout(sentinel.Phase) time.Duration { return 30 * time.Second }

// Decode reads one event of either dialect.
func (copilot) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Agent: "copilot"}
	if ev.Phase, err = copilotPhase(in); err != nil {
		return sentinel.Event{}, err
	}
	fields := copilotDialect(in)
	if ev.Session, err = in.text(fields.session); err != nil {
		return sentinel.Event{}, err
	}
	ev.Source, ev.Prompt = spoken(in)
	if ev.Transcript, err = in.text(fields.transcript); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Dir, err = in.dir("cwd"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Phase == sentinel.PhasePre || ev.Phase == sentinel.PhasePost {
		ev.Tool, err = copilotTool(in, fields, ev.Phase)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

// copilotPhase reads the event's name or, in the camelCase dialect, which sends
// none, tells it from the fields that only that event has.
func copilotPhase(in payload) (sentinel.Phase, error) {
	switch {
	case in.has("hook_event_name"):
		name, err := in.need("hook_event_name")
		return copilotEvent(name), err
	case !in.has("sessionId", "toolName", "toolArgs"):
		return sentinel.PhaseUnknown, eventError("there is neither hook_event_name nor sessionId")
	case in.has("hookName"): // a request for permission, which comes beside preToolUse
		return sentinel.PhaseUnknown, nil
	case in.has("toolName", "toolArgs"):
		if _, failed := in.get("error"); failed || in.has("toolResult") {
			return sentinel.PhasePost, nil
		}
		return sentinel.PhasePre, nil
	case in.has("stopReason", "stop_hook_active", "response"):
		return sentinel.PhaseStop, nil
	case in.has("source", "initialPrompt"):
		return sentinel.PhaseStart, nil
	case in.has("prompt"):
		return sentinel.PhasePrompt, nil
	case in.has("reason"):
		return sentinel.PhaseEnd, nil
	}
	return sentinel.PhaseUnknown, nil
}

func copilotEvent(name string) sentinel.Phase {
	switch name {
	case "preToolUse":
		return sentinel.PhasePre
	case "postToolUse", "postToolUseFailure":
		return sentinel.PhasePost
	case "agentStop", "subagentStop":
		return sentinel.PhaseStop
	case "sessionStart":
		return sentinel.PhaseStart
	case "sessionEnd":
		return sentinel.PhaseEnd
	case "userPromptSubmitted":
		return sentinel.PhasePrompt
	}
	return claudePhase(name)
}

func copilotTool(in payload, fields copilotFields, phase sentinel.Phase) (tool sentinel.ToolCall, err error) {
	if tool.Name, err = in.need(fields.tool); err != nil {
		return tool, err
	}
	if tool.Args, err = in.args(fields.args); err != nil {
		return tool, err
	}
	tool.Args = jsonInText(tool.Args)
	if tool.Name == "Edit" && object(tool.Args).has("command") {
		// Edit stands for several tools. Of these one also views and creates, and
		// says in "command" which; under Claude's name nobody would look there.
		tool.Name = "str_replace_editor"
	}
	if phase == sentinel.PhasePost {
		tool.Output, tool.Failed = copilotResult(in, fields)
	}
	return tool, nil
}

// copilotResult reads what a tool returned. A command that fails is a success of
// the tool; its exit code stands in the last line of the text.
func copilotResult(in payload, fields copilotFields) (output string, failed bool) {
	if raw, ok := in.get("error"); ok {
		return outputUnder(raw, "message"), true
	}
	raw, ok := in.get(fields.result)
	if !ok {
		return "", false
	}
	output = outputUnder(raw, fields.text)
	kind, _ := object(raw).text(fields.kind)
	return output, kind != "" && kind != "success" || copilotExitCode(output)
}

// copilotExitCode reports whether text ends as in <shellId: 0 completed with exit
// code 1>, with any code but 0.
func copilotExitCode(text string) bool {
	text = strings.TrimRight(text, "\r\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	_, code, ok := strings.Cut(last, " exit code ")
	return ok && strings.HasPrefix(last, "<") && strings.HasSuffix(code, ">") && code != "0>"
}

// copilotOut is an answer. Both dialects read these keys at the top level; what
// stands in hookSpecificOutput is read in one of them only.
type copilotOut struct {
	PermissionDecision       string `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"`
}

// Encode answers by JSON at exit 0: at every other exit code Copilot CLI denies
// the call and drops the reason. Where it has nobody to ask, a question is a
// refusal.
func (copilot) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	out := copilotOut{AdditionalContext: cutBytes(labelled(d.Context()), copilotContextMax)}
	switch ev.Phase {
	case sentinel.PhasePre:
		switch {
		case proceeds(d):
		case d.Verdict == sentinel.VerdictAsk:
			out.PermissionDecision, out.PermissionDecisionReason = "ask", question(d)
		default:
			out.PermissionDecision, out.PermissionDecisionReason = "deny", denial(d)
		}
	case sentinel.PhasePost, sentinel.PhaseStart, sentinel.PhasePrompt:
	default:
		return Answer{Kept: d.Context()}
	}
	if out == (copilotOut{}) {
		return Answer{}
	}
	return stdoutJSON(out)
}

// marks knows the spelling of the fields that a tool call has in the camelCase
// dialect.
func (copilot) marks(in payload) bool {
	return in.has("sessionId") && in.has("toolName") && !in.has("hook_event_name", "clineVersion", "cursor_version", "agent_action_name")
}

// sends also knows the camelCase events without a tool, by the time in
// milliseconds, and the PascalCase events by what they lack: the call's id, which
// VS Code sends, and outside of Stop the transcript.
func (c copilot) sends(in payload) bool {
	if c.marks(in) {
		return true
	}
	if in.has("clineVersion", "cursor_version", "conversation_id", "agent_action_name", "turn_id", "permission_mode", "hookEventName") {
		return false
	}
	stamp, ok := in.get("timestamp")
	if !ok {
		return false
	}
	if !in.has("hook_event_name") {
		return in.has("sessionId") && kind(stamp) == "a number"
	}
	if !pascalCase(in) || stamp[0] != '"' || in.has("tool_use_id") {
		return false
	}
	switch name, _ := in.text("hook_event_name"); name {
	case "Stop", "SubagentStop":
		return in.has("stop_reason", "agent_name")
	}
	return !in.has("transcript_path")
}
