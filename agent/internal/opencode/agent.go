// Package opencode is opencode, as of version 1.18.33, which has no command hooks.
// Sentinel's plugin passes on what its callbacks are given, under the field names that
// the other agents use.
package opencode

import (
	"github.com/agentsentinel/sentinel/agent/internal/plugin"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "opencode"

// Agent is opencode. The plugin's events are known by their names, which have dots, and
// the arguments of its callbacks by the spelling of their fields. opencode waits for ever
// on a plugin, which therefore has a clock of its own.
var Agent = wire.Agent{
	Name: Name, Title: "opencode",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{
		{Events: []string{
			"tool.execute.before", "tool.execute.after", "session.idle", "session.created", "session.deleted", "dispose", "chat.message",
		}},
		{None: []string{"hook_event_name"}, Begins: [2]string{"id", "evt_"}, All: []string{"type", "properties"}},
		{None: []string{"hook_event_name"}, All: []string{"output"}, Within: [2]string{"input", "sessionID"}},
	},
	Abilities: wire.Abilities{
		ContextBefore: true, ContextAfter: true, TellsEnd: true, TellsResults: true, NumbersCalls: true, HearsPerson: true,
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "refuses the call, with a text that says that a person must approve it",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write:  []string{"write", "edit", "multiedit", "patch"},
		Run:    []string{"bash"},
		Read:   []string{"read"},
		Search: []string{"grep"},
		Harmless: []string{
			"codesearch", "invalid", "list", "lsp", "plan_enter", "plan_exit", "question", "todoread", "todowrite", "webfetch", "websearch",
		},
		Bookkeeping: []string{"todowrite", "todoread", "question"},
		Folders:     []wire.ToolKeys{{Tools: []string{"bash"}, Keys: []string{"workdir"}, Own: true}},
		Separator:   "_",
	},
	Settings: install.Settings{
		Files: files, Form: plugin.Form, Script: script, ReadScript: readScript, Steps: steps,
		Reach: install.ReachBelow, // TestSubfolder/opencode
	},
	Guards: []string{
		"opencode.json", "opencode.jsonc", "~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc", ".opencode/plugin/", "~/.config/opencode/plugin/",
	},
	Traces: wire.Traces{
		Programs: []string{"opencode"}, Paths: []string{".opencode/bin/opencode"}, Version: true,
		Repository: []string{".opencode", "opencode.json", "opencode.jsonc"},
		Processes:  []string{"opencode"}, Environment: []string{"OPENCODE"},
	},
	Starts: wire.Starts{
		Programs:  []string{"opencode", "opencode-ai"},
		Options:   []string{"--dangerously*", "--yolo"},
		Tasks:     []string{"run"},
		Changes:   []string{"mcp add*"},
		Variables: []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG_CONTENT"},
	},
	Plugin: wire.Plugin{Find: packaged, Flags: []string{"--agent", Name}},
	Trial:  trial,
	Seen: []wire.Seen{{
		Page: "opencode.md", Version: "1.18.33",
		Block:   wire.Claim{Test: "TestOpencode/blocked", Note: "by the plugin"},
		Ask:     wire.Claim{Test: "TestOpencode/asked", Note: "refused with the question"},
		Warn:    wire.Claim{Test: "TestOpencode/warned", Note: "in the result"},
		Context: wire.Claim{Recorded: true},
		Stop:    wire.Claim{Test: "TestOpencode/harmless"},
		Parts: map[string]string{
			"verified": "by receipts alone: its sessions are in an SQLite database", "kept": "no: it has no event that can refuse the end of a turn",
		},
	}},
}

func trial(dir, command string) map[string]any {
	return wire.Trial(dir, "tool.execute.before", "bash", command)
}
