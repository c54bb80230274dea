package state_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/state"
)

func TestGiven(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 30, 14, 0, 0, 0, time.UTC)
	given := state.NewGiven(t.TempDir(), func() time.Time { return now })
	const ever = 0
	for i, step := range []struct {
		after               time.Duration
		session, rule, text string
		within              time.Duration
		want                bool
	}{
		{0, "s", "r", "text", ever, false},
		{0, "s", "r", "text", ever, true},
		{0, "s", "r", "text, changed", ever, false},
		{0, "s", "rt", "ext", ever, false}, // not the same as "r", "text"
		{0, "S", "r", "text", ever, false},
		{time.Hour, "s", "r", "text", ever, true},

		{0, "s", "info", "advice", 30 * time.Second, false},
		{29 * time.Second, "s", "info", "advice", 30 * time.Second, true},
		{time.Second, "s", "info", "advice", 30 * time.Second, false}, // 30 s after it was given, not after it was asked for
		{29 * time.Second, "s", "info", "advice", 30 * time.Second, true},
		{-time.Hour, "s", "info", "advice", 30 * time.Second, false}, // the clock was set back

		{0, "", "r", "text", ever, false}, // sessions without a name are many
		{0, "", "r", "text", ever, false},
		{0, "", "info", "advice", 30 * time.Second, false},
		{0, "", "info", "advice", 30 * time.Second, true},
	} {
		now = now.Add(step.after)
		require.Equal(t, step.want, given.Repeated(step.session, step.rule, step.text, step.within), "step %d", i)
	}

	require.NoError(t, given.Forget("s"))
	require.NoError(t, given.Forget("never heard of"))
	require.False(t, given.Repeated("s", "r", "text", ever))
	require.True(t, given.Repeated("S", "r", "text", ever))
}

// A session's name is hostile and becomes no part of a path; its texts are not
// kept.
func TestGivenKeepsDigests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.False(t, state.NewGiven(dir, nil).Repeated("../../../../tmp/x", "rule", "a secret text", 0))
	data, err := os.ReadFile(onlyFile(t, dir))
	require.NoError(t, err)
	require.NotContains(t, string(data), "secret")
}

func TestGivenIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	given := state.NewGiven(dir, nil)
	const many = 4500
	for i := range many {
		require.False(t, given.Repeated("s", "r", fmt.Sprint(i), 0))
	}
	require.True(t, given.Repeated("s", "r", fmt.Sprint(many-1), 0))
	require.True(t, given.Repeated("s", "r", fmt.Sprint(many-900), 0))
	require.False(t, given.Repeated("s", "r", "0", 0), "the oldest are forgotten")
	info, err := os.Stat(onlyFile(t, dir))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(64<<10))
}

// Damage makes a text be given again; it never mutes one that was not given.
func TestGivenDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	given := state.NewGiven(dir, nil)
	require.False(t, given.Repeated("s", "r", "1", 0))
	require.False(t, given.Repeated("s", "r", "2", 0))
	path := onlyFile(t, dir)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[3] ^= 1
	require.NoError(t, os.WriteFile(path, append(data, "torn"...), 0o600))
	require.True(t, given.Repeated("s", "r", "2", 0))
	require.False(t, given.Repeated("s", "r", "1", 0))
	require.True(t, given.Repeated("s", "r", "1", 0))
	require.True(t, given.Repeated("s", "r", "2", 0))
}

func TestGivenWhereNothingCanBeKept(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	given := state.NewGiven(file+"/below", nil)
	require.False(t, given.Repeated("s", "r", "text", 0))
	require.False(t, given.Repeated("s", "r", "text", 0))
}

func TestGivenOnceInGoroutines(t *testing.T) {
	t.Parallel()
	given := state.NewGiven(t.TempDir(), nil)
	var first atomic.Int32
	var wait sync.WaitGroup
	for range 30 {
		wait.Go(func() {
			for i := range 10 {
				if !given.Repeated("s", "r", fmt.Sprint(i), time.Hour) {
					first.Add(1)
				}
			}
		})
	}
	wait.Wait()
	require.EqualValues(t, 10, first.Load())
}

func TestGivenOnceInProcesses(t *testing.T) {
	t.Parallel()
	programtest.SkipOnWine(t, "on a busy machine its locks take longer than a hook waits, which then gives the text again")
	seen := map[string]int{}
	for _, out := range inProcesses(t, 6, "give", t.TempDir()) {
		for line := range strings.Lines(out) {
			seen[line]++
		}
	}
	require.Len(t, seen, 100)
	for text, times := range seen {
		require.Equal(t, 1, times, text)
	}
}

func giveTask(_ *testing.T, dir string, _ []string) {
	given := state.NewGiven(dir, nil)
	for i := range 100 {
		if text := fmt.Sprint("text ", i); !given.Repeated("s", "r", text, 0) {
			fmt.Println(text)
		}
	}
}
