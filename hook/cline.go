package hook

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
)

// cline is the hook of Cline: of its command line program as of version 3.0.65,
// and of the extension for VS Code, which sends less and puts every argument into
// a string.
type cline struct{}

// Name returns "cline".
func (cline) Name() string { return "cline" }

// timeout is 30 seconds and cannot be set in the extension (hook-factory.ts). The
// command line program gives more.
func (cline) timeout(sentinel.Phase) time.Duration { return 30 * time.Second }

// Decode reads one event of either program. There is no folder but the roots of
// the workspace, of which the first is where Cline runs its commands.
func (cline) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	name, err := in.need("hookName")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Agent: "cline", Phase: clinePhase(name)}
	_, ev.Prompt = spoken(object(in["userPromptSubmit"]))
	if ev.Session, err = in.text("taskId"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Roots, err = in.folders("workspaceRoots"); err != nil {
		return sentinel.Event{}, err
	}
	if len(ev.Roots) > 0 {
		ev.Dir = ev.Roots[0]
	}
	switch ev.Phase {
	case sentinel.PhasePre:
		ev.Tool, err = clineTool(in, "tool_call", "preToolUse")
	case sentinel.PhasePost:
		ev.Tool, err = clineResult(in)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

// clinePhase knows the names of both programs, the extension's first. A task that
// was cancelled or failed has come to its end as well.
func clinePhase(hook string) sentinel.Phase {
	switch hook {
	case "PreToolUse", "tool_call":
		return sentinel.PhasePre
	case "PostToolUse", "tool_result":
		return sentinel.PhasePost
	case "TaskComplete", "TaskCancel", "TaskError", "agent_end", "agent_abort", "agent_error":
		return sentinel.PhaseStop
	case "TaskStart", "TaskResume", "agent_start", "agent_resume":
		return sentinel.PhaseStart
	case "SessionShutdown", "session_shutdown":
		return sentinel.PhaseEnd
	case "UserPromptSubmit", "prompt_submit":
		return sentinel.PhasePrompt
	}
	return sentinel.PhaseUnknown
}

// clineTool reads a call. The command line program tells it twice: under native
// with its id and its arguments as they are, and as the extension does.
func clineTool(in payload, native, common string) (tool sentinel.ToolCall, err error) {
	call, err := in.object(native)
	if err != nil {
		return tool, err
	}
	keys := [...]string{"name", "input"}
	if len(call) == 0 {
		if call, err = in.object(common); err != nil {
			return tool, err
		}
		keys = [...]string{"toolName", "parameters"}
	}
	if tool.Name, err = call.need(keys[0]); err != nil {
		return tool, err
	}
	if tool.ID, err = call.text("id"); err != nil {
		return tool, err
	}
	tool.Args, err = call.argsOrList(keys[1])
	return tool, err
}

func clineResult(in payload) (sentinel.ToolCall, error) {
	tool, err := clineTool(in, "tool_result", "postToolUse")
	if err != nil {
		return tool, err
	}
	if result, _ := in.object("tool_result"); len(result) > 0 {
		tool.Output, tool.Failed = clineOutput(result["output"])
		if raw, ok := result.get("error"); ok {
			tool.Failed = true
			if tool.Output == "" {
				tool.Output = outputUnder(raw, "message")
			}
		}
		return tool, nil
	}
	result, _ := in.object("postToolUse")
	tool.Output, tool.Failed = clineOutput(result["result"])
	// The extension leaves out what is false.
	tool.Failed = tool.Failed || !result.isTrue("success")
	return tool, nil
}

// clineOutput reads what a tool returned: a text, or {query, result, error,
// success} or a list of these, also as JSON in a string. Each command of a call
// has one, and says there alone that it failed.
func clineOutput(raw json.RawMessage) (output string, failed bool) {
	if len(raw) == 0 || raw[0] == 'n' {
		return "", false
	}
	inner := raw
	var text string
	if json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		inner = json.RawMessage(text)
	}
	var results []payload
	if json.Unmarshal(inner, &results) != nil {
		results = []payload{object(inner)}
	}
	if len(results) == 0 || !slices.ContainsFunc(results, func(r payload) bool { return r.has("result", "success") }) {
		return claudeOutput(raw), false
	}
	texts := make([]*string, len(results))
	for i, r := range results {
		one := outputUnder(r["result"])
		if r["result"] == nil {
			one = outputUnder(r["error"])
		}
		texts[i] = &one
		failed = failed || string(r["success"]) == "false"
	}
	return lines(texts...), failed
}

// clineOut is an answer. A key that Cline has given up, shouldContinue, makes it
// drop the whole.
type clineOut struct {
	Cancel              bool   `json:"cancel,omitempty"`
	ContextModification string `json:"contextModification,omitempty"`
	ErrorMessage        string `json:"errorMessage,omitempty"`
}

// Encode answers by JSON at exit 0. The only refusal that Cline knows ends the
// whole run, not only the call; it cannot ask.
func (cline) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !proceeds(d) {
			ans := stdoutJSON(clineOut{Cancel: true, ErrorMessage: denial(d)})
			ans.Kept = d.Context()
			return ans
		}
	case sentinel.PhasePost:
	default:
		return Answer{Kept: d.Context()}
	}
	if context := join(d.Context()); context != "" {
		return stdoutJSON(clineOut{ContextModification: context})
	}
	return Answer{}
}

// marks knows the spelling of the hook's name. Copilot CLI's request for
// permission has one too, and a session beside it.
func (cline) marks(in payload) bool {
	return in.has("hookName") && !in.has("sessionId", "agent_action_name", "cursor_version")
}

func (c cline) sends(in payload) bool { return c.marks(in) }
