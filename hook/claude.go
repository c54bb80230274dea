package hook

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// claude is the command hook of Claude Code, as of version 2.1.329.
type claude struct{}

// Name returns "claude".
func (claude) Name() string { return "claude" }

// timeout is 600 seconds, and less where nobody should wait: 30 for a prompt, 1.5
// for all hooks of a session's end together (as built into version 2.1.329).
func (claude) timeout(phase sentinel.Phase) time.Duration {
	switch phase {
	case sentinel.PhasePrompt:
		return 30 * time.Second
	case sentinel.PhaseEnd:
		return 1500 * time.Millisecond
	}
	return 600 * time.Second
}

// Decode reads one event. An event that is neither about a tool nor about the
// course of a session has PhaseUnknown; the answer to it is silence.
func (claude) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	name, err := in.need("hook_event_name")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Agent: "claude", Phase: claudePhase(name)}
	if ev.Session, err = in.text("session_id"); err != nil {
		return sentinel.Event{}, err
	}
	ev.Source, ev.Prompt = spoken(in)
	if ev.Transcript, err = in.text("transcript_path"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Dir, err = in.dir("cwd"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Phase == sentinel.PhasePre || ev.Phase == sentinel.PhasePost {
		ev.Tool, err = claudeTool(in, name)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

func claudePhase(event string) sentinel.Phase {
	switch event {
	case "PreToolUse":
		return sentinel.PhasePre
	case "PostToolUse", "PostToolUseFailure":
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

func claudeTool(in payload, event string) (tool sentinel.ToolCall, err error) {
	if tool.Name, err = in.need("tool_name"); err != nil {
		return tool, err
	}
	if tool.ID, err = in.text("tool_use_id"); err != nil {
		return tool, err
	}
	if tool.Args, err = in.args("tool_input"); err != nil {
		return tool, err
	}
	switch event {
	case "PostToolUse":
		if raw, ok := in.get("tool_response"); ok {
			tool.Output = claudeOutput(raw)
		}
	case "PostToolUseFailure":
		tool.Failed = true
		tool.Output, err = in.text("error")
	}
	return tool, err
}

// claudeOutput makes one text of a tool's response: the string itself, what a
// shell printed, the text blocks of an MCP answer, else the JSON.
func claudeOutput(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var shell struct{ Stdout, Stderr *string }
	if json.Unmarshal(raw, &shell) == nil && (shell.Stdout != nil || shell.Stderr != nil) {
		return lines(shell.Stdout, shell.Stderr)
	}
	var blocks []struct{ Text *string }
	if json.Unmarshal(raw, &blocks) == nil {
		texts := make([]*string, len(blocks))
		for i, b := range blocks {
			texts[i] = b.Text
		}
		if len(texts) > 0 && !hasNil(texts) {
			return lines(texts...)
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

func hasNil(texts []*string) bool {
	for _, t := range texts {
		if t == nil {
			return true
		}
	}
	return false
}

// lines joins the texts that say something, each beginning on a line of its own.
func lines(texts ...*string) string {
	var b strings.Builder
	for _, t := range texts {
		if t == nil || *t == "" {
			continue
		}
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(*t)
	}
	return b.String()
}

// Encode answers in one of two ways that must not be mixed: exit 2 with a text
// on standard error, where Claude Code does not read standard output; or exit 0
// with JSON or nothing. It never says "allow", which would skip the user's own
// permission prompt.
func (claude) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	notice := takeNotice(&d)
	switch ev.Phase {
	case sentinel.PhasePre:
		return claudePre(d, notice)
	case sentinel.PhasePost:
		event := "PostToolUse"
		if ev.Tool.Failed {
			event = "PostToolUseFailure"
		}
		return claudeJSON(claudeOut{HookEventName: event, AdditionalContext: join(d.Context()), notice: notice})
	case sentinel.PhaseStart, sentinel.PhasePrompt:
		return claudeJSON(claudeOut{notice: notice})
	}
	return Answer{}
}

func claudePre(d sentinel.Decision, notice string) Answer {
	out := claudeOut{HookEventName: "PreToolUse", AdditionalContext: join(d.Context()), notice: notice}
	switch d.Verdict {
	case sentinel.VerdictAllow, sentinel.VerdictWarn:
	case sentinel.VerdictAsk:
		out.PermissionDecision = "ask"
		out.PermissionDecisionReason = cut("Sentinel asks: " + reason(d))
	default: // block, and whatever is not known to be harmless
		return Answer{Stderr: []byte(denial(d) + "\n"), Exit: 2}
	}
	return claudeJSON(out)
}

// claudeOut is the object hookSpecificOutput. Claude Code ignores one without
// the name of the event it answers.
type claudeOut struct {
	HookEventName            string `json:"hookEventName"`
	PermissionDecision       string `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"`

	notice string // beside it: shown to the user, not to the model
}

// claudeJSON writes out, or nothing when it says nothing. There is no line end:
// Claude Code takes a text that begins with { and does not end with } for prose.
func claudeJSON(out claudeOut) Answer {
	var whole struct {
		SystemMessage string     `json:"systemMessage,omitempty"`
		Specific      *claudeOut `json:"hookSpecificOutput,omitempty"`
	}
	whole.SystemMessage = out.notice
	if out.PermissionDecision != "" || out.AdditionalContext != "" {
		whole.Specific = &out
	}
	if whole.Specific == nil && whole.SystemMessage == "" {
		return Answer{}
	}
	return stdoutJSON(whole)
}

// reason is why a call is stopped or a person is asked, in one line.
func reason(d sentinel.Decision) string {
	if d.Verdict != sentinel.VerdictUndecided || d.Err != nil {
		if text := oneLine(d.Reason()); text != "" {
			return text
		}
	}
	return "this call could not be judged, and no reason is known"
}

// sends tells Claude Code's events from those of the agents that run its hooks
// or speak a protocol made after it. None of the fields in foreign is ever sent
// by Claude Code. Gemini CLI's event names are its own and begin with Before or
// After; a transcript called rollout-… is Codex's, whose session events lack the
// turn_id that tells the others.
func (claude) sends(in payload) bool {
	foreign := []string{
		"timestamp", "turn_id", "cursor_version", "conversation_id", "generation_id",
		"agent_action_name", "hookName", "clineVersion", "sessionId", "toolName",
	}
	event, err := in.need("hook_event_name")
	if err != nil || in.has(foreign...) || event[0] < 'A' || event[0] > 'Z' {
		return false
	}
	if strings.HasPrefix(event, "Before") || strings.HasPrefix(event, "After") {
		return false
	}
	if _, err := in.need("session_id"); err != nil {
		return false
	}
	transcript, err := in.text("transcript_path")
	if err != nil || strings.HasPrefix(path.Base(strings.ReplaceAll(transcript, `\`, "/")), "rollout-") {
		return false
	}
	return in.has("transcript_path", "permission_mode") || in.has("tool_name") && in.has("tool_input")
}
