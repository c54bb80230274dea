package state_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/state"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, ".sentinel", "sessions", "s1")
	_, err := state.OpenFolder(dir, false)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, filepath.Join(root, ".sentinel"), "looking makes nothing")

	f, err := state.OpenFolder(dir, true)
	require.NoError(t, err)
	defer f.Close()
	ignore, err := os.ReadFile(filepath.Join(root, ".sentinel", ".gitignore"))
	require.NoError(t, err)
	require.Equal(t, "*\n", string(ignore))

	_, err = f.Read("a", 10)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.False(t, f.Has("a"))
	require.NoError(t, f.Remove("a"), "nothing to remove")
	for _, text := range []string{"one", "another", ""} {
		require.NoError(t, f.Replace("a", []byte(text)))
		data, err := f.Read("a", 10)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
	}
	require.True(t, f.Has("a"))
	require.NoError(t, f.Replace("a", []byte("0123456789x")))
	_, err = f.Read("a", 10)
	require.ErrorContains(t, err, "more than 10 bytes")
	require.NoError(t, f.Remove("a"))
	require.False(t, f.Has("a"))

	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.Error(t, f.Replace("folder", []byte("x")))
	_, err = f.Read("folder", 10)
	require.ErrorContains(t, err, "not a regular file")
	left, err := filepath.Glob(filepath.Join(dir, ".tmp-*"))
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file is left")
}

// Somebody who wants the folder in git says so, and keeps it so.
func TestFolderKeepsAGitignore(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, ".sentinel", ".gitignore")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("sessions/\n"), 0o644))
	f, err := state.OpenFolder(filepath.Join(root, ".sentinel", "sessions"), true)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "sessions/\n", string(data))
}

func TestNoFolderOfOurs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{root, filepath.Join(root, "sentinel", "x"), ".sentinel/x", "", filepath.Join(root, "gone", ".sentinel", "x")} {
		_, err := state.OpenFolder(dir, true)
		require.Error(t, err, dir)
	}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// Many processes replace one file: a reader sees one of them whole.
func TestFolderInProcesses(t *testing.T) {
	t.Parallel()
	programtest.SkipOnWine(t, "it replaces no file that a reader has open")
	dir := filepath.Join(t.TempDir(), ".sentinel", "sessions", "s1")
	inProcesses(t, 4, "folder", dir)
	f, err := state.OpenFolder(dir, false)
	require.NoError(t, err)
	defer f.Close()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// folderTask replaces and reads a file that others replace at the same time.
func folderTask(t *testing.T, dir string, _ []string) {
	f, err := state.OpenFolder(dir, true)
	require.NoError(t, err)
	defer f.Close()
	for i := range 100 {
		whole := bytes.Repeat([]byte(fmt.Sprintf("%04d", i)), 500)
		require.NoError(t, f.Replace("summary", whole))
		data, err := f.Read("summary", 1<<20)
		if err != nil { // it was replaced at this moment, which is said and not guessed
			require.ErrorContains(t, err, "was replaced")
			continue
		}
		require.Equal(t, bytes.Repeat(data[:4], 500), data)
	}
}
