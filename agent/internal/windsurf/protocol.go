package windsurf

import (
	"encoding/json"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// decode reads one event. Cascade does not name its tool but tells what it does;
// the event names the tool of Cascade that does this. The trajectory counts as the
// session, and only a command has a folder.
func decode(stdin []byte) (sentinel.Event, error) {
	in, err := wire.Parse(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	name, err := in.Need("agent_action_name")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Agent: Name, Phase: phases.Of(name)}
	if ev.Session, err = in.Text("trajectory_id"); err != nil {
		return sentinel.Event{}, err
	}
	info, err := in.Object("tool_info")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Prompt, _ = info.Text("user_prompt")
	if ev.Transcript, err = info.Text("transcript_path"); err != nil {
		return sentinel.Event{}, err
	}
	if wire.AboutTool(ev.Phase) {
		ev.Tool, err = tool(name, info, in["tool_info"])
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	if cwd, _ := info.Text("cwd"); cwd != "" && wire.Absolute(cwd) {
		ev.Dir = cwd // a relative one is read with the arguments
	}
	return ev, nil
}

var phases = wire.Phases{
	Prompt: []string{"pre_user_prompt"},
	Pre:    []string{"pre_read_code", "pre_write_code", "pre_run_command", "pre_mcp_tool_use"},
	Post:   []string{"post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use"},
	Stop:   []string{"post_cascade_response", "post_cascade_response_with_transcript"},
}

// tool makes a tool call of what Cascade tells. The keys in tool_info are
// passed on as they are.
func tool(action string, info wire.Payload, raw json.RawMessage) (tool sentinel.ToolCall, err error) {
	tool.Args = raw
	if len(info) == 0 {
		return tool, wire.EventError("tool_info is missing")
	}
	switch action {
	case "pre_read_code", "post_read_code":
		tool.Name = "view_file"
	case "pre_write_code", "post_write_code":
		tool.Name = "write_to_file"
	case "pre_run_command", "post_run_command":
		tool.Name = "run_command"
	default:
		return mcpTool(info)
	}
	return tool, nil
}

func mcpTool(info wire.Payload) (tool sentinel.ToolCall, err error) {
	name, err := info.Need("mcp_tool_name")
	if err != nil {
		return tool, err
	}
	server, err := info.Text("mcp_server_name")
	if err != nil {
		return tool, err
	}
	tool.Name = wire.MCPName(server, name)
	if tool.Args, err = info.Args("mcp_tool_arguments"); err != nil {
		return tool, err
	}
	tool.Args = wire.JSONInText(tool.Args)
	if result, ok := info.Get("mcp_result"); ok {
		tool.Output = wire.OutputUnder(wire.JSONInText(result), "content")
	}
	return tool, nil
}

// encode answers by the exit code, which is all that Cascade reads, with the reason on
// standard error. It cannot ask. Standard output reaches the user where the hook says
// show_output, and never the model.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !wire.Proceeds(d) {
			return wire.Refusal(d)
		}
	case sentinel.PhasePost, sentinel.PhasePrompt:
	default:
		return wire.Answer{Kept: d.Context()}
	}
	if text := wire.Context(d); text != "" {
		return wire.Answer{Stdout: []byte(text)}
	}
	return wire.Answer{}
}
