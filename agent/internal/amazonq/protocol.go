package amazonq

import (
	"encoding/json"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// contextMax is what is read of standard output, in bytes: the default of
// max_output_size is 10,240.
const contextMax = 10_000

// decode reads one event. Amazon Q sends no session and no transcript; Kiro CLI 3
// sends a session. Its hook file names the events in PascalCase, the events
// themselves do not; both spellings are understood.
func decode(stdin []byte) (sentinel.Event, error) {
	d := wire.Decoder{Agent: Name, Phases: phases, Tool: tool}
	return d.Decode(stdin)
}

func tool(in wire.Payload, _ string, ev *sentinel.Event) error {
	ev.Tool.Args = wire.JSONInText(ev.Tool.Args)
	if ev.Tool.Name == "write" && wire.Object(ev.Tool.Args).Has("command") {
		ev.Tool.Name = "fs_write" // Kiro's other name for it: "command" says what it does to the file
	}
	if response, ok := in.Get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = output(response)
		ev.Tool.Failed = string(wire.Object(response)["success"]) == "false"
	}
	return nil
}

// output makes one text of the list of results: each is a text, or an
// object such as a shell's.
func output(response json.RawMessage) string {
	var results []json.RawMessage
	if json.Unmarshal(wire.Object(response)["result"], &results) != nil {
		return wire.OutputUnder(response, "result")
	}
	texts := make([]*string, len(results))
	for i, raw := range results {
		text := wire.Output(raw)
		texts[i] = &text
	}
	return wire.Lines(texts...)
}

var phases = wire.Phases{
	Start: []string{"agentSpawn", "AgentSpawn", "sessionStart", "SessionStart"}, Prompt: []string{"userPromptSubmit", "UserPromptSubmit"},
	Pre: []string{"preToolUse", "PreToolUse"}, Post: []string{"postToolUse", "PostToolUse"}, Stop: []string{"stop", "Stop"},
}

// encode answers by the exit code, with the reason on standard error. It cannot ask.
// Standard output is read only at the start and with a prompt, as context.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !wire.Proceeds(d) {
			return wire.Refusal(d)
		}
	case sentinel.PhaseStart, sentinel.PhasePrompt:
		if text := wire.ContextWithin(d, contextMax); text != "" {
			return wire.Answer{Stdout: []byte(text)}
		}
		return wire.Answer{}
	}
	return wire.Answer{Kept: d.Context()}
}
