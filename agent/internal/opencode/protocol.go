package opencode

import (
	"encoding/json"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// decode reads one event in the plugin's form. The input that a callback is given
// is also understood as it is: {"input":{…},"output":{…}}, and the events of the bus.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: phases, Before: fields, Tool: tool}
	return d.Decode(stdin)
}

func tool(in wire.Payload, _ string, ev *sentinel.Event) error {
	if response, ok := in.Get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = wire.OutputUnder(response, "output", "content") // of a tool; of an MCP server
		in := wire.Object(response)
		ev.Tool.Result = wire.Exited(wire.Object(in["metadata"]), "exit")
		// There is no event after any tool that failed, but commands and those of MCP servers.
		ev.Tool.Failed = in.IsTrue("isError") || ev.Tool.Result == sentinel.ResultFailed
	}
	return nil
}

var phases = wire.Phases{
	Start: []string{"session.created"}, Prompt: []string{"chat.message"},
	Pre: []string{"tool.execute.before"}, Post: []string{"tool.execute.after"},
	Stop: []string{"session.idle"}, End: []string{"session.deleted", "dispose"},
}

// fields gives the plugin's field names to an event that comes as
// opencode's own code holds it. One that has them already stays as it is.
func fields(in wire.Payload) wire.Payload {
	switch {
	case in.Has("hook_event_name"):
		return in
	case in.Has("input"):
		return callback(wire.Object(in["input"]), wire.Object(in["output"]), in["output"])
	case in.Has("type", "properties"):
		properties := wire.Object(in["properties"])
		info := wire.Object(properties["info"])
		session := properties["sessionID"]
		if session == nil {
			session = info["id"]
		}
		return wire.Payload{"hook_event_name": in["type"], "session_id": session, "cwd": info["directory"]}
	}
	return in
}

// callback tells the callbacks apart by where they hold the arguments:
// before a tool in the output, where they may be changed, after it in the input.
func callback(input, output wire.Payload, response json.RawMessage) wire.Payload {
	out := wire.Payload{"session_id": input["sessionID"], "tool_use_id": input["callID"], "tool_name": input["tool"]}
	switch {
	case !input.Has("tool") && output.Has("parts"):
		return wire.Payload{"hook_event_name": json.RawMessage(`"chat.message"`), "session_id": input["sessionID"], "prompt": prompt(output["parts"])}
	case input.Has("args"), !output.Has("args") && output.Has("output", "content", "metadata"):
		out["hook_event_name"] = json.RawMessage(`"tool.execute.after"`)
		out["tool_input"], out["tool_response"] = input["args"], response
	default:
		out["hook_event_name"] = json.RawMessage(`"tool.execute.before"`)
		out["tool_input"] = output["args"]
	}
	return out
}

// prompt makes one text of the parts of a message. A synthetic one was not
// written by the person.
func prompt(parts json.RawMessage) json.RawMessage {
	var list []wire.Payload
	_ = json.Unmarshal(parts, &list) // a value that is not a list has no text
	var texts []*string
	for _, part := range list {
		kind, _ := part.Text("type")
		text, _ := part.Text("text")
		if kind == "text" && !part.IsTrue("synthetic") {
			texts = append(texts, &text)
		}
	}
	return wire.Compact(wire.Lines(texts...))
}

// out is the answer to the plugin, which throws an error for deny and
// appends context to the result of the call.
type reply struct {
	Deny    bool   `json:"deny,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Context string `json:"context,omitempty"`
}

// encode answers by JSON at exit 0: a refusal or context, never both, and
// nothing when there is nothing to say. opencode cannot ask its user.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !wire.Proceeds(d) {
			return wire.JSON(reply{Deny: true, Reason: wire.WholeDenial(d)})
		}
	case sentinel.PhasePost:
	default: // events of the bus, and prompts: the plugin reads no answer
		return wire.Answer{Kept: d.Context()}
	}
	context := wire.Context(d)
	if context == "" {
		return wire.Answer{}
	}
	return wire.JSON(reply{Context: context})
}
