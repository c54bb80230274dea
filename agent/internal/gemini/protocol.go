package gemini

import (
	"encoding/json"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// decode reads one event. Gemini CLI writes an MCP tool as mcp_server_tool, which does
// not show where the server's name ends. Another field has both names, and the event
// calls the tool mcp__server__tool.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: phases, Tool: tool}
	return d.Decode(stdin)
}

func tool(in wire.Payload, _ string, ev *sentinel.Event) error {
	if id, ok := mcpName(in["mcp_context"]); ok {
		ev.Tool.Name = id
	}
	if response, ok := in.Get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = wire.OutputUnder(response, "llmContent")
		_, ev.Tool.Failed = wire.Object(response).Get("error")
		if ev.Tool.Result = results.Of(ev.Tool.Output); ev.Tool.Failed {
			ev.Tool.Result = sentinel.ResultFailed
		}
	}
	return nil
}

// results: the exit code has a line where it is not 0. Output that ends like such a line counts as one.
var results = wire.Results{
	Begins:  []string{"Output: "},
	Stopped: []string{"Command was cancelled by user", "Command was automatically cancelled"},
	Running: []string{"Command is running in background.", "Command moved to background "},
	Lines: []wire.ResultLine{
		{Key: "Error: ", May: true}, {Key: "Exit Code: ", Good: []string{"0"}, May: true}, {Key: "Signal: ", May: true},
		{Key: "Background PIDs: ", Good: []string{"*"}, May: true}, {Key: "Process Group PGID: ", Good: []string{"*"}},
	},
	Before: [][2]string{{"<untrusted_context>", "\n"}},
	Behind: []string{"\n</untrusted_context>"},
}

var phases = wire.Phases{
	Start: []string{"SessionStart"}, Prompt: []string{"BeforeAgent"}, Pre: []string{"BeforeTool"}, Post: []string{"AfterTool"},
	Stop: []string{"AfterAgent"}, End: []string{"SessionEnd"},
}

// mcpName is the name of an MCP tool with its server kept apart. A call whose context
// does not name both is judged by the name that it has.
func mcpName(context json.RawMessage) (name string, ok bool) {
	in := wire.Object(context)
	server, errServer := in.Need("server_name")
	tool, errTool := in.Need("tool_name")
	if errServer != nil || errTool != nil {
		return "", false
	}
	return "mcp__" + server + "__" + tool, true
}

// reply is an answer. Gemini CLI reads no permissionDecision.
type reply struct {
	Decision      string         `json:"decision,omitempty"`
	Reason        string         `json:"reason,omitempty"`
	SystemMessage string         `json:"systemMessage,omitempty"`
	Specific      *wire.Specific `json:"hookSpecificOutput,omitempty"`
}

// encode answers by JSON at exit 0. Before a tool Gemini CLI drops all context: a denial
// has it in its text, and any other answer leaves it to the next event.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		return pre(ev, d)
	case sentinel.PhasePost:
		return context("AfterTool", d)
	case sentinel.PhaseStart:
		return context("SessionStart", d)
	case sentinel.PhasePrompt:
		return context("BeforeAgent", d)
	case sentinel.PhaseStop:
		return wire.Stay(ev, d)
	}
	return wire.Answer{Kept: d.Context()}
}

// pre shows a notice to the user, except with a question, whose text is about the call, so
// that the notice is kept with the context, and with a denial, which says all of it.
func pre(ev sentinel.Event, d sentinel.Decision) (ans wire.Answer) {
	switch {
	case wire.Proceeds(d):
		if notice := wire.TakeNotice(&d); notice != "" {
			ans = wire.JSON(reply{SystemMessage: notice})
		}
	case d.Verdict == sentinel.VerdictAsk && !skipsQuestion(ev.Tool.Name):
		// The dialog shows the system message; the reason is for the record.
		ans = wire.JSON(reply{Decision: "ask", Reason: wire.Asked(d), SystemMessage: wire.Question(d)})
	default:
		return wire.JSON(reply{Decision: "deny", Reason: wire.WholeDenial(d)})
	}
	return ans.Keeping(d)
}

// skipsQuestion knows the tools that run without a question although the
// hook answers "ask": the user may have trusted an MCP server, and then Gemini
// CLI has no dialog for its tools.
func skipsQuestion(tool string) bool { return strings.HasPrefix(tool, "mcp_") }

func context(event string, d sentinel.Decision) wire.Answer {
	out := reply{SystemMessage: wire.TakeNotice(&d)}
	if context := wire.Context(d); context != "" {
		out.Specific = &wire.Specific{HookEventName: event, AdditionalContext: context}
	}
	if out == (reply{}) {
		return wire.Answer{}
	}
	return wire.JSON(out)
}
