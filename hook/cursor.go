package hook

import (
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// cursor is the command hook of Cursor, as of its SDK 1.0.32.
//
// One call can be told twice, by preToolUse and by the hook made for its kind
// (beforeShellExecution, beforeMCPExecution, beforeReadFile). They take different
// answers. An event tells the two apart by the call's id: those for one kind
// carry none, and preToolUse always has one here.
type cursor struct{}

// cursorContextMax is below the 10,000 characters above which Cursor drops the
// whole of additional_context. They are UTF-16 units there, and bytes here.
const cursorContextMax = 10_000

// Name returns "cursor".
func (cursor) Name() string { return "cursor" }

// timeout is 60 seconds (Cursor's SDK 1.0.32).
func (cursor) timeout(sentinel.Phase) time.Duration { return 60 * time.Second }

// Decode reads one event. The user's address, which Cursor sends with every
// event, is left where it is.
func (cursor) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev, name, err := common(in.renamed("conversation_id", "session_id"), "cursor")
	if err != nil {
		return sentinel.Event{}, err
	}
	name = lowerFirst(name)
	ev.Phase = cursorPhase(name)
	if ev.Roots, err = in.folders("workspace_roots"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Dir = withoutURISlash(ev.Dir); ev.Dir == "" && len(ev.Roots) > 0 {
		ev.Dir = ev.Roots[0]
	}
	if ev.Phase == sentinel.PhasePre || ev.Phase == sentinel.PhasePost {
		ev.Tool, err = cursorTool(in, name)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

func cursorPhase(event string) sentinel.Phase {
	switch event {
	case "preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead":
		return sentinel.PhasePre
	case "postToolUse", "postToolUseFailure", "afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterTabFileEdit":
		return sentinel.PhasePost
	case "stop", "subagentStop":
		return sentinel.PhaseStop
	case "sessionStart":
		return sentinel.PhaseStart
	case "sessionEnd":
		return sentinel.PhaseEnd
	case "beforeSubmitPrompt":
		return sentinel.PhasePrompt
	}
	return sentinel.PhaseUnknown
}

// cursorTool reads the call. The hooks for one kind do not name the tool; the
// event then has the name that preToolUse gives it.
func cursorTool(in payload, event string) (tool sentinel.ToolCall, err error) {
	switch event {
	case "beforeShellExecution", "afterShellExecution":
		tool.Name = "Shell"
		tool.Args, err = in.only("command", "cwd")
		tool.Output, _ = in.text("output")
	case "beforeReadFile", "beforeTabFileRead":
		tool.Name = "Read"
		tool.Args, err = in.only("file_path")
	case "afterFileEdit", "afterTabFileEdit":
		tool.Name = "Write"
		tool.Args, err = in.only("file_path", "edits")
	case "beforeMCPExecution", "afterMCPExecution":
		tool, err = cursorMCP(in)
	default:
		tool, err = cursorAnyTool(in, event)
	}
	return tool, err
}

// cursorMCP reads the call of an MCP tool, which has its server beside it and its
// arguments as JSON in a string.
func cursorMCP(in payload) (tool sentinel.ToolCall, err error) {
	name, err := in.need("tool_name")
	if err != nil {
		return tool, err
	}
	server, err := in.text("mcp_server_name")
	if err != nil {
		return tool, err
	}
	tool.Name = mcpName(server, strings.TrimPrefix(name, "MCP:"))
	if tool.Args, err = in.args("tool_input"); err != nil {
		return tool, err
	}
	tool.Args = jsonInText(tool.Args)
	if result, ok := in.get("result_json"); ok {
		tool.Output = outputUnder(jsonInText(result), "content")
	}
	return tool, nil
}

func cursorAnyTool(in payload, event string) (tool sentinel.ToolCall, err error) {
	if tool, err = calledTool(in); err != nil {
		return tool, err
	}
	tool.Args = jsonInText(tool.Args)
	if tool.ID == "" {
		tool.ID = event
	}
	switch event {
	case "postToolUse":
		if output, ok := in.get("tool_output"); ok {
			tool.Output = claudeOutput(jsonInText(output))
		}
	case "postToolUseFailure":
		tool.Failed = true
		tool.Output, err = in.text("error_message")
	}
	return tool, err
}

// cursorOut is an answer. An empty one is written too: with failClosed Cursor
// takes no output for a refusal.
type cursorOut struct {
	Permission        string `json:"permission,omitempty"`
	UserMessage       string `json:"user_message,omitempty"`
	AgentMessage      string `json:"agent_message,omitempty"`
	AdditionalContext string `json:"additional_context,omitempty"`
}

// Encode answers every event by one JSON object at exit 0.
func (cursor) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	var out cursorOut
	if ev.Phase == sentinel.PhasePre && !proceeds(d) {
		out.Permission, out.UserMessage = "deny", denial(d)
		if d.Verdict == sentinel.VerdictAsk && cursorAsks(ev.Tool) {
			out.Permission, out.UserMessage = "ask", question(d)
		}
		out.AgentMessage = out.UserMessage
	}
	if out.Permission == "" && cursorTakesContext(ev) {
		out.AdditionalContext = cutBytes(labelled(d.Context()), cursorContextMax)
		return stdoutJSON(out)
	}
	ans := stdoutJSON(out)
	ans.Kept = d.Context()
	return ans
}

// cursorAsks reports whether the event is one at which Cursor asks its user. At
// preToolUse it reads "ask" and goes on; of a file that is read it knows only
// whether it may be.
func cursorAsks(tool sentinel.ToolCall) bool {
	return tool.ID == "" && (tool.Name == "Shell" || strings.HasPrefix(tool.Name, "mcp__") || strings.HasPrefix(tool.Name, "MCP:"))
}

// cursorTakesContext reports whether additional_context is read at this event.
func cursorTakesContext(ev sentinel.Event) bool {
	switch ev.Phase {
	case sentinel.PhasePre, sentinel.PhasePost:
		return ev.Tool.ID != ""
	}
	return ev.Phase == sentinel.PhaseStart || ev.Phase == sentinel.PhasePrompt
}

// marks knows the fields that only Cursor sends.
func (cursor) marks(in payload) bool {
	return in.has("cursor_version") || in.has("conversation_id") && in.has("generation_id")
}

func (c cursor) sends(in payload) bool { return c.marks(in) }
