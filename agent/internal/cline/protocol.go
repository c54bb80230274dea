package cline

import (
	"encoding/json"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// decode reads one event of either program. The only folders are the roots of the
// workspace; Cline runs its commands in the first of them.
func decode(stdin []byte) (sentinel.Event, error) {
	in, err := wire.Parse(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	name, err := in.Need("hookName")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev := sentinel.Event{Agent: Name, Phase: phases.Of(name)}
	if !wire.FromAgent(in) {
		_, ev.Prompt = wire.Spoken(wire.Object(in["userPromptSubmit"]))
	}
	if ev.Session, err = in.Text("taskId"); err != nil {
		return sentinel.Event{}, err
	}
	if ev.Roots, err = in.Folders("workspaceRoots"); err != nil {
		return sentinel.Event{}, err
	}
	if len(ev.Roots) > 0 {
		ev.Dir = ev.Roots[0]
	}
	switch ev.Phase {
	case sentinel.PhasePre:
		ev.Tool, err = tool(in, "tool_call", "preToolUse")
	case sentinel.PhasePost:
		ev.Tool, err = result(in)
	}
	if err != nil {
		return sentinel.Event{}, err
	}
	return ev, nil
}

// phases has the names of both programs, the extension's first. A task that was
// cancelled or failed has come to its end as well.
var phases = wire.Phases{
	Start: []string{"TaskStart", "TaskResume", "agent_start", "agent_resume"}, Prompt: []string{"UserPromptSubmit", "prompt_submit"},
	Pre: []string{"PreToolUse", "tool_call"}, Post: []string{"PostToolUse", "tool_result"},
	Stop: []string{"TaskComplete", "TaskCancel", "TaskError", "agent_end", "agent_abort", "agent_error"},
	End:  []string{"SessionShutdown", "session_shutdown"},
}

// tool reads a call. The command line program tells it twice: under native
// with its id and its arguments as they are, and as the extension does.
func tool(in wire.Payload, native, common string) (tool sentinel.ToolCall, err error) {
	call, err := in.Object(native)
	if err != nil {
		return tool, err
	}
	keys := [...]string{"name", "input"}
	if len(call) == 0 {
		if call, err = in.Object(common); err != nil {
			return tool, err
		}
		keys = [...]string{"toolName", "parameters"}
	}
	if tool.Name, err = call.Need(keys[0]); err != nil {
		return tool, err
	}
	if tool.ID, err = call.Text("id"); err != nil {
		return tool, err
	}
	tool.Args, err = call.ArgsOrList(keys[1])
	return tool, err
}

func result(in wire.Payload) (sentinel.ToolCall, error) {
	tool, err := tool(in, "tool_result", "postToolUse")
	if err != nil {
		return tool, err
	}
	if result, _ := in.Object("tool_result"); len(result) > 0 {
		tool.Output, tool.Result = output(result["output"])
		if raw, ok := result.Get("error"); ok {
			tool.Result = sentinel.ResultFailed
			if tool.Output == "" {
				tool.Output = wire.OutputUnder(raw, "message")
			}
		}
		tool.Failed = tool.Result == sentinel.ResultFailed
		return tool, nil
	}
	result, _ := in.Object("postToolUse")
	tool.Output, tool.Result = output(result["result"])
	if !result.IsTrue("success") { // the extension leaves out what is false
		tool.Result = sentinel.ResultFailed
	}
	tool.Failed = tool.Result == sentinel.ResultFailed
	return tool, nil
}

// output reads what a tool returned: a text, or {query, result, error,
// success} or a list of these, also as JSON in a string. Each command of a call
// has one, and says there alone that it failed.
func output(raw json.RawMessage) (output string, came sentinel.Result) {
	if len(raw) == 0 || raw[0] == 'n' {
		return "", sentinel.ResultUnknown
	}
	inner := raw
	var text string
	if json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		inner = json.RawMessage(text)
	}
	var results []wire.Payload
	if json.Unmarshal(inner, &results) != nil {
		results = []wire.Payload{wire.Object(inner)}
	}
	if len(results) == 0 || !slices.ContainsFunc(results, func(r wire.Payload) bool { return r.Has("result", "success") }) {
		return wire.Output(raw), sentinel.ResultUnknown
	}
	told, failed := true, false
	texts := make([]*string, len(results))
	for i, r := range results {
		one := wire.OutputUnder(r["result"])
		if r["result"] == nil {
			one = wire.OutputUnder(r["error"])
		}
		texts[i] = &one
		told, failed = told && r.IsTrue("success"), failed || string(r["success"]) == "false"
	}
	if told || failed {
		came = wire.Went(failed)
	}
	return wire.Lines(texts...), came
}

// reply is an answer. A key that Cline has given up, shouldContinue, makes it
// drop the whole.
type reply struct {
	Cancel              bool   `json:"cancel,omitempty"`
	ContextModification string `json:"contextModification,omitempty"`
	ErrorMessage        string `json:"errorMessage,omitempty"`
}

// encode answers by JSON at exit 0. The only refusal that Cline knows ends the
// whole run, not only the call; it cannot ask.
func encode(ev sentinel.Event, d sentinel.Decision) wire.Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		if !wire.Proceeds(d) {
			return wire.JSON(reply{Cancel: true, ErrorMessage: wire.Denial(d)}).Keeping(d)
		}
	case sentinel.PhasePost:
	default:
		return wire.Answer{Kept: d.Context()}
	}
	if context := wire.Context(d); context != "" {
		return wire.JSON(reply{ContextModification: context})
	}
	return wire.Answer{}
}
