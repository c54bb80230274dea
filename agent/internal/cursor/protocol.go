package cursor

import (
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// contextMax is below the 10,000 characters above which Cursor drops the
// whole of additional_context. They are UTF-16 units there, and bytes here.
const contextMax = 10_000

// decode reads one event. The user's address, which Cursor sends with every event, is
// not read.
//
// One call can come twice, by preToolUse and by the hook made for its kind
// (beforeShellExecution, beforeMCPExecution, beforeReadFile). They take different
// answers. An event shows which it is by the call's id: those for one kind carry none,
// and preToolUse always has one here.
func decode(stdin []byte) (sentinel.Event, error) {
	in, err := wire.Parse(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev, name, err := wire.Common(in.Renamed("conversation_id", "session_id"), Name)
	if err != nil {
		return sentinel.Event{}, err
	}
	name = wire.LowerFirst(name)
	ev.Phase, ev.Part = phases.Of(name), phases.OfPart(name)
	if ev.Roots, err = in.Folders("workspace_roots"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Dir = wire.WithoutURISlash(ev.Dir); ev.Dir == "" && len(ev.Roots) > 0 {
		ev.Dir = ev.Roots[0]
	}
	if status, _ := in.Text("status"); ev.Phase == sentinel.PhaseStop && status == "aborted" {
		ev.Source = sentinel.SourceAborted
	}
	if wire.AboutTool(ev.Phase) {
		ev.Tool, err = tool(in, name)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

var phases = wire.Phases{
	Start: []string{"sessionStart"}, Prompt: []string{"beforeSubmitPrompt"},
	Pre: []string{"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead"},
	Post: []string{
		"postToolUse", "postToolUseFailure", "afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterTabFileEdit",
	},
	Stop: []string{"stop"}, End: []string{"sessionEnd"}, PartStop: []string{"subagentStop"},
}

// tool reads the call. The hooks for one kind do not name the tool; the
// event then has the name that preToolUse gives it.
func tool(in wire.Payload, event string) (tool sentinel.ToolCall, err error) {
	switch event {
	case "beforeShellExecution", "afterShellExecution":
		tool.Name = "Shell"
		tool.Args, err = in.Only("command", "cwd")
		tool.Output, _ = in.Text("output")
	case "beforeReadFile", "beforeTabFileRead":
		tool.Name = "Read"
		tool.Args, err = in.Only("file_path")
	case "afterFileEdit", "afterTabFileEdit":
		tool.Name = "Write"
		tool.Args, err = in.Only("file_path", "edits")
	case "beforeMCPExecution", "afterMCPExecution":
		tool, err = mcpTool(in)
	default:
		tool, err = anyTool(in, event)
	}
	return tool, err
}

// mcpTool reads the call of an MCP tool, which has a field for its server and its
// arguments as JSON in a string.
func mcpTool(in wire.Payload) (tool sentinel.ToolCall, err error) {
	name, err := in.Need("tool_name")
	if err != nil {
		return tool, err
	}
	server, err := in.Text("mcp_server_name")
	if err != nil {
		return tool, err
	}
	tool.Name = wire.MCPName(server, strings.TrimPrefix(name, "MCP:"))
	if tool.Args, err = in.Args("tool_input"); err != nil {
		return tool, err
	}
	tool.Args = wire.JSONInText(tool.Args)
	if result, ok := in.Get("result_json"); ok {
		tool.Output = wire.OutputUnder(wire.JSONInText(result), "content")
	}
	return tool, nil
}

func anyTool(in wire.Payload, event string) (tool sentinel.ToolCall, err error) {
	if tool, err = wire.CalledTool(in); err != nil {
		return tool, err
	}
	tool.Args = wire.JSONInText(tool.Args)
	if tool.ID == "" {
		tool.ID = event
	}
	switch event {
	case "postToolUse":
		if output, ok := in.Get("tool_output"); ok {
			tool.Output = wire.Output(wire.JSONInText(output))
		}
	case "postToolUseFailure":
		tool.Failed = true
		tool.Output, err = in.Text("error_message")
	}
	return tool, err
}

// reply is an answer. An empty one is written too: with failClosed Cursor
// takes no output for a refusal.
type reply struct {
	Permission        string `json:"permission,omitempty"`
	UserMessage       string `json:"user_message,omitempty"`
	AgentMessage      string `json:"agent_message,omitempty"`
	AdditionalContext string `json:"additional_context,omitempty"`
	Followup          string `json:"followup_message,omitempty"` // of stop: the user's next words
}

// encode answers every event by one JSON object at exit 0.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	var out reply
	if ev.Phase == sentinel.PhasePre && !wire.Proceeds(d) {
		if d.Verdict != sentinel.VerdictAsk || !asks(ev.Tool) {
			return wire.JSON(reply{Permission: "deny", UserMessage: wire.Denial(d), AgentMessage: wire.WholeDenial(d)})
		}
		out.Permission, out.UserMessage, out.AgentMessage = "ask", wire.Question(d), wire.Asked(d)
	}
	if wire.Stays(ev, d) {
		out.Followup = wire.Reminder(d)
	}
	if out.Permission == "" && takesContext(ev) {
		out.AdditionalContext = wire.ContextWithin(d, contextMax)
		return wire.JSON(out)
	}
	return wire.JSON(out).Keeping(d)
}

// asks reports whether the event is one at which Cursor asks its user. At preToolUse it
// reads "ask" and goes on; before reading a file it only knows yes and no.
func asks(tool sentinel.ToolCall) bool {
	return tool.ID == "" && (tool.Name == "Shell" || strings.HasPrefix(tool.Name, "mcp__") || strings.HasPrefix(tool.Name, "MCP:"))
}

// takesContext reports whether additional_context is read at this event.
func takesContext(ev sentinel.Event) bool {
	switch ev.Phase {
	case sentinel.PhasePre, sentinel.PhasePost:
		return ev.Tool.ID != ""
	}
	return ev.Phase == sentinel.PhaseStart || ev.Phase == sentinel.PhasePrompt
}
