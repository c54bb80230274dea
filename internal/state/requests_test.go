package state_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

// The last three requests of a session count for half a day, and for that session alone.
func TestRequestsAreTheLastOfTheirSession(t *testing.T) {
	t.Parallel()
	now := tamperTime()
	r := state.NewRequests(filepath.Join(t.TempDir(), "requests"), ourSeal(), func() time.Time { return now })
	require.Empty(t, r.Last("a", "/w"))
	for _, said := range []string{"one", "two", "three", "two", "four"} {
		require.NoError(t, r.Add("a", "/w", said))
	}
	require.NoError(t, r.Add("../../b", "/w", "other"))
	require.Equal(t, []string{"three", "two", "four"}, r.Last("a", "/w"), "said again, it counts once and as the last")
	require.Equal(t, []string{"other"}, r.Last("../../b", "/w"))

	require.NoError(t, r.Add("a", "/w", ""))
	require.Empty(t, r.Last("a", "/w"), "somebody else spoke last")
	require.NoError(t, r.Add("a", "/w", strings.Repeat("x", 1<<20)))
	require.Empty(t, r.Last("a", "/w"), "what is too long is not known")
	require.NoError(t, r.Add("a", "/w", "five"))
	require.Equal(t, []string{"four", "five"}, r.Last("a", "/w"), "what is not known takes a place")
	require.Empty(t, r.Last("a", "/elsewhere"), "its names mean something else there")

	now = now.Add(11 * time.Hour)
	require.NoError(t, r.Add("a", "/w", "late"))
	now = now.Add(2 * time.Hour)
	require.Equal(t, []string{"late"}, r.Last("a", "/w"))
	now = now.Add(-14 * time.Hour)
	require.Empty(t, r.Last("a", "/w"), "none is from the future")
	require.NoError(t, r.Forget("a"))
	require.NoError(t, r.Forget("never seen"))
	now = now.Add(14 * time.Hour)
	require.Empty(t, r.Last("a", "/w"))
}

// In a session whose agent sends itself prompts none counts, whatever comes later.
func TestRequestsOfAClosedSession(t *testing.T) {
	t.Parallel()
	r := state.NewRequests(filepath.Join(t.TempDir(), "requests"), ourSeal(), tamperTime)
	require.NoError(t, r.Add("a", "/w", "one"))
	require.NoError(t, r.Close("a"))
	require.NoError(t, r.Add("a", "/w", "two"))
	require.NoError(t, r.Forget("a"))
	require.NoError(t, r.Add("a", "/w", "three"))
	require.Empty(t, r.Last("a", "/w"))
}

// Without a key nothing is kept and nothing believed.
func TestRequestsNeedAKey(t *testing.T) {
	t.Parallel()
	r := state.NewRequests(t.TempDir(), state.Sealing{}, nil)
	require.ErrorIs(t, r.Add("a", "/w", "one"), state.ErrNoKey)
	require.Empty(t, r.Last("a", "/w"))
}
