// Package windsurf is Cascade, the agent in Windsurf (now Devin Desktop), as documented
// in autumn 2026.
package windsurf

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "windsurf"

// Agent is Cascade. Its documentation names no timeout.
var Agent = wire.Agent{
	Name: Name, Title: "Windsurf",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{{All: []string{"agent_action_name"}}},
	Abilities: wire.Abilities{
		NoStart: true, HearsPerson: true,
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "refuses the call, with a text that says that a person must approve it",
		OnWarn:  "does not read it: the person does",
	},
	Tools: wire.Tools{
		Write:  []string{"write_to_file", "replace_file_content", "multi_replace_file_content"},
		Run:    []string{"run_command", "send_command_input"},
		Read:   []string{"view_file", "view_file_outline"},
		Search: []string{"search_in_file"},
		Harmless: []string{
			"browser_preview", "check_deploy_status", "command_status", "find_by_name", "list_resources",
			"read_resource", "read_url_content", "search_web", "suggested_responses", "todo_list", "trajectory_search",
			"view_code_item", "view_content_chunk",
		},
		Bookkeeping: []string{"todo_list"},
		NoCommand:   []string{"send_command_input"},
		Folders:     []wire.ToolKeys{{Tools: []string{"run_command"}, Keys: []string{"cwd", "Cwd"}}},
	},
	Settings: install.Settings{
		Files: files, Form: form, Wants: wants, Windows: install.PowerShell,
		Before: []string{"pre_write_code", "pre_run_command", "pre_mcp_tool_use", "pre_read_code"}, Stop: []string{"post_cascade_response_with_transcript"},
	},
	Guards: []string{"~/.codeium/hooks.json"},
	Traces: wire.Traces{
		Programs: []string{"windsurf"}, Paths: []string{".windsurf/extensions", "/Applications/Windsurf.app"},
		Repository: []string{".windsurf", ".windsurfrules"},
	},
	Trial: trial,
	Seen: []wire.Seen{{
		Page: "windsurf.md",
		Ask:  wire.Claim{Note: "refused with the question"}, Warn: wire.Claim{Note: "for the user only"},
		Context: wire.Claim{Never: true, Note: "for the user only"},
	}},
}

func trial(dir, command string) map[string]any {
	return map[string]any{
		"agent_action_name": "pre_run_command", "trajectory_id": wire.TrialSession, "execution_id": "trial", "timestamp": wire.TrialTime,
		"tool_info": map[string]any{"command_line": command, "cwd": dir},
	}
}

func files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(p.Home, ".codeium", "windsurf", "hooks.json")}
	}
	return []string{filepath.Join(p.Root, ".windsurf", "hooks.json")}
}

func form(string) install.Form { return install.Form{Shape: install.Flat} }

// wants: Cascade has an event for each kind of tool in place of a matcher. Its end of a
// turn hands the transcript over; nothing can be blocked there. The user's prompts come
// through an event of their own, which tells sessions apart and is kept with them.
func wants(_ string, h install.Hook) []install.Want {
	kinds := []string{"write_code", "run_command", "mcp_tool_use"}
	if h.Reads {
		kinds = append(kinds, "read_code")
	}
	var all []install.Want
	add := func(event string, strict bool) {
		all = append(all, install.Want{Event: event, Item: handler(h, strict)})
	}
	for _, kind := range kinds {
		add("pre_"+kind, h.Strict)
	}
	for _, kind := range kinds {
		add("post_"+kind, false)
	}
	add("post_cascade_response_with_transcript", false)
	shown := handler(h, false).With("show_output", true) // what the person is told once in a session
	return append(all, install.Want{Event: "pre_user_prompt", Item: shown})
}

// handler: there is no timeout to set, and how long Cascade waits is not documented, so
// the deadline is never longer than the usual one. Only exit status 2 stops a call.
func handler(h install.Hook, strict bool) install.Object {
	line := func(goos string, s install.Shell) string {
		return s.Line(h.On(goos).Call(install.DefaultTimeout, "--agent", Name))
	}
	unix, windows := "", install.SameStatus
	if strict {
		unix, windows = install.Posix.ElseDeny(), install.PowerShell.ElseDeny()
	}
	return install.Object{}.
		With("command", line("linux", install.Posix)+unix).
		With("powershell", line("windows", install.PowerShell)+windows)
}
