package gitindex

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// git runs git in a folder, with no settings of the machine.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v: %s", args, out)
}

func repository(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	git(t, dir, append([]string{"init", "-q"}, args...)...)
	for _, name := range []string{"a.txt", "db/migrations/0001.sql", "db/migrations/0002.sql", "db/seed.sql", "long/x/y/z/w.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(name), 0o644))
	}
	git(t, dir, "add", ".")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.txt"), nil, 0o644))
	return dir
}

// tracked asks about one name.
func tracked(name string, fold bool) (bool, error) {
	found, err := Tracked([]string{name}, fold)
	return found[name], err
}

func check(t *testing.T, dir string) {
	t.Helper()
	for name, want := range map[string]bool{
		"a.txt": true, "db/migrations/0001.sql": true, "db/migrations/0002.sql": true, "db": true, "db/migrations": true,
		"new.txt": false, "none": false, "a.tx": false, "a.txt/b": false, "db/migration": false, "A.TXT": false, "long/x/y/z/w.txt": true,
	} {
		got, err := tracked(filepath.Join(dir, filepath.FromSlash(name)), false)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	got, err := tracked(filepath.Join(dir, "A.TXT"), true)
	require.NoError(t, err)
	require.True(t, got, "case does not matter")
	all := []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "none"), filepath.Join(dir, "db"), filepath.Join(dir, "db", "seed.sql")}
	found, err := Tracked(all, false)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{all[0]: true, all[2]: true, all[3]: true}, found)
}

func TestTracked(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "3", "4"} {
		dir := repository(t)
		git(t, dir, "update-index", "--index-version", version)
		if version == "3" {
			git(t, dir, "update-index", "--skip-worktree", "db/seed.sql")
		}
		check(t, dir)
	}
	dir := repository(t)
	require.NoError(t, os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "moved")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: moved\n"), 0o644))
	check(t, dir)
}

// TestVisit: an entry says what git saw on disk, and whether git looks there.
func TestVisit(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "4"} {
		dir := repository(t)
		git(t, dir, "update-index", "--index-version", version)
		git(t, dir, "update-index", "--skip-worktree", "db/seed.sql")
		git(t, dir, "update-index", "--assume-unchanged", "a.txt")
		seen := map[string]bool{}
		require.NoError(t, Visit(filepath.Join(dir, ".git"), maxIndex, func(e *Entry) {
			info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Name)))
			require.NoError(t, err)
			require.Equal(t, uint32(info.Size()), e.Size)
			require.True(t, e.Changed.Is(info.ModTime()))
			require.True(t, e.Changed.Before(info.ModTime().Add(time.Second)))
			require.False(t, e.Changed.Before(info.ModTime()))
			require.Equal(t, uint32(0o100644), e.Mode)
			require.Len(t, e.ID, 20)
			require.False(t, e.Unmerged)
			seen[e.Name] = e.Unwatched
		}))
		require.Equal(t, map[string]bool{"a.txt": true, "db/migrations/0001.sql": false, "db/migrations/0002.sql": false, "db/seed.sql": true, "long/x/y/z/w.txt": false}, seen)
	}
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	check(t, repository(t, "--object-format=sha256"))
}

func TestNotARepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got, err := tracked(filepath.Join(dir, "a"), false)
	require.NoError(t, err)
	require.False(t, got)
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	got, err = tracked(filepath.Join(dir, "a"), false)
	require.NoError(t, err)
	require.False(t, got, "nothing was ever added")
}

// TestTreeIsGits: a folder of the name .git is a repository where it is one for git.
func TestTreeIsGits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head string // the text of HEAD; "" leaves it out, "->X" makes it a link to X
		dirs []string
		is   bool
	}{
		"a branch":          {"ref: refs/heads/main\n", []string{"objects", "refs"}, true},
		"a branch, at once": {"ref:refs/heads/main", []string{"objects", "refs"}, true},
		"a commit":          {"0123456789012345678901234567890123456789\n", []string{"objects", "refs"}, true},
		"a link":            {"->refs/heads/main", []string{"objects", "refs"}, true},
		"empty":             {"", nil, false},
		"no HEAD":           {"", []string{"objects", "refs"}, false},
		"no objects":        {"ref: refs/heads/main\n", []string{"refs"}, false},
		"no refs":           {"ref: refs/heads/main\n", []string{"objects"}, false},
		"another ref":       {"ref: heads/main\n", []string{"objects", "refs"}, false},
		"no commit":         {"0123456789\n", []string{"objects", "refs"}, false},
		"another link":      {"->elsewhere", []string{"objects", "refs"}, false},
	} {
		outer := repository(t)
		inner := filepath.Join(outer, "db")
		own := filepath.Join(inner, ".git")
		require.NoError(t, os.Mkdir(own, 0o755))
		for _, dir := range c.dirs {
			require.NoError(t, os.Mkdir(filepath.Join(own, dir), 0o755))
		}
		if to, ok := strings.CutPrefix(c.head, "->"); ok {
			if os.Symlink(to, filepath.Join(own, "HEAD")) != nil {
				continue // the system has no links
			}
		} else if c.head != "" {
			require.NoError(t, os.WriteFile(filepath.Join(own, "HEAD"), []byte(c.head), 0o644))
		}
		want := outer
		if c.is {
			want = inner
		}
		top, _, err := Tree(inner)
		require.NoError(t, err, name)
		require.Equal(t, want, top, name)
		cmd := exec.Command("git", "rev-parse", "--show-prefix")
		cmd.Dir = inner
		out, err := cmd.Output()
		require.NoError(t, err, name)
		require.Equal(t, c.is, strings.TrimSpace(string(out)) == "", name)
	}
}

// TestFileThatNamesAFolder: git goes to the folder that a file .git names, and gives up where that is
// not one of its own.
func TestFileThatNamesAFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		is   bool
	}{
		"its own":         {"gitdir: ../own\n", true},
		"not its own":     {"gitdir: ../db\n", false},
		"a missing one":   {"gitdir: ../none\n", false},
		"no folder":       {"own\n", false},
		"nothing":         {"", false},
		"a file in there": {"gitdir: ../own/HEAD\n", false},
	} {
		outer := repository(t)
		inner := filepath.Join(outer, "long")
		git(t, outer, "init", "-q", "--bare", "own")
		require.NoError(t, os.WriteFile(filepath.Join(inner, ".git"), []byte(c.text), 0o644))
		top, _, err := Tree(inner)
		cmd := exec.Command("git", "rev-parse", "--git-dir")
		cmd.Dir = inner
		_, gitErr := cmd.Output()
		require.Equal(t, c.is, gitErr == nil, name)
		require.Equal(t, c.is, err == nil, name)
		require.Equal(t, c.is, top == inner, name)
	}
}

// An index that is not understood is an error: "not tracked" would be a way round a rule.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	index := filepath.Join(dir, ".git", "index")
	whole, err := os.ReadFile(index)
	require.NoError(t, err)
	split := repository(t)
	git(t, split, "update-index", "--split-index")
	_, err = tracked(filepath.Join(split, "a.txt"), false)
	require.Error(t, err)
	for name, data := range map[string][]byte{
		"empty": {}, "cut": whole[:len(whole)/2], "another": []byte("no index at all, but long enough to be one"),
		"version": append([]byte("DIRC\x00\x00\x00\x09"), whole[8:]...),
		"count":   append([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"), whole[12:]...),
	} {
		require.NoError(t, os.WriteFile(index, data, 0o644))
		_, err := tracked(filepath.Join(dir, "a.txt"), false)
		require.Error(t, err, name)
	}
	require.NoError(t, os.Remove(index))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git"), []byte("nonsense"), 0o644))
	_, err = tracked(filepath.Join(dir, "a.txt"), false)
	require.Error(t, err)
}

// A file is as in the index while git would not compare its content.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	name := filepath.Join(dir, "a.txt")
	entry := func() *Entry {
		var found *Entry
		require.NoError(t, Visit(filepath.Join(dir, ".git"), 1<<20, func(e *Entry) {
			if e.Name == "a.txt" {
				copied := *e
				found = &copied
			}
		}))
		require.NotNil(t, found)
		return found
	}
	require.True(t, entry().Unchanged(name))
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, []byte("a longer text than before\n"), 0o644))
	require.NoError(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	require.False(t, entry().Unchanged(name), "another size")
	git(t, dir, "add", "a.txt")
	require.True(t, entry().Unchanged(name))
	later := info.ModTime().Add(time.Second)
	require.NoError(t, os.Chtimes(name, later, later))
	require.False(t, entry().Unchanged(name), "another time")
	require.NoError(t, os.Remove(name))
	require.False(t, entry().Unchanged(name), "gone")
}

func FuzzSearch(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00aaaaaaaaaaaaaaaaaaaa"), 20)
	f.Fuzz(func(_ *testing.T, data []byte, hash int) {
		if hash == 20 || hash == 32 {
			_ = search(data, hash, func(*Entry) {})
		}
	})
}
