package sentinel_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// The JSON form of an event is fixed, and an action has in it the form that it has in a
// decision.
func TestEventJSON(t *testing.T) {
	t.Parallel()
	const want = `{"phase":"post","agent":"claude","session":"s1","dir":"/repo/src","root":"/repo","roots":["/repo"],` +
		`"tool":{"id":"c1","name":"Bash","args":"{\"command\": \"ls\"}","output":"a","failed":true,"result":"failed","part":true},` +
		`"actions":[{"trigger":"file_write","operation":"edit","target":"a.ts","derived_from":"","content":"x"}],` +
		`"transcript":"/t.jsonl","source":"compact","part":true,"prompt":"Go on."}`
	ev := sentinel.Event{
		Phase: sentinel.PhasePost, Agent: "claude", Session: "s1", Dir: "/repo/src", Root: "/repo", Roots: []string{"/repo"},
		Tool:       sentinel.ToolCall{ID: "c1", Name: "Bash", Args: json.RawMessage(`{"command": "ls"}`), Output: "a", Failed: true, Result: sentinel.ResultFailed, Part: true},
		Actions:    []sentinel.Action{{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Target: "a.ts", Content: "x"}},
		Transcript: "/t.jsonl", Source: "compact", Part: true, Prompt: "Go on.",
	}
	data, err := json.Marshal(ev)
	require.NoError(t, err)
	require.Equal(t, want, string(data))
	var decision struct{ Actions []json.RawMessage }
	data, err = json.Marshal(sentinel.Decision{Actions: ev.Actions})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &decision))
	action, err := json.Marshal(ev.Actions[0])
	require.NoError(t, err)
	require.Equal(t, string(decision.Actions[0]), string(action))

	for in, text := range map[string]string{
		`[]`: "cannot unmarshal", `{"phase":"never"}`: `unknown phase "never"`, `{"tool":{"result":"so so"}}`: `unknown result "so so"`,
		`{"actions":[{"operation":"burn"}]}`: `unknown operation "burn"`, `{"actions":[1]}`: "cannot unmarshal",
	} {
		var ev sentinel.Event
		require.ErrorContains(t, json.Unmarshal([]byte(in), &ev), text)
		require.Empty(t, ev, "an event that cannot be read is none")
	}
}

// No field of an event is lost on the way through JSON, but the other actions of a turn.
// An empty list of actions differs from none: without one a mapper is asked.
func TestEventJSONIsLossless(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var ev, got sentinel.Event
		fillAny(r, reflect.ValueOf(&ev).Elem())
		for i := range ev.Actions {
			a := &ev.Actions[i]
			a.Turn, a.Effects, a.Command = nil, nil, written(shell.Parse("git push <a &", nil))
		}
		if seed%10 == 0 {
			ev.Actions = []sentinel.Action{}
		}
		data, err := json.Marshal(ev)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &got), "%s", data)
		require.Equal(t, ev, got)
	}
}
