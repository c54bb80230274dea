package gpulock_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/gpulock"
)

// Files that a cloned repository may have put in the place of the lock. $OUT is a
// folder outside the repository.
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	link := func(target, name string) func(*testing.T, string, string) {
		return func(t *testing.T, root, out string) {
			name := filepath.Join(root, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
			if err := os.Symlink(strings.Replace(target, "$OUT", out, 1), name); err != nil {
				t.Skip(err)
			}
		}
	}
	folder := func(name string) func(*testing.T, string, string) {
		return func(t *testing.T, root, _ string) {
			require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.FromSlash(name)), 0o700))
		}
	}
	file := func(name string) func(*testing.T, string, string) {
		return func(t *testing.T, root, _ string) {
			name := filepath.Join(root, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
			require.NoError(t, os.WriteFile(name, nil, 0o600))
		}
	}
	for name, c := range map[string]struct {
		plant func(t *testing.T, root, out string)
		want  string
	}{
		"lock is a folder":          {folder(".sentinel/sessions/s/ollama.lock"), "ollama.lock is a folder, not a plain file: remove it"},
		"lock is a named pipe":      {namedPipe(".sentinel/sessions/s/ollama.lock"), "ollama.lock is a named pipe, not a plain file: remove it"},
		"lock is a link out":        {link("$OUT/file", ".sentinel/sessions/s/ollama.lock"), "ollama.lock is a symbolic link, which is not followed"},
		"lock is a dangling link":   {link("$OUT/new", ".sentinel/sessions/s/ollama.lock"), "ollama.lock is a symbolic link, which is not followed"},
		"lock is a link inside":     {link("../../../README", ".sentinel/sessions/s/ollama.lock"), "ollama.lock is a symbolic link, which is not followed"},
		"judges' mark is a folder":  {folder(".sentinel/sessions/s/ollama.lock.p0"), "ollama.lock.p0 is a folder, not a plain file: remove it"},
		"judges' mark is a link":    {link("$OUT/file", ".sentinel/sessions/s/ollama.lock.p0"), "ollama.lock.p0 is a symbolic link, which is not followed"},
		".sentinel is a file":       {file(".sentinel"), ".sentinel is a file, not a folder: remove it"},
		".sentinel is a link out":   {link("$OUT", ".sentinel"), ".sentinel is a symbolic link, which is not followed, not a folder: remove it"},
		".sentinel is a link in":    {link(".git", ".sentinel"), ".sentinel is a symbolic link, which is not followed, not a folder: remove it"},
		"sessions is a link out":    {link("$OUT", ".sentinel/sessions"), "sessions is a symbolic link, which is not followed, not a folder: remove it"},
		"session is a link out":     {link("$OUT", ".sentinel/sessions/s"), "is a symbolic link, which is not followed, not a folder: remove it"},
		"session is a link to root": {link("../../..", ".sentinel/sessions/s"), "is a symbolic link, which is not followed, not a folder: remove it"},
		"session is a named pipe":   {namedPipe(".sentinel/sessions/s"), "is a named pipe, not a folder: remove it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, out := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(out, "file"), nil, 0o600))
			require.NoError(t, os.MkdirAll(filepath.Join(root, ".git"), 0o700))
			c.plant(t, root, out)
			outside := names(t, out)

			var log bytes.Buffer
			lock := gpulock.New(gpulock.SessionPath(root, "s"), &gpulock.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			for _, p := range []sentinel.Priority{sentinel.PriorityJudge, sentinel.PriorityScribe} {
				held, unlock, err := lock.Lock(t.Context(), p)
				require.ErrorContains(t, err, c.want)
				require.NotErrorIs(t, err, sentinel.ErrBusy)
				require.Equal(t, t.Context(), held)
				unlock()
			}
			_, err := lock.Probe()
			require.ErrorContains(t, err, c.want)
			require.Equal(t, 1, strings.Count(log.String(), "\n"), "told once:\n%s", &log)
			require.Equal(t, outside, names(t, out), "something was made outside")
			require.Empty(t, names(t, filepath.Join(root, ".git")))
		})
	}
}

func names(t *testing.T, dir string) (all []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Where Sentinel makes its folder, git is not to see it; where there is one it
// is left as it is.
func TestGitignore(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	ignored := filepath.Join(root, ".sentinel", ".gitignore")
	_, unlock := mustLock(t, gpulock.New(gpulock.SessionPath(root, "a"), nil), sentinel.PriorityJudge)
	unlock()
	text, err := os.ReadFile(ignored)
	require.NoError(t, err)
	require.Equal(t, "*\n", string(text))

	require.NoError(t, os.Remove(ignored))
	mustLock(t, gpulock.New(gpulock.SessionPath(root, "b"), nil), sentinel.PriorityJudge)
	require.NoFileExists(t, ignored)

	dir := t.TempDir()
	mustLock(t, gpulock.New(gpulock.MachinePath("", filepath.Join(dir, "new", "cache")), nil), sentinel.PriorityJudge)
	require.Equal(t, []string{"ollama.lock", "ollama.lock.p0"}, names(t, filepath.Join(dir, "new", "cache", "sentinel")))
}

// A lock file that may not be written is a lock all the same.
func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "ollama.lock")
	for _, suffix := range []string{"", ".p0", ".p1", ".p2", ".p3"} {
		require.NoError(t, os.WriteFile(path+suffix, nil, 0o400))
	}
	lock := gpulock.New(path, &gpulock.Options{Waits: gpulock.Waits{Scribe: -1}})
	mustLock(t, lock, sentinel.PrioritySynthesizer)
	_, _, err := lock.Lock(t.Context(), sentinel.PriorityScribe)
	require.ErrorIs(t, err, sentinel.ErrBusy)
}

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, ".sentinel"), 0o500))
	if os.WriteFile(filepath.Join(root, ".sentinel", "try"), nil, 0o600) == nil {
		t.Skip("this user may write everywhere")
	}
	_, _, err := gpulock.New(gpulock.SessionPath(root, "s"), nil).Lock(t.Context(), sentinel.PriorityScribe)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.NotErrorIs(t, err, sentinel.ErrBusy)
	require.ErrorContains(t, err, filepath.Join(root, ".sentinel", "sessions"))
}

func TestNoProject(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "gone")
	_, _, err := gpulock.New(gpulock.SessionPath(root, "s"), nil).Lock(t.Context(), sentinel.PriorityScribe)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, root)
}

func TestNoLocks(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	lock.LockNothing()
	for p := sentinel.PriorityJudge; p <= sentinel.PriorityScribe; p++ {
		_, unlock, err := lock.Lock(t.Context(), p)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.NotErrorIs(t, err, sentinel.ErrBusy)
		unlock()
	}
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	require.Error(t, gpulock.WaitLock(closed))
}
