package state_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/state"
)

func TestWriteThenRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "er", "file")
	_, err := state.Read(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, text := range []string{"one", "", "a longer text"} {
		require.NoError(t, state.Write(path, []byte(text)))
		got, err := state.Read(path)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file is left")
}

func TestWhatOthersCouldHaveWrittenIsNotBelieved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("shared"), []byte("x"), 0o600))
	require.NoError(t, os.Chmod(at("shared"), 0o666))
	require.NoError(t, os.Mkdir(at("folder"), 0o700))
	for _, name := range []string{"folder", "shared", "link"} {
		switch {
		case name == "shared" && runtime.GOOS == "windows":
			continue // where a mode does not say it
		case name == "link":
			programtest.Link(t, at("shared"), at("link"))
		}
		_, err := state.Read(at(name))
		require.Error(t, err, name)
	}
}

func TestAllProcessesGetOneKey(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	keys := make([][]byte, 16)
	var wait sync.WaitGroup
	for i := range keys {
		wait.Go(func() {
			key, err := state.Key(dir)
			if err == nil {
				keys[i] = key
			}
		})
	}
	wait.Wait()
	for _, key := range keys {
		require.Len(t, key, 32)
		require.Equal(t, keys[0], key)
	}
}

// A key that is lost, cut or too long is replaced, by one that all processes get. One
// that others could have written is an error: a person has to look at it.
func TestALostKeyIsReplaced(t *testing.T) {
	t.Parallel()
	programtest.SkipOnWine(t, "it replaces no file that a reader has open")
	for name, spoil := range map[string]func(path string) error{
		"removed": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 31) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"longer":  func(path string) error { return os.Truncate(path, 33) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			old, err := state.Key(dir)
			require.NoError(t, err)
			require.NoError(t, spoil(filepath.Join(dir, "key")))
			keys := make([][]byte, 8)
			var wait sync.WaitGroup
			for i := range keys {
				wait.Go(func() { keys[i], _ = state.Key(dir) })
			}
			wait.Wait()
			for _, key := range keys {
				require.Len(t, key, 32)
				require.Equal(t, keys[0], key)
				require.NotEqual(t, old, key)
			}
		})
	}
	dir := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "key"), 0o700))
	_, err := state.Key(dir)
	require.Error(t, err)
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	note := state.Note{Time: time.Unix(0, 0).UTC(), Kind: "unknown-tool", Agent: "claude", Text: "Frobnicate"}
	require.NoError(t, state.Append(dir, note))
	path := filepath.Join(dir, "notes.jsonl")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, `{"ts":"1970-01-01T00:00:00Z","kind":"unknown-tool","agent":"claude","text":"Frobnicate"}`, string(data))

	require.NoError(t, os.WriteFile(path, make([]byte, 300<<10), 0o600))
	require.NoError(t, state.Append(dir, note))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 300<<10, info.Size())
}

func TestPruneRemovesWhatIsOld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"old": 48 * time.Hour, "young": time.Hour} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), now.Add(-age), now.Add(-age)))
	}
	state.Prune(dir, 24*time.Hour, now)
	require.NoFileExists(t, filepath.Join(dir, "old"))
	require.FileExists(t, filepath.Join(dir, "young"))
}

// TestKeyWithoutAFolder: the secret never gets into the working folder.
func TestKeyWithoutAFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"", "."} {
		_, err := state.Key(dir)
		require.ErrorContains(t, err, "set HOME or XDG_STATE_HOME")
	}
	require.ErrorIs(t, state.NewValues("watched").Update("x", func([]byte) []byte { return []byte("y") }), state.ErrNoKey)
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, left)
}
