// Package pi is pi, as of version 1.5.2, which has no command hooks. Sentinel's extension
// passes on what its handlers are given, under the field names that the other agents
// use.
package pi

import (
	"github.com/agentsentinel/sentinel/agent/internal/plugin"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "pi"

// Agent is pi. Its own names of events are those of many programs, so the extension puts
// pi. before them. pi waits for ever on an extension, which therefore has a clock of its
// own.
var Agent = wire.Agent{
	Name: Name, Title: "pi",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{{Events: []string{"pi.*"}}},
	Abilities: wire.Abilities{
		AsksUser: true, ContextBefore: true, ContextAfter: true, TellsEnd: true, TellsResults: true, NumbersCalls: true,
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "asks its user; where no person can be asked (pi -p) the call is refused",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{
		Write:  []string{"write", "edit"},
		Run:    []string{"bash", "powershell"},
		Read:   []string{"read"},
		Search: []string{"grep"},
		Harmless: []string{
			"codemode", "find", "list_mcp_resource_templates", "list_mcp_resources", "ls", "read_mcp_resource", "tool_search",
		},
		PowerShell: []string{"powershell"},
	},
	Guards: []string{"~/.pi/agent/settings.json", "~/.pi/agent/trust.json"},
	Settings: install.Settings{
		Files: files, Form: plugin.Form, Script: script, ReadScript: readScript, Steps: steps,
		Reach: install.ReachRoot, // TestSubfolder/pi
	},
	Sessions: wire.Sessions{Format: Name, Homes: sessionHomes, Files: []string{"sessions/*/*.jsonl"}},
	Traces: wire.Traces{
		Programs: []string{"pi"}, Version: true, Processes: []string{"pi"}, Environment: []string{"PI_CODING_AGENT", "PI_SESSION_ID"},
	},
	Starts: wire.Starts{
		Programs:  []string{"pi", "pi-coding-agent"},
		Options:   []string{"--no-extensions", "-ne", "--no-approve", "-na"},
		Tasks:     []string{"-p", "--print", "--mode"},
		Changes:   []string{"mcp add*", "install *", "remove *", "uninstall *"},
		Variables: []string{"PI_CODING_AGENT_DIR"},
	},
	Trial: trial,
	Seen: []wire.Seen{{
		Page: "pi.md", Version: "1.5.2",
		Block:   wire.Claim{Test: "TestPi/blocked", Note: "by the extension"},
		Ask:     wire.Claim{Test: "TestPiAsksItsUser", Note: "by its dialog; refused where no person can be asked"},
		Warn:    wire.Claim{Test: "TestPi/warned", Note: "with the result"},
		Context: wire.Claim{Recorded: true},
		Stop:    wire.Claim{Test: "TestPi/harmless"},
		Parts: map[string]string{
			"subagent": "no: it has none", "kept": "no: it has no event that can refuse the end of a turn",
		},
	}},
}

func trial(dir, command string) map[string]any {
	return wire.Trial(dir, "pi.tool_call", "bash", command)
}
