// Package amazonq is Amazon Q Developer CLI, whose hooks Kiro CLI took over.
package amazonq

import (
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "amazonq"

// Agent is Amazon Q. Its events begin with a small letter; Cursor's do so too, and
// opencode's have dots.
var Agent = wire.Agent{
	Name: Name, Aliases: []string{"q"}, Title: "Amazon Q",
	Decode: decode, Encode: encode,
	Never: []string{"cursor_version", "conversation_id", "generation_id", "agent_action_name", "hookName"},
	Signs: []wire.Sign{{Spelling: wire.CamelCase, OtherEvents: []string{"dispose"}}},
	Abilities: wire.Abilities{
		Timeout: 30 * time.Second, // timeout_ms in its hook.rs; Kiro gives 60
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "refuses the call, with a text that says that a person must approve it",
		OnWarn:  "reads it with the next prompt",
	},
	Tools: wire.Tools{
		Write:       []string{"fs_write", "write"},
		Run:         []string{"execute_bash", "execute_cmd", "use_aws"},
		Read:        []string{"fs_read", "read"},
		Harmless:    []string{"dummy", "gh_issue", "introspect", "knowledge", "report_issue", "thinking"},
		Bookkeeping: []string{"thinking", "introspect"},
		Verbs:       []string{"fs_write"},
		Services:    []string{"use_aws"},
		Folders:     []wire.ToolKeys{{Tools: []string{"execute_bash", "execute_cmd"}, Keys: []string{"cwd", "working_dir"}}},
	},
	Settings: install.Settings{Files: files, Form: form, Wants: Wants, Before: []string{"preToolUse"}, Stop: []string{"stop"}, Steps: steps, Windows: install.Cmd},
	Traces: wire.Traces{
		Programs: []string{"qchat"}, Paths: []string{".aws/amazonq", "/Applications/Amazon Q.app"}, Repository: []string{".amazonq"}, Processes: []string{"qchat"},
		Environment: []string{"AWS_EXECUTION_ENV=AmazonQ-For-CLI"},
	},
	Starts: wire.Starts{
		Programs: []string{"qchat"},
		Options:  []string{"--trust-all-tools", "-a"},
		Tasks:    []string{"--no-interactive"},
		Changes:  []string{"mcp add*"},
	},
	Trial: trial,
	Seen: []wire.Seen{{
		Program: "Amazon Q, Kiro", Page: "amazonq.md",
		Ask: wire.Claim{Note: "refused with the question"}, Warn: wire.Claim{Note: "at the next prompt"},
		Context: wire.Claim{Note: "at the start and with a prompt"},
	}},
}

func trial(dir, command string) map[string]any {
	return wire.Trial(dir, "preToolUse", "execute_bash", command)
}
