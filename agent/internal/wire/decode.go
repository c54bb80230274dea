package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// Phases are the names that an agent gives its events. An event with any other name
// has PhaseUnknown.
type Phases struct {
	Start, Prompt, Pre, Post, Stop, End, Change, Permission []string
	PartStart, PartStop                                     []string // of a subagent
}

// Of returns the phase of the event with this name.
func (p *Phases) Of(event string) sentinel.Phase {
	for _, named := range [...]struct {
		events []string
		phase  sentinel.Phase
	}{
		{p.Pre, sentinel.PhasePre}, {p.Post, sentinel.PhasePost}, {p.Stop, sentinel.PhaseStop},
		{p.Start, sentinel.PhaseStart}, {p.End, sentinel.PhaseEnd}, {p.Prompt, sentinel.PhasePrompt},
		{p.PartStart, sentinel.PhaseStart}, {p.PartStop, sentinel.PhaseStop},
		{p.Change, sentinel.PhaseChange}, {p.Permission, sentinel.PhasePermission},
	} {
		if slices.Contains(named.events, event) {
			return named.phase
		}
	}
	return sentinel.PhaseUnknown
}

// OfPart reports whether the event is one of a subagent.
func (p *Phases) OfPart(event string) bool {
	return slices.Contains(p.PartStart, event) || slices.Contains(p.PartStop, event)
}

// AboutTool reports whether events of a phase tell of a tool call.
func AboutTool(phase sentinel.Phase) bool {
	return phase == sentinel.PhasePre || phase == sentinel.PhasePost || phase == sentinel.PhasePermission
}

// A Decoder reads events in the form that Claude Code introduced and most agents
// took over.
type Decoder struct {
	Agent  string
	Phases Phases
	// Before gives fields their common names. nil changes none.
	Before func(Payload) Payload
	// Tool completes the tool call of an event: with what it returned, and where the
	// agent has its own form. nil changes nothing.
	Tool func(in Payload, event string, ev *sentinel.Event) error
}

// Decode reads one event. One whose phase is not about a tool has no tool call.
func (d *Decoder) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := Parse(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	if d.Before != nil {
		in = d.Before(in)
	}
	ev, name, err := Common(in, d.Agent)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Phase, ev.Part = d.Phases.Of(name), d.Phases.OfPart(name)
	if !AboutTool(ev.Phase) {
		return ev, nil
	}
	if ev.Tool, err = CalledTool(in); err != nil {
		return sentinel.Event{}, err
	}
	ev.Tool.Part = in.Has("agent_id")
	if d.Tool != nil {
		err = d.Tool(in, name, &ev)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

// Common reads the fields that come with every event: its name, and the session,
// transcript and folder it belongs to.
func Common(in Payload, agent string) (ev sentinel.Event, name string, err error) {
	if name, err = in.Need("hook_event_name"); err != nil {
		return sentinel.Event{}, "", err
	}
	ev.Agent = agent
	if ev.Session, err = in.Text("session_id"); err != nil {
		return sentinel.Event{}, "", err
	}
	ev.Source, ev.Prompt = Spoken(in)
	if ev.Transcript, err = in.Text("transcript_path"); err != nil {
		return sentinel.Event{}, "", err
	}
	if ev.Dir, err = in.Dir("cwd"); err != nil {
		return sentinel.Event{}, "", err
	}
	return ev, name, nil
}

// Spoken reads why a session begins, and what the user has written. A wrong value is
// not an error, and counts as none.
//
// A prompt that says that it is another agent's, or that no user has sent it, does not
// count.
func Spoken(in Payload) (source, prompt string) {
	source, err := in.Text("source")
	if err != nil || FromAgent(in) || source != "" && !slices.Contains([]string{"user", "sdk"}, source) {
		return source, ""
	}
	prompt, _ = in.Text("prompt")
	return source, prompt
}

// FromAgent reports whether an event says that it belongs to a subagent.
func FromAgent(in Payload) bool {
	for _, key := range []string{"agent_id", "agentId", "parent_agent_id", "parentAgentId", "parent_session_id", "parentSessionId"} {
		if raw, ok := in.Get(key); ok && string(raw) != `""` && !(key == "agent_id" && in.Has("hookName")) { // Cline numbers the first agent too
			return true
		}
	}
	return false
}

// CalledTool reads the tool call of an event whose phase is about one.
func CalledTool(in Payload) (tool sentinel.ToolCall, err error) {
	if tool.Name, err = in.Need("tool_name"); err != nil {
		return sentinel.ToolCall{}, err
	}
	if tool.ID, err = in.Text("tool_use_id"); err != nil {
		return sentinel.ToolCall{}, err
	}
	if tool.Args, err = in.Args("tool_input"); err != nil {
		return sentinel.ToolCall{}, err
	}
	return tool, nil
}

// OutputUnder makes one text of the value under the first of the keys that a tool's
// response has, or of the whole response when it has none of them.
func OutputUnder(response json.RawMessage, keys ...string) string {
	obj := Object(response)
	for _, key := range keys {
		if inner, ok := obj.Get(key); ok {
			return Output(inner)
		}
	}
	return Output(response)
}

// Output makes one text of a tool's response: the string itself, the output of a
// shell, the text blocks of an MCP answer, else the JSON.
func Output(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var shell struct{ Stdout, Stderr *string }
	if json.Unmarshal(raw, &shell) == nil && (shell.Stdout != nil || shell.Stderr != nil) {
		return Lines(shell.Stdout, shell.Stderr)
	}
	var blocks []struct{ Text *string }
	if json.Unmarshal(raw, &blocks) == nil {
		texts := make([]*string, len(blocks))
		for i, b := range blocks {
			texts[i] = b.Text
		}
		if len(texts) > 0 && !slices.Contains(texts, nil) {
			return Lines(texts...)
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

// Lines joins the texts that are not empty, each beginning on a line of its own.
func Lines(texts ...*string) string {
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

// Object reads raw as a JSON object; any other value has no fields.
func Object(raw json.RawMessage) Payload {
	var obj Payload
	if json.Unmarshal(raw, &obj) != nil {
		return nil
	}
	return obj
}

// IsTrue reports whether a field is there and true.
func (ev Payload) IsTrue(name string) bool { return string(ev[name]) == "true" }

// Proceeds reports whether the call may go on, as far as Sentinel is concerned. An
// unknown verdict stops it.
func Proceeds(d sentinel.Decision) bool {
	return d.Verdict == sentinel.VerdictAllow || d.Verdict == sentinel.VerdictWarn
}

// Failure reads the error of the event PostToolUseFailure.
func Failure(in Payload, event string, ev *sentinel.Event) (err error) {
	if event == "PostToolUseFailure" {
		ev.Tool.Failed, ev.Tool.Result = true, sentinel.ResultFailed
		ev.Tool.Output, err = in.Text("error")
	}
	return err
}

// PostName is the name of a post event for the agents that have PostToolUseFailure.
func PostName(ev sentinel.Event) string {
	if ev.Tool.Failed {
		return "PostToolUseFailure"
	}
	return "PostToolUse"
}
