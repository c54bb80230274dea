package hook

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// opencode is the protocol between Sentinel and its plugin in opencode, which
// has no command hooks of its own; as of version 1.18.33. The plugin passes on
// what its callbacks are given, under the field names that the other agents use.
type opencode struct{}

// Name returns "opencode".
func (opencode) Name() string { return "opencode" }

// timeout is none: opencode waits for ever, and the plugin has a clock of its own.
func (opencode) timeout(sentinel.Phase) time.Duration { return 0 }

// Decode reads one event in the plugin's form. What a callback is given is also
// understood as it is: {"input":{…},"output":{…}}, and the events of the bus.
func (opencode) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	in = opencodeFields(in)
	ev, name, err := common(in, "opencode")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Phase = opencodePhase(name)
	if ev.Phase != sentinel.PhasePre && ev.Phase != sentinel.PhasePost {
		return ev, nil
	}
	if ev.Tool, err = calledTool(in); err != nil {
		return sentinel.Event{}, err
	}
	if response, ok := in.get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = outputUnder(response, "output", "content") // of a tool; of an MCP server
		ev.Tool.Failed = opencodeFailed(object(response))
	}
	return ev, nil
}

func opencodePhase(event string) sentinel.Phase {
	switch event {
	case "tool.execute.before":
		return sentinel.PhasePre
	case "tool.execute.after":
		return sentinel.PhasePost
	case "session.idle":
		return sentinel.PhaseStop
	case "session.created":
		return sentinel.PhaseStart
	case "session.deleted", "dispose":
		return sentinel.PhaseEnd
	case "chat.message":
		return sentinel.PhasePrompt
	}
	return sentinel.PhaseUnknown
}

// opencodeFailed reads the exit code of a command, and the mark of an MCP
// result. There is no event after any other tool that failed.
func opencodeFailed(response payload) bool {
	exit, ok := object(response["metadata"]).get("exit")
	return response.isTrue("isError") || ok && string(exit) != "0"
}

// opencodeFields gives the plugin's field names to an event that comes as
// opencode's own code holds it. One that has them already stays as it is.
func opencodeFields(in payload) payload {
	switch {
	case in.has("hook_event_name"):
		return in
	case in.has("input"):
		return opencodeCallback(object(in["input"]), object(in["output"]), in["output"])
	case in.has("type", "properties"):
		properties := object(in["properties"])
		info := object(properties["info"])
		session := properties["sessionID"]
		if session == nil {
			session = info["id"]
		}
		return payload{"hook_event_name": in["type"], "session_id": session, "cwd": info["directory"]}
	}
	return in
}

// opencodeCallback tells the callbacks apart by where they hold the arguments:
// before a tool in the output, where they may be changed, after it in the input.
func opencodeCallback(input, output payload, response json.RawMessage) payload {
	out := payload{"session_id": input["sessionID"], "tool_use_id": input["callID"], "tool_name": input["tool"]}
	switch {
	case !input.has("tool") && output.has("parts"):
		return payload{"hook_event_name": json.RawMessage(`"chat.message"`), "session_id": input["sessionID"], "prompt": opencodePrompt(output["parts"])}
	case input.has("args"), !output.has("args") && output.has("output", "content", "metadata"):
		out["hook_event_name"] = json.RawMessage(`"tool.execute.after"`)
		out["tool_input"], out["tool_response"] = input["args"], response
	default:
		out["hook_event_name"] = json.RawMessage(`"tool.execute.before"`)
		out["tool_input"] = output["args"]
	}
	return out
}

// opencodePrompt makes one text of the parts of a message. A synthetic one was not
// written by the person.
func opencodePrompt(parts json.RawMessage) json.RawMessage {
	var list []payload
	_ = json.Unmarshal(parts, &list) // what is no list says nothing
	var texts []*string
	for _, part := range list {
		kind, _ := part.text("type")
		text, _ := part.text("text")
		if kind == "text" && !part.isTrue("synthetic") {
			texts = append(texts, &text)
		}
	}
	return compactJSON(lines(texts...))
}

// opencodeOut is the answer to the plugin, which throws an error for deny and
// appends context to the result of the call.
type opencodeOut struct {
	Deny    bool   `json:"deny,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Context string `json:"context,omitempty"`
}

// Encode answers by JSON at exit 0: a refusal or context, never both, and
// nothing when there is nothing to say. opencode cannot ask its user.
func (opencode) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !proceeds(d) {
			ans := stdoutJSON(opencodeOut{Deny: true, Reason: denial(d)})
			ans.Kept = d.Context()
			return ans
		}
	case sentinel.PhasePost:
	default: // events of the bus, and prompts: the plugin reads no answer
		return Answer{Kept: d.Context()}
	}
	context := join(d.Context())
	if context == "" {
		return Answer{}
	}
	return stdoutJSON(opencodeOut{Context: context})
}

// marks knows the plugin's events by their names, which have dots, and what the
// callbacks are given by the spelling of its fields.
func (opencode) marks(in payload) bool {
	if in.has("hook_event_name") {
		name, _ := in.text("hook_event_name")
		return opencodePhase(name) != sentinel.PhaseUnknown
	}
	if id, _ := in.text("id"); strings.HasPrefix(id, "evt_") {
		return in.has("type") && in.has("properties")
	}
	return in.has("output") && object(in["input"]).has("sessionID")
}

// sends knows no events beyond those that bear a mark.
func (o opencode) sends(in payload) bool { return o.marks(in) }
