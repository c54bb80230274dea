//go:build unix

package state_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

// A disk that takes no more bytes does no harm: kept data stays, and new
// data is lost. A limit on the size of files takes the place of the disk.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	inProcesses(t, 1, "full", t.TempDir())
}

func fullTask(t *testing.T, dir string, _ []string) {
	cache, values := state.NewCache(dir+"/cache", nil), state.NewValues(dir+"/values")
	given, ledger := state.NewGiven(dir+"/told", nil), state.NewLedger(dir+"/usage")
	set := func(s string) error { return values.Update("v", func([]byte) []byte { return []byte(s) }) }

	cache.Put("a", []byte("kept"))
	require.NoError(t, set("kept"))
	require.False(t, given.Repeated("s", "r", "kept", 0))
	require.NoError(t, ledger.Add(today, 5, 0, false))

	signal.Ignore(syscall.SIGXFSZ)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 30, Max: 30}))
	cache.Put("b", []byte("a value that is longer than the disk has room for"))
	_, ok := cache.Get("b")
	require.False(t, ok)
	cache.Put("a", []byte("a value that is longer than the disk has room for"))
	got, ok := cache.Get("a")
	require.True(t, ok)
	require.Equal(t, "kept", string(got), "the old one stays")

	require.Error(t, set("a value that is longer than the disk has room for"))
	require.Nil(t, values.Load("v"), "a torn value is none")

	require.False(t, given.Repeated("s", "r", "another", 0))
	require.False(t, given.Repeated("s", "r", "another", time.Hour), "not kept, so given again")
	require.True(t, given.Repeated("s", "r", "kept", 0))

	require.Error(t, ledger.Add(today, 7, 0, false))
	tokens, _, err := ledger.Used(today)
	require.NoError(t, err)
	require.EqualValues(t, 5, tokens)
	_, err = os.Stat(dir)
	require.NoError(t, err)
}
