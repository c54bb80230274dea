//go:build unix

package repo

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// git waits for a pipe for ever, and reads a device without end.
func TestPipesAndDevices(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"info/attributes", "config.worktree", "refs/heads/other", "objects/info/alternates"} {
		o := newOrigin(t)
		o.write("a.txt", "one")
		o.commit("first")
		file := filepath.Join(o.dir, ".git", filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, syscall.Mkfifo(file, 0o600))
		_, err := Clone(t.Context(), o.dir, nil)
		var failed *CloneError
		require.ErrorAs(t, err, &failed, name)
		require.Equal(t, ReasonAddress, failed.Reason, name)
		require.ErrorContains(t, err, filepath.Base(file)+" is a pipe or a device")
	}

	o := newOrigin(t)
	o.write("a.txt", "one")
	o.commit("first")
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(filepath.Join(o.dir, ".git"), moved))
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, ".git"), []byte("gitdir: "+moved+"\n"), 0o600))
	clone(t, o.dir, nil)
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(moved, "packed-refs")))
	_, err := Clone(t.Context(), o.dir, nil)
	require.ErrorContains(t, err, "packed-refs is a pipe or a device")
}

// The files of the folder are looked at by git status alone, which opens those that
// say what it leaves out.
func TestPipeInTheFolder(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("a.txt", "one")
	o.commit("first")
	require.NoError(t, syscall.Mkfifo(filepath.Join(o.dir, "pipe"), 0o600))
	require.Equal(t, 0, o.clone(nil).Subject().Dirty, "a pipe is nothing that could be committed")
	require.NoError(t, os.Mkdir(filepath.Join(o.dir, "sub"), 0o755))
	require.NoError(t, syscall.Mkfifo(filepath.Join(o.dir, "sub", ".gitignore"), 0o600))
	all := Investigate(t.Context(), o.clone(nil), parse(t, "  - {id: f, type: file, any: [a.txt]}"), nil)
	uncommitted := whole(t, all, ProbeUncommitted)
	require.Equal(t, audit.Error, uncommitted.Outcome)
	require.Contains(t, uncommitted.Summary, "a .gitignore or .gitattributes is a pipe")
}
