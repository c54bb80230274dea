package hook

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// amazonq is the command hook of Amazon Q Developer CLI, and of Kiro CLI, which
// it became.
type amazonq struct{}

// Name returns "amazonq".
func (amazonq) Name() string { return "amazonq" }

// timeout is Amazon Q's 30 seconds (timeout_ms in its hook.rs); Kiro gives 60.
func (amazonq) timeout(sentinel.Phase) time.Duration { return 30 * time.Second }

// Decode reads one event. Amazon Q sends no session and no transcript; Kiro CLI 3
// sends a session. Its hook file names the events in PascalCase, the events
// themselves do not; both spellings are understood.
func (amazonq) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev, name, err := common(in, "amazonq")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Phase = amazonqPhase(lowerFirst(name))
	if ev.Phase != sentinel.PhasePre && ev.Phase != sentinel.PhasePost {
		return ev, nil
	}
	if ev.Tool, err = calledTool(in); err != nil {
		return sentinel.Event{}, err
	}
	ev.Tool.Args = jsonInText(ev.Tool.Args)
	if ev.Tool.Name == "write" && object(ev.Tool.Args).has("command") {
		ev.Tool.Name = "fs_write" // Kiro's other name for it: "command" says what it does to the file
	}
	if response, ok := in.get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = amazonqOutput(response)
		ev.Tool.Failed = string(object(response)["success"]) == "false"
	}
	return ev, nil
}

// amazonqOutput makes one text of the list of results: each is a text, or an
// object such as a shell's.
func amazonqOutput(response json.RawMessage) string {
	var results []json.RawMessage
	if json.Unmarshal(object(response)["result"], &results) != nil {
		return outputUnder(response, "result")
	}
	texts := make([]*string, len(results))
	for i, raw := range results {
		text := claudeOutput(raw)
		texts[i] = &text
	}
	return lines(texts...)
}

func amazonqPhase(event string) sentinel.Phase {
	switch event {
	case "preToolUse":
		return sentinel.PhasePre
	case "postToolUse":
		return sentinel.PhasePost
	case "stop":
		return sentinel.PhaseStop
	case "agentSpawn", "sessionStart":
		return sentinel.PhaseStart
	case "userPromptSubmit":
		return sentinel.PhasePrompt
	}
	return sentinel.PhaseUnknown
}

// Encode answers by the exit code, with the reason on standard error. There is no
// asking. Only at the start and with a prompt is standard output read, as context.
func (amazonq) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !proceeds(d) {
			return Answer{Stderr: []byte(denial(d) + "\n"), Exit: 2, Kept: d.Context()}
		}
	case sentinel.PhaseStart, sentinel.PhasePrompt:
		if text := cutBytes(labelled(d.Context()), amazonqContextMax); text != "" {
			return Answer{Stdout: []byte(text)}
		}
		return Answer{}
	}
	return Answer{Kept: d.Context()}
}

// amazonqContextMax is what is read of standard output, in bytes: the default of
// max_output_size is 10,240.
const amazonqContextMax = 10_000

// sends knows the small letter that its events begin with. Cursor's do so too, and
// opencode's have dots.
func (amazonq) sends(in payload) bool {
	name, err := in.need("hook_event_name")
	if err != nil || in.has("cursor_version", "conversation_id", "generation_id", "agent_action_name", "hookName") {
		return false
	}
	return name[0] >= 'a' && name[0] <= 'z' && !strings.Contains(name, ".") && name != "dispose"
}
