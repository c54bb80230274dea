package hook

import (
	"encoding/json"
	"time"

	"github.com/agentsentinel/sentinel"
)

// windsurf is the hook of Cascade, the agent in Windsurf (now Devin Desktop), as
// documented in autumn 2026.
type windsurf struct{}

// Name returns "windsurf".
func (windsurf) Name() string { return "windsurf" }

// timeout is not known: Cascade's documentation names none.
func (windsurf) timeout(sentinel.Phase) time.Duration { return 0 }

// Decode reads one event. Cascade does not name its tool but tells what it does;
// the event names the tool of Cascade that does this. There is no session but the
// trajectory, and no folder but that of a command.
func (windsurf) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	name, err := in.need("agent_action_name")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Agent: "windsurf", Phase: windsurfPhase(name)}
	if ev.Session, err = in.text("trajectory_id"); err != nil {
		return sentinel.Event{}, err
	}
	info, err := in.object("tool_info")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Prompt, _ = info.text("user_prompt")
	if ev.Transcript, err = info.text("transcript_path"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Phase == sentinel.PhasePre || ev.Phase == sentinel.PhasePost {
		ev.Tool, err = windsurfTool(name, info, in["tool_info"])
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	if cwd, _ := info.text("cwd"); cwd != "" && absolute(cwd) {
		ev.Dir = cwd // a relative one stands for itself among the arguments
	}
	return ev, nil
}

func windsurfPhase(action string) sentinel.Phase {
	switch action {
	case "pre_read_code", "pre_write_code", "pre_run_command", "pre_mcp_tool_use":
		return sentinel.PhasePre
	case "post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use":
		return sentinel.PhasePost
	case "pre_user_prompt":
		return sentinel.PhasePrompt
	case "post_cascade_response", "post_cascade_response_with_transcript":
		return sentinel.PhaseStop
	}
	return sentinel.PhaseUnknown
}

// windsurfTool makes a tool call of what Cascade tells. The keys in tool_info are
// passed on as they are.
func windsurfTool(action string, info payload, raw json.RawMessage) (tool sentinel.ToolCall, err error) {
	tool.Args = raw
	if len(info) == 0 {
		return tool, eventError("tool_info is missing")
	}
	switch action {
	case "pre_read_code", "post_read_code":
		tool.Name = "view_file"
	case "pre_write_code", "post_write_code":
		tool.Name = "write_to_file"
	case "pre_run_command", "post_run_command":
		tool.Name = "run_command"
	default:
		return windsurfMCP(info)
	}
	return tool, nil
}

func windsurfMCP(info payload) (tool sentinel.ToolCall, err error) {
	name, err := info.need("mcp_tool_name")
	if err != nil {
		return tool, err
	}
	server, err := info.text("mcp_server_name")
	if err != nil {
		return tool, err
	}
	tool.Name = mcpName(server, name)
	if tool.Args, err = info.args("mcp_tool_arguments"); err != nil {
		return tool, err
	}
	tool.Args = jsonInText(tool.Args)
	if result, ok := info.get("mcp_result"); ok {
		tool.Output = outputUnder(jsonInText(result), "content")
	}
	return tool, nil
}

// Encode answers by the exit code, which is all that Cascade reads, with the
// reason on standard error. It cannot ask. Standard output reaches the person
// where the hook says show_output, and the model never.
func (windsurf) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !proceeds(d) {
			return Answer{Stderr: []byte(denial(d) + "\n"), Exit: 2, Kept: d.Context()}
		}
	case sentinel.PhasePost:
	default:
		return Answer{Kept: d.Context()}
	}
	if text := join(d.Context()); text != "" {
		return Answer{Stdout: []byte(text)}
	}
	return Answer{}
}

// marks knows the field that only Cascade sends.
func (windsurf) marks(in payload) bool { return in.has("agent_action_name") }

func (w windsurf) sends(in payload) bool { return w.marks(in) }
