package hook

import (
	"encoding/json"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// common reads what the protocols that were made after Claude Code's send with
// every event: its name, and the session, transcript and folder it belongs to.
func common(in payload, agent string) (ev sentinel.Event, name string, err error) {
	if name, err = in.need("hook_event_name"); err != nil {
		return sentinel.Event{}, "", err
	}
	ev.Agent = agent
	if ev.Session, err = in.text("session_id"); err != nil {
		return sentinel.Event{}, "", err
	}
	ev.Source, ev.Prompt = spoken(in)
	if ev.Transcript, err = in.text("transcript_path"); err != nil {
		return sentinel.Event{}, "", err
	}
	if ev.Dir, err = in.dir("cwd"); err != nil {
		return sentinel.Event{}, "", err
	}
	return ev, name, nil
}

// spoken reads why a session begins, and what a person has written. They are worth
// no error: nothing is judged by them.
func spoken(in payload) (source, prompt string) {
	source, _ = in.text("source")
	prompt, _ = in.text("prompt")
	return source, prompt
}

// calledTool reads the tool call of an event whose phase is about one.
func calledTool(in payload) (tool sentinel.ToolCall, err error) {
	if tool.Name, err = in.need("tool_name"); err != nil {
		return sentinel.ToolCall{}, err
	}
	if tool.ID, err = in.text("tool_use_id"); err != nil {
		return sentinel.ToolCall{}, err
	}
	if tool.Args, err = in.args("tool_input"); err != nil {
		return sentinel.ToolCall{}, err
	}
	return tool, nil
}

// outputUnder makes one text of what stands under the first of the keys that a
// tool's response has, or of the whole response when it has none of them.
func outputUnder(response json.RawMessage, keys ...string) string {
	obj := object(response)
	for _, key := range keys {
		if inner, ok := obj.get(key); ok {
			return claudeOutput(inner)
		}
	}
	return claudeOutput(response)
}

// object reads raw as a JSON object; what is none has no fields.
func object(raw json.RawMessage) payload {
	var obj payload
	if json.Unmarshal(raw, &obj) != nil {
		return nil
	}
	return obj
}

// isTrue reports whether a field is there and true.
func (ev payload) isTrue(name string) bool { return string(ev[name]) == "true" }

// proceeds reports whether the call may go on, as far as we are concerned. A
// verdict that is not known stops it.
func proceeds(d sentinel.Decision) bool {
	return d.Verdict == sentinel.VerdictAllow || d.Verdict == sentinel.VerdictWarn
}

// slashed is a path of any system with slashes.
func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// pascalCase reports whether the event's name begins with a capital letter, as
// it does with every agent that took Claude Code's names or their style.
func pascalCase(in payload) bool {
	name, err := in.need("hook_event_name")
	return err == nil && name[0] >= 'A' && name[0] <= 'Z'
}
