package agenttest

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// FuzzEvents feeds a decoder: it refuses with ErrEvent or returns an event that
// can be mapped and answered.
func FuzzEvents(f *testing.F, name string, more ...string) {
	for _, file := range GoldenEvents(f, name) {
		stdin, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(stdin)
	}
	for _, stdin := range more {
		f.Add([]byte(stdin))
	}
	f.Fuzz(func(t *testing.T, stdin []byte) {
		_, ok := Agents.Detect(stdin)
		_, err := Agents.Resolve("", stdin)
		require.Equal(t, ok, err == nil)
		ev, err := Named(t, name).Decode(stdin)
		if err != nil {
			require.ErrorIs(t, err, sentinel.ErrEvent)
			require.Zero(t, ev)
			return
		}
		require.Equal(t, name, ev.Agent)
		switch ev.Phase {
		case sentinel.PhasePre, sentinel.PhasePost:
			require.NotEmpty(t, ev.Tool.Name)
			require.True(t, json.Valid(ev.Tool.Args))
			require.Contains(t, `{"[`, string(ev.Tool.Args[0]))
		default:
			require.Zero(t, ev.Tool)
		}
		for _, d := range Decisions() {
			ans := Named(t, name).Encode(ev, d.Decision)
			RequireAnswer(t, ev, d.Decision, ans)
			RequireMeaning(t, name, ev, d.Decision, ans)
		}
	})
}

// FuzzDecode feeds a decoder: it refuses with ErrEvent or returns an event that
// can be mapped and answered.
func FuzzDecode(f *testing.F, name string, more ...string) {
	for _, file := range GoldenEvents(f, name) {
		stdin, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(stdin)
	}
	for _, stdin := range more {
		f.Add([]byte(stdin))
	}
	f.Fuzz(func(t *testing.T, stdin []byte) {
		if detected, ok := Agents.Detect(stdin); ok {
			resolved, err := Agents.Resolve("", stdin)
			require.NoError(t, err)
			require.Equal(t, detected, resolved.Name)
		}
		ev, err := Named(t, name).Decode(stdin)
		if err != nil {
			require.ErrorIs(t, err, sentinel.ErrEvent)
			require.Zero(t, ev)
			return
		}
		require.Equal(t, name, ev.Agent)
		switch ev.Phase {
		case sentinel.PhasePre, sentinel.PhasePost, sentinel.PhasePermission:
			require.NotEmpty(t, ev.Tool.Name)
			require.True(t, json.Valid(ev.Tool.Args))
			require.Contains(t, `{"`, string(ev.Tool.Args[0]))
		default:
			require.Zero(t, ev.Tool)
		}
		for _, d := range Decisions() {
			ans := Named(t, name).Encode(ev, d.Decision)
			RequireAnswer(t, ev, d.Decision, ans)
			require.Zero(t, ans.Exit)
			require.True(t, ans.Stdout == nil || json.Valid(ans.Stdout))
		}
	})
}
