package hook

import (
	"path"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// codex is the command hook of Codex, as of version 0.169.0. It sends what
// Claude Code sends, and reads its answers more strictly: one key that it does
// not know, and the whole answer is dropped and the call proceeds.
type codex struct{}

// codexContextMax is how much context the model is shown, in bytes: Codex
// reckons with four bytes a token and moves what has more than 2,500 tokens into
// a file. It can be set (additionalContextLimit).
const codexContextMax = 10_000

// Name returns "codex".
func (codex) Name() string { return "codex" }

// timeout is 600 seconds (Codex's configuration schema).
func (codex) timeout(sentinel.Phase) time.Duration { return 600 * time.Second }

// Decode reads one event. Every shell tool is called Bash here. A patch is the
// text under command, and its paths stand in it alone.
func (codex) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev, name, err := common(in, "codex")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Phase = codexPhase(name)
	if ev.Phase != sentinel.PhasePre && ev.Phase != sentinel.PhasePost {
		return ev, nil
	}
	if ev.Tool, err = calledTool(in); err != nil {
		return sentinel.Event{}, err
	}
	if response, ok := in.get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = outputUnder(response, "content") // an MCP result
		ev.Tool.Failed = object(response).isTrue("isError")
	}
	return ev, nil
}

// codexPhase knows the events that are told. There is none for a failed tool: a
// command that failed is a PostToolUse like any other.
func codexPhase(event string) sentinel.Phase {
	switch event {
	case "PreToolUse":
		return sentinel.PhasePre
	case "PostToolUse":
		return sentinel.PhasePost
	case "Stop", "SubagentStop":
		return sentinel.PhaseStop
	case "SessionStart":
		return sentinel.PhaseStart
	case "SessionEnd":
		return sentinel.PhaseEnd
	case "UserPromptSubmit":
		return sentinel.PhasePrompt
	}
	return sentinel.PhaseUnknown
}

// Encode answers by JSON at exit 0, with keys that Codex knows for that event
// alone. Codex takes "ask" and "allow" for mistakes and lets the call proceed, so
// a question becomes a refusal.
func (codex) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	var notice string
	if ev.Phase == sentinel.PhasePre {
		notice = takeNotice(&d)
	}
	out := claudeOut{AdditionalContext: cutBytes(labelled(d.Context()), codexContextMax), notice: notice}
	switch ev.Phase {
	case sentinel.PhasePre:
		out.HookEventName = "PreToolUse"
		if !proceeds(d) {
			out.PermissionDecision, out.PermissionDecisionReason = "deny", denial(d)
		}
	case sentinel.PhasePost:
		out.HookEventName = "PostToolUse"
	case sentinel.PhaseStart:
		out.HookEventName = "SessionStart"
	case sentinel.PhasePrompt:
		out.HookEventName = "UserPromptSubmit"
	default: // Stop accepts no context, and any text would count as a failure
		return Answer{Kept: d.Context()}
	}
	return claudeJSON(out)
}

// marks knows the transcript, which no other agent calls rollout-… . A session's
// own events have no other mark.
func (codex) marks(in payload) bool {
	transcript, err := in.text("transcript_path")
	return err == nil && strings.HasPrefix(path.Base(slashed(transcript)), "rollout-") && strings.HasSuffix(transcript, ".jsonl") && pascalCase(in)
}

// sends also knows the number of the turn, which stands alone where no
// transcript is kept.
func (c codex) sends(in payload) bool {
	return c.marks(in) || in.has("turn_id") && pascalCase(in)
}
