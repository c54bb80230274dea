package agenttest

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// FuzzEvents feeds the decoder of an agent with its events and more: it refuses with ErrEvent or
// returns an event that can be mapped and answered. Answers mean what was decided.
func FuzzEvents(f *testing.F, name string, more ...string) {
	seed(f, name, more)
	f.Fuzz(func(t *testing.T, stdin []byte) {
		_, ok := Agents.Detect(stdin)
		_, err := Agents.Resolve("", stdin)
		require.Equal(t, ok, err == nil)
		ev, ok := decoded(t, name, stdin)
		if !ok {
			return
		}
		requireTool(t, ev, `{"[`, sentinel.PhasePre, sentinel.PhasePost)
		for _, d := range Decisions() {
			ans := Named(t, name).Encode(ev, d.Decision)
			RequireAnswer(t, ev, d.Decision, ans)
			RequireMeaning(t, name, ev, d.Decision, ans)
		}
	})
}

// FuzzDecode feeds the decoder of an agent as [FuzzEvents] does, one that also tells of questions to
// its user and is answered in JSON alone.
func FuzzDecode(f *testing.F, name string, more ...string) {
	seed(f, name, more)
	f.Fuzz(func(t *testing.T, stdin []byte) {
		if detected, ok := Agents.Detect(stdin); ok {
			resolved, err := Agents.Resolve("", stdin)
			require.NoError(t, err)
			require.Equal(t, detected, resolved.Name)
		}
		ev, ok := decoded(t, name, stdin)
		if !ok {
			return
		}
		requireTool(t, ev, `{"`, sentinel.PhasePre, sentinel.PhasePost, sentinel.PhasePermission)
		for _, d := range Decisions() {
			ans := Named(t, name).Encode(ev, d.Decision)
			RequireAnswer(t, ev, d.Decision, ans)
			require.Zero(t, ans.Exit)
			require.True(t, ans.Stdout == nil || json.Valid(ans.Stdout))
		}
	})
}

// seed adds the events of an agent, and more.
func seed(f *testing.F, name string, more []string) {
	for _, file := range GoldenEvents(f, name) {
		stdin, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(stdin)
	}
	for _, stdin := range more {
		f.Add([]byte(stdin))
	}
}

// decoded is the event of an agent. It is not ok for what the agent's decoder refuses.
func decoded(t *testing.T, name string, stdin []byte) (ev sentinel.Event, ok bool) {
	ev, err := Named(t, name).Decode(stdin)
	if err != nil {
		require.ErrorIs(t, err, sentinel.ErrEvent)
		require.Zero(t, ev)
		return ev, false
	}
	require.Equal(t, name, ev.Agent)
	return ev, true
}

// requireTool holds that the events of some phases name a tool whose arguments are JSON that begins
// with one of the given characters, and that no other event has one.
func requireTool(t *testing.T, ev sentinel.Event, begins string, phases ...sentinel.Phase) {
	if !slices.Contains(phases, ev.Phase) {
		require.Zero(t, ev.Tool)
		return
	}
	require.NotEmpty(t, ev.Tool.Name)
	require.True(t, json.Valid(ev.Tool.Args))
	require.Contains(t, begins, string(ev.Tool.Args[0]))
}
