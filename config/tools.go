package config

import (
	"maps"
	"slices"

	"github.com/agentsentinel/sentinel"
)

// ToolName is the configuration's name for a tool that does t, for a caller that has
// actions and not an agent's tools. server and tool name the tool of [sentinel.MCP].
func (c *Config) ToolName(t sentinel.Trigger, server, tool string) string {
	want := "Write"
	switch t {
	case sentinel.MCP:
		return c.MCPPrefix + server + c.MCPSeparator + tool
	case sentinel.Bash:
		want = "Bash"
	case sentinel.FileRead:
		want = "Read"
	}
	if c.ToolMap == nil || c.ToolMap[want] == string(t) || c.ToolMapExtra[want] == string(t) {
		return want
	}
	for _, name := range slices.Sorted(maps.Keys(c.ToolMap)) { // a tool_map replaces the usual names
		if c.ToolMap[name] == string(t) {
			return name
		}
	}
	return want
}
