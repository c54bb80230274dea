package rule

import "github.com/agentsentinel/sentinel"

// The triggers that a template variable belongs to, besides the triggers.
const (
	forAll        sentinel.Trigger = "all"
	forPost       sentinel.Trigger = "post"                         // known only after the tool has run
	forStop       sentinel.Trigger = "stop"                         // known only at the end of a turn
	forObligation sentinel.Trigger = "requires, also, before_first" // known only of an obligation
	forFiles      sentinel.Trigger = "file_write, file_read"
)

// A Variable is one of the {{names}} that prompt and message may hold.
type Variable struct {
	Name string
	For  string // triggers whose actions have it; all; post; or stop
	Doc  string
}

// Variables lists the template variables in the order of the documentation.
func Variables() []Variable {
	return []Variable{
		{"file_path", string(forFiles), "path from the project's folder"},
		{"content_snippet", "file_write", "what is written, in parts if it is long"},
		{"content_length", "file_write", "its number of characters"},
		{"command", "bash", "the command line"},
		{"server_name", "mcp", "the MCP server"},
		{"mcp_tool", "mcp", "its tool"},
		{"mcp_arguments", "mcp", "its arguments as JSON, in parts if they are long"},
		{"action_summary", "all", "the action in one line"},
		{"tool_name", "all", "the agent's name of the tool"},
		{"trigger", "all", "file_write, file_read, bash or mcp"},
		{userRequest, "all", "in `prompt`: the user's last requests"},
		{"tool_output", "post", "what the tool returned"},
		{"session_context", "post", "the summary of the session so far"},
		{"stale_files", string(forObligation), "up to 5 files that changed"},
		{"missing", string(forObligation), "what has not happened"},
		{"source", "all", "the rule's `source`"},
		{"turn", "stop", "what the turn did"},
	}
}

// variable says whether a template variable is known and to what it belongs.
func variable(name string) (known bool, belongs sentinel.Trigger) {
	for _, v := range Variables() {
		if v.Name == name {
			return true, sentinel.Trigger(v.For)
		}
	}
	return false, ""
}

// covers reports whether a rule with this trigger meets actions that a variable
// belongs to.
func covers(t, belongs sentinel.Trigger) bool {
	if t == "" {
		t = sentinel.Any
	}
	if belongs == forFiles {
		return t.Covers(sentinel.FileWrite) || t.Covers(sentinel.FileRead)
	}
	return t.Covers(belongs)
}

func variableNames() []string {
	vars := Variables()
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	return names
}
