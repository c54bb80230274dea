//go:build unix

package transcript_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// A FIFO in the place of a transcript or a journal does not block.
func TestFIFO(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := transcript.Open(path, transcript.Position{}, nil)
	require.ErrorIs(t, err, fs.ErrInvalid)
	j, err := transcript.OpenJournal(path, nil)
	require.NoError(t, err)
	require.Error(t, j.Append(sentinel.Event{Phase: sentinel.PhasePrompt, Prompt: "x"}))
}

// No planted link is followed, neither to a file nor to a folder.
func TestJournalFollowsNoLink(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	target := filepath.Join(root, "precious")
	require.NoError(t, os.WriteFile(target, []byte("keep"), 0o600))
	elsewhere := filepath.Join(root, "elsewhere")
	require.NoError(t, os.Mkdir(elsewhere, 0o700))
	ev := sentinel.Event{Phase: sentinel.PhasePrompt, Prompt: "x"}
	add := func(path string) error {
		j, err := transcript.OpenJournal(path, nil)
		require.NoError(t, err)
		return j.Append(ev)
	}

	link := filepath.Join(root, "link.jsonl")
	require.NoError(t, os.Symlink(target, link))
	require.Error(t, add(link), "the file, in a folder of the user")

	sessions := filepath.Join(root, ".sentinel", "sessions")
	require.NoError(t, os.MkdirAll(filepath.Join(sessions, "a"), 0o700))
	require.NoError(t, os.Symlink(target, filepath.Join(sessions, "a", "journal.jsonl")))
	require.Error(t, add(filepath.Join(sessions, "a", "journal.jsonl")), "the file, in a repository")
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(sessions, "b")))
	require.Error(t, add(filepath.Join(sessions, "b", "journal.jsonl")), "its folder")

	text, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "keep", string(text))
	in, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, in)

	path := filepath.Join(sessions, "c", "journal.jsonl")
	require.NoError(t, add(path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}
