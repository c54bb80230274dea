package pi

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

var phases = wire.Phases{
	Start: []string{"pi.session_start"}, Prompt: []string{"pi.before_agent_start"},
	Pre: []string{"pi.tool_call"}, Post: []string{"pi.tool_result"},
	Stop: []string{"pi.agent_end"}, End: []string{"pi.session_shutdown"},
}

// decode reads one event in the extension's form.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: phases, Tool: tool}
	return d.Decode(stdin)
}

func tool(in wire.Payload, _ string, ev *sentinel.Event) error {
	if response, ok := in.Get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = wire.OutputUnder(response, "content")
		ev.Tool.Failed = wire.Object(response).IsTrue("isError")
		if ev.Tool.Failed || string(wire.Object(response)["isError"]) == "false" {
			ev.Tool.Result = wire.Went(ev.Tool.Failed)
		}
	}
	return nil
}

// reply is the answer to the extension. Ask is a question to the user. Reason says why
// the call is refused, also when there is no user to ask or the user refuses.
type reply struct {
	Deny    bool   `json:"deny,omitempty"`
	Ask     string `json:"ask,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Context string `json:"context,omitempty"`
}

// encode answers by JSON at exit 0, and says nothing when there is nothing to say.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		switch {
		case wire.Proceeds(d):
			return shown(d)
		case d.Verdict == sentinel.VerdictAsk:
			d.Code = "" // the user is there
			return wire.JSON(reply{Ask: wire.Question(d), Reason: wire.Denial(d)}).Keeping(d)
		}
		return wire.JSON(reply{Deny: true, Reason: wire.WholeDenial(d)})
	case sentinel.PhasePost, sentinel.PhaseStart, sentinel.PhasePrompt:
		return shown(d)
	}
	return wire.Answer{Kept: d.Context()}
}

// shown is the context of a decision, and nothing without any.
func shown(d sentinel.Decision) wire.Answer {
	if context := wire.Context(d); context != "" {
		return wire.JSON(reply{Context: context})
	}
	return wire.Answer{}
}
