package hook

import (
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// qwen is the command hook of Qwen Code, as of version 0.15.10: Claude Code's
// events and answers, with the tool names and results of Gemini CLI.
type qwen struct{}

// Name returns "qwen".
func (qwen) Name() string { return "qwen" }

// timeout is 60 seconds (DEFAULT_HOOK_TIMEOUT as built into version 0.15.10).
func (qwen) timeout(sentinel.Phase) time.Duration { return 60 * time.Second }

// Decode reads one event. Qwen Code repeats UserPromptSubmit with an empty
// prompt after every tool call; such a one is no prompt of a person and has
// PhaseUnknown.
func (qwen) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev, name, err := common(in, "qwen")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Phase = claudePhase(name)
	switch ev.Phase {
	case sentinel.PhasePrompt:
		if string(in["prompt"]) == `""` {
			ev.Phase = sentinel.PhaseUnknown
		}
	case sentinel.PhasePre, sentinel.PhasePost:
		ev.Tool, err = qwenTool(in, name)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

func qwenTool(in payload, event string) (sentinel.ToolCall, error) {
	tool, err := calledTool(in)
	if err != nil {
		return tool, err
	}
	switch event {
	case "PostToolUse":
		if response, ok := in.get("tool_response"); ok {
			tool.Output = outputUnder(response, "llmContent")
		}
	case "PostToolUseFailure":
		tool.Failed = true
		tool.Output, err = in.text("error")
	}
	return tool, err
}

// Encode answers by JSON at exit 0. Before a tool Qwen Code drops all context,
// which is kept for the event after it. It asks its user where there is one, and
// refuses the call where there is none.
func (qwen) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	out := claudeOut{AdditionalContext: join(d.Context())}
	switch ev.Phase {
	case sentinel.PhasePre:
		return qwenPre(d)
	case sentinel.PhasePost:
		out.HookEventName = "PostToolUse"
		if ev.Tool.Failed {
			out.HookEventName = "PostToolUseFailure"
		}
	case sentinel.PhaseStart:
		out.HookEventName = "SessionStart"
	case sentinel.PhasePrompt:
		out.HookEventName = "UserPromptSubmit"
	default:
		return Answer{Kept: d.Context()}
	}
	return claudeJSON(out)
}

func qwenPre(d sentinel.Decision) Answer {
	out := claudeOut{HookEventName: "PreToolUse"}
	switch {
	case proceeds(d):
	case d.Verdict == sentinel.VerdictAsk:
		out.PermissionDecision, out.PermissionDecisionReason = "ask", question(d)
	default:
		out.PermissionDecision, out.PermissionDecisionReason = "deny", denial(d)
	}
	ans := claudeJSON(out)
	ans.Kept = d.Context()
	return ans
}

// marks knows the folder of the transcripts, and two tools that no other agent
// has under Claude Code's event names.
func (qwen) marks(in payload) bool {
	if !pascalCase(in) {
		return false
	}
	if transcript, err := in.text("transcript_path"); err == nil && strings.Contains(slashed(transcript), "/.qwen/") {
		return true
	}
	name, _ := in.text("hook_event_name")
	if phase := claudePhase(name); phase != sentinel.PhasePre && phase != sentinel.PhasePost {
		return false
	}
	tool, _ := in.text("tool_name")
	return tool == "run_shell_command" || tool == "write_file"
}

// sends knows no events beyond those that bear a mark.
func (q qwen) sends(in payload) bool { return q.marks(in) }
