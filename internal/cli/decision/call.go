package decision

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// Call is a call as an agent would make it: a command, a write with its
// content, or an MCP tool with its arguments in JSON.
func Call(p *project.Project, dir string, t sentinel.Trigger, target, with string) (sentinel.Event, error) {
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "check", Dir: dir}
	server, tool := "", ""
	var args any
	switch t {
	case sentinel.Bash:
		args = map[string]string{"command": target}
	case sentinel.FileWrite:
		args = map[string]string{"file_path": target, "content": with}
	default:
		var ok bool
		if server, tool, ok = strings.Cut(target, ":"); !ok || server == "" || tool == "" {
			return ev, fmt.Errorf("--mcp wants SERVER:TOOL, not %q", target)
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(with), &object); err != nil || object == nil {
			return ev, fmt.Errorf("--args wants a JSON object: %v", err)
		}
		args = object
	}
	ev.Tool.Name = p.ToolName(t, server, tool)
	raw, err := json.Marshal(args)
	ev.Tool.Args = raw
	return ev, err
}
