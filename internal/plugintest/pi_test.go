package plugintest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
)

// piDriver loads the extension as pi does and calls its handlers with the steps it is
// given: [event's name, event, answer of the user or null].
const piDriver = `
import { pathToFileURL } from "node:url"
const { default: load } = await import(pathToFileURL(process.argv[2]))
const toasts = []
const handlers = {}
load({ on: (name, handler) => { handlers[name] = handler } })
const results = []
for (const [name, event, answer] of JSON.parse(process.argv[4])) {
  const ui = { notify: (message) => toasts.push(message), confirm: async (_title, message) => { toasts.push(message); return answer } }
  const sessionManager = { getSessionId: () => "s", getSessionFile: () => undefined }
  try {
    const output = await handlers[name](event, { cwd: process.argv[3], hasUI: answer !== null, ui, sessionManager })
    results.push({ output })
  } catch (error) {
    results.push({ error: error.message })
  }
}
console.log(JSON.stringify({ results, toasts }))
`

func pi(t *testing.T, h install.Hook, body string, steps ...[]any) session {
	t.Helper()
	return drive(t, "pi", piDriver, h, body, steps...)
}

func piCall(tool string, user any) []any {
	return []any{"tool_call", object{"toolName": tool, "toolCallId": "c", "input": object{"path": "a"}}, user}
}

func piResult(more object) []any {
	event := object{"toolName": "write", "toolCallId": "c", "input": object{}, "content": []any{
		object{"type": "text", "text": "done"}, object{"type": "image", "data": "AAAA"},
	}}
	for key, value := range more {
		event[key] = value
	}
	return []any{"tool_result", event, nil}
}

// TestPiRefuses: what is denied is refused, and a question is the user's where there is
// one.
func TestPiRefuses(t *testing.T) {
	t.Parallel()
	refusal := object{"block": true, "reason": "no"}
	s := pi(t, install.Hook{}, `echo '{"deny":true,"reason":"no"}'`, piCall("write", true), piCall("ls", nil))
	require.Equal(t, refusal, s.Results[0].Output)
	require.Nil(t, s.Results[1].Output)
	require.Len(t, s.events, 1)
	require.Equal(t, "hook --agent pi --deadline 15000ms\n", s.args)
	require.Equal(t, "pi.tool_call", s.events[0]["hook_event_name"])
	require.Equal(t, object{"path": "a"}, s.events[0]["tool_input"])
	require.Empty(t, s.Toasts)

	s = pi(t, install.Hook{}, `echo '{"ask":"may it?","reason":"no"}'`, piCall("write", true), piCall("write", false), piCall("write", nil))
	require.Nil(t, s.Results[0].Output)
	require.Equal(t, refusal, s.Results[1].Output)
	require.Equal(t, refusal, s.Results[2].Output)
	require.Equal(t, []string{"may it?", "may it?"}, s.Toasts)
}

// TestPiGivesContext: what was said before a call follows its result, and what was
// said of a call that a script made follows the result of the script.
func TestPiGivesContext(t *testing.T) {
	t.Parallel()
	const body = `case $event in *tool_call*) echo '{"context":"earlier"}' ;; *) echo '{"context":"later"}' ;; esac`
	s := pi(t, install.Hook{}, body, piCall("write", nil), piResult(object{"structuredContent": 1}), piCall("write", nil), piResult(object{"parentToolCallId": "p"}),
		[]any{"tool_result", object{"toolName": "codemode", "toolCallId": "p", "content": []any{}}, nil})
	content := s.Results[1].Output["content"].([]any)
	require.Len(t, content, 3)
	require.Equal(t, object{"type": "text", "text": "earlier\nlater"}, content[2])
	require.EqualValues(t, 1, s.Results[1].Output["structuredContent"])
	require.Nil(t, s.Results[3].Output)
	require.Equal(t, object{"content": []any{object{"type": "text", "text": "earlier\nlater"}}}, s.Results[4].Output)
	require.Len(t, s.events, 4)
	require.Equal(t, []any{object{"type": "text", "text": "done"}}, s.events[1]["tool_response"].(object)["content"], "no pictures")
}

// TestPiTellsOfSessions: a reload neither ends nor begins one, and what there is to say at
// the start is given with the first prompt.
func TestPiTellsOfSessions(t *testing.T) {
	t.Parallel()
	reload := object{"reason": "reload"}
	s := pi(t, install.Hook{}, `case $event in *session_start*) echo '{"context":"welcome"}' ;; esac`,
		[]any{"session_start", object{"reason": "startup"}, nil}, []any{"before_agent_start", object{"prompt": "Do it."}, nil},
		[]any{"before_agent_start", object{}, nil}, []any{"agent_end", object{}, nil}, []any{"session_compact", object{}, nil},
		[]any{"session_shutdown", reload, nil}, []any{"session_start", reload, nil}, []any{"session_shutdown", object{"reason": "quit"}, nil})
	require.Equal(t, object{"message": object{"customType": "sentinel", "content": "welcome", "display": true}}, s.Results[1].Output)
	require.Nil(t, s.Results[2].Output)
	var names []any
	for _, event := range s.events {
		names = append(names, event["hook_event_name"])
	}
	require.Equal(t, []any{
		"pi.session_start", "pi.before_agent_start", "pi.before_agent_start", "pi.agent_end", "pi.session_start", "pi.session_shutdown",
	}, names)
	require.Equal(t, "Do it.", s.events[1]["prompt"])
	require.Equal(t, "compact", s.events[4]["source"])
}

// TestPiWithoutAnAnswer: the call goes on, or is refused where the project is strict.
func TestPiWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	s := pi(t, install.Hook{}, "exit 1", piCall("bash", true), piCall("bash", true), piResult(nil))
	require.Nil(t, s.Results[0].Output)
	require.Nil(t, s.Results[2].Output)
	require.Equal(t, []string{"Sentinel: sentinel ended with status 1"}, s.Toasts, "told once")
	s = pi(t, install.Hook{Strict: true}, "exit 1", piCall("bash", nil), piResult(nil))
	require.Equal(t, true, s.Results[0].Output["block"])
	require.Contains(t, s.Results[0].Output["reason"], "Sentinel could not be asked about this call")
	require.Nil(t, s.Results[1].Output)
	require.Empty(t, s.Toasts)
}
