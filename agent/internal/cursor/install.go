package cursor

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/install"
)

func files(p install.Place, s install.Scope) []string {
	return []string{filepath.Join(p.Base(s), ".cursor", "hooks.json")}
}

func form(string) install.Form {
	return install.Form{Shape: install.Flat, Head: install.Object{}.With("version", 1)}
}

// wants: shell commands and MCP calls come through events of their own, in which
// Cursor can ask its user and names the server; preToolUse is for the tools that write
// and delete. The matcher is a regular expression that may match anywhere; the events
// for shell and MCP have none, since each is one kind of tool.
func wants(_ string, h install.Hook) []install.Want {
	const writes = "Write|Edit|StrReplace|TabWrite|ApplyPatch|Delete|edit_file|search_replace|edit_notebook|delete_file|WriteShellStdin"
	const reads = "Read|read_file|Grep|grep_search"
	before, after := h.Matching(writes, reads), h.Matching(writes+"|Shell|MCP:.*", reads)
	pre := func(event string, members ...install.Pair) install.Want {
		o := handler(h, members...)
		if h.Strict {
			o = o.With("failClosed", true)
		}
		return install.Want{Event: event, Item: o}
	}
	other := func(event string, members ...install.Pair) install.Want {
		return install.Want{Event: event, Item: handler(h, members...)}
	}
	matching := func(tools string) install.Pair { return install.Pair{Key: "matcher", Value: "^(" + tools + ")$"} }
	return []install.Want{
		pre("preToolUse", matching(before)),
		pre("beforeShellExecution"),
		pre("beforeMCPExecution"),
		other("postToolUse", matching(after)),
		other("postToolUseFailure", matching(after)),
		other("stop"),
		other("sessionStart"),
		other("sessionEnd"),
		other("beforeSubmitPrompt"),
	}
}

// handler: Cursor counts the timeout in seconds.
func handler(h install.Hook, members ...install.Pair) install.Object {
	line := h.Shell(install.PowerShell).Line(h.Call(0, "--agent", Name))
	o := append(install.Object{}.With("command", line), members...)
	return o.With("timeout", h.Seconds())
}
