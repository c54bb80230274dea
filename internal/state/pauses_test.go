package state_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

func TestPauses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "paused")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := state.NewPauses(path, ourSeal(), func() time.Time { return now })
	require.Empty(t, s.All())
	require.NoError(t, s.End("/a"), "nothing to end is no error")

	require.NoError(t, s.Set("/a/", state.Pause{Since: now, Until: now.Add(time.Minute), By: "ann"}))
	require.NoError(t, s.Set("/b", state.Pause{Since: now, Until: now.Add(time.Hour), By: "bob"}))
	p, ok := s.Get("/a")
	require.True(t, ok)
	require.Equal(t, "ann", p.By)
	_, ok = s.Get("/c")
	require.False(t, ok)
	require.Len(t, s.All(), 2)

	now = now.Add(time.Minute)
	_, ok = s.Get("/a")
	require.False(t, ok, "it has ended by itself")
	require.NoError(t, s.End("/b"))
	require.Empty(t, s.All())
	require.NoFileExists(t, path, "nothing is paused: there is no file to look at")
}

// A pause that no user could have asked for has no effect.
func TestPausesThatAreNone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, data := range map[string]string{
		"empty":           ``,
		"torn":            `{"/a":{"since":"2026-03-01T11:0`,
		"another type":    `[1]`,
		"no times":        `{"/a":{}}`,
		"for years":       `{"/a":{"since":"2026-03-01T11:00:00Z","until":"2036-03-01T11:00:00Z"}}`,
		"too long":        `{"/a":{"since":"2026-03-01T11:00:00Z","until":"2026-03-01T19:00:01Z"}}`,
		"over":            `{"/a":{"since":"2026-03-01T11:00:00Z","until":"2026-03-01T12:00:00Z"}}`,
		"from the future": `{"/a":{"since":"2026-03-01T12:00:01Z","until":"2026-03-01T13:00:00Z"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "paused")
			require.NoError(t, state.NewSealed(ourKey(), "pauses 1").Write(path, []byte(data)))
			require.Empty(t, state.NewPauses(path, ourSeal(), func() time.Time { return now }).All())
		})
	}
	path := filepath.Join(t.TempDir(), "paused")
	require.NoError(t, state.NewSealed(ourKey(), "pauses 1").Write(path, []byte(`{"/a":{"since":"2026-03-01T11:00:00Z","until":"2026-03-01T19:00:00Z"}}`)))
	require.Len(t, state.NewPauses(path, ourSeal(), func() time.Time { return now }).All(), 1)
}
