package gitobject

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
)

// repository has so many commits that a pack has changes of objects.
func repository(t *testing.T, commits int) *gittest.Repository {
	t.Helper()
	repo := gittest.New(t)
	for i := range commits {
		for j := range 40 {
			repo.Write(fmt.Sprintf("src/a%d/file%02d.txt", j%2, j), fmt.Sprint(j, " ", min(i, j)))
		}
		repo.Write(fmt.Sprintf("new%d.txt", i), "new")
		repo.Commit(fmt.Sprint(i))
	}
	return repo
}

// same compares what the last commit has with what git says.
func same(t *testing.T, repo *gittest.Repository) {
	t.Helper()
	git := strings.TrimSpace(repo.Git("rev-parse", "--absolute-git-dir"))
	h, err := Open(git)
	require.NoError(t, err)
	defer h.Close()
	count := 0
	for line := range strings.Lines(repo.Git("ls-tree", "-r", "-t", "--full-tree", "HEAD")) {
		about, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		words := strings.Fields(about)
		e, ok, err := h.Lookup(name)
		require.NoError(t, err)
		require.True(t, ok, name)
		require.Equal(t, words[2], fmt.Sprintf("%x", e.ID))
		require.Equal(t, strings.TrimLeft(words[0], "0"), e.Mode)
		require.True(t, h.Has(e), name)
		count++
	}
	require.Greater(t, count, 40)
	for _, name := range []string{"none", "src/none", "none/x", "new1.txt/x", "src/a0/file00.txt/x"} {
		_, ok, err := h.Lookup(name)
		require.NoError(t, err)
		require.False(t, ok, name)
	}
	require.False(t, h.Has(Entry{ID: digest(h.objects.size, "blob", []byte("no such content"))}))
	data, err := os.ReadFile(filepath.Join(repo.Dir, "new1.txt"))
	require.NoError(t, err)
	e, _, _ := h.Lookup("new1.txt")
	require.True(t, Names(e.ID, data))
	require.True(t, Names(digest(len(e.ID), "blob", []byte("a\nb\n")), []byte("a\r\nb\r\n")), "as on Windows")
	require.False(t, Names(e.ID, []byte("other")))
}

// TestLikeGit compares with git: objects with files of their own, packs with changes of
// both kinds, names in packed-refs, a commit without a branch, a further work tree.
func TestLikeGit(t *testing.T) {
	t.Parallel()
	repo := repository(t, 4)
	same(t, repo)
	repo.Git("gc", "--quiet")
	require.Contains(t, repo.Git("verify-pack", "-v", packFile(t, filepath.Join(repo.Dir, ".git"), ".idx")), "chain length")
	same(t, repo)
	_, err := os.Stat(filepath.Join(repo.Dir, ".git", "refs", "heads", "main"))
	require.ErrorIs(t, err, fs.ErrNotExist, "the branch is packed")
	repo.Git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=40")
	same(t, repo)
	repo.Git("checkout", "--quiet", "--detach", "HEAD~2")
	same(t, repo)
	other := filepath.Join(t.TempDir(), "wt")
	repo.Git("worktree", "add", "--quiet", other, "HEAD")
	dir := repo.Dir
	repo.Dir = other
	same(t, repo)
	repo.Dir = dir
	repo.Git("-c", "index.version=4", "checkout", "--quiet", "main")
	same(t, repo)
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	require.NoError(t, os.RemoveAll(filepath.Join(repo.Dir, ".git")))
	repo.Git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
	for i := range 60 {
		repo.Write(fmt.Sprintf("f%d.txt", i), strings.Repeat("x", i))
	}
	repo.Write("new1.txt", "new")
	repo.Commit("one")
	same(t, repo)
	repo.Git("gc", "--quiet")
	same(t, repo)
}

func TestNoCommit(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	_, err := Open(filepath.Join(repo.Dir, ".git"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestHostile: what is not understood is an error that is not "not there".
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, git string){
		"a name above": func(t *testing.T, git string) { put(t, git, "HEAD", "ref: refs/../../../etc/passwd\n") },
		"a loop": func(t *testing.T, git string) {
			put(t, git, "HEAD", "ref: refs/heads/x\n")
			put(t, git, "refs/heads/x", "ref: refs/heads/x\n")
		},
		"no name":        func(t *testing.T, git string) { put(t, git, "HEAD", "hello\n") },
		"a pipe's size":  func(t *testing.T, git string) { put(t, git, "HEAD", strings.Repeat("a", maxRef+1)) },
		"borrows":        func(t *testing.T, git string) { put(t, git, "objects/info/alternates", "/elsewhere\n") },
		"a damaged list": func(t *testing.T, git string) { cut(t, git, ".idx", 0) },
		"a short list":   func(t *testing.T, git string) { cut(t, git, ".idx", 1200) },
		"a damaged pack": func(t *testing.T, git string) { fill(t, git, ".pack") },
		"a short pack":   func(t *testing.T, git string) { cut(t, git, ".pack", 20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := repository(t, 2)
			repo.Git("gc", "--quiet")
			git := filepath.Join(repo.Dir, ".git")
			spoil(t, git)
			h, err := Open(git)
			if err == nil {
				_, _, err = h.Lookup("src/a0/file00.txt")
				h.Close()
			}
			require.Error(t, err)
			require.False(t, errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "object"), "%v", err)
		})
	}
}

func put(t *testing.T, git, name, text string) {
	t.Helper()
	path := filepath.Join(git, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// packFile is a file of the only pack, which can be written.
func packFile(t *testing.T, git, ext string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(git, "objects", "pack", "*"+ext))
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.NoError(t, os.Chmod(found[0], 0o600))
	return found[0]
}

func cut(t *testing.T, git, ext string, size int64) {
	t.Helper()
	require.NoError(t, os.Truncate(packFile(t, git, ext), size))
}

// fill puts other bytes behind the head of a file.
func fill(t *testing.T, git, ext string) {
	t.Helper()
	path := packFile(t, git, ext)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 12; i < len(data); i++ {
		data[i] ^= 0x5a
	}
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// TestAnotherObject: an object whose digest is not its name is refused.
func TestAnotherObject(t *testing.T) {
	t.Parallel()
	repo := repository(t, 2)
	git := filepath.Join(repo.Dir, ".git")
	file := func(revision string) string {
		id := strings.TrimSpace(repo.Git("rev-parse", revision))
		return filepath.Join(git, "objects", id[:2], id[2:])
	}
	data, err := os.ReadFile(file("HEAD~1:src"))
	require.NoError(t, err)
	require.NoError(t, os.Chmod(file("HEAD:src"), 0o600))
	require.NoError(t, os.WriteFile(file("HEAD:src"), data, 0o600))
	h, err := Open(git)
	require.NoError(t, err)
	defer h.Close()
	_, _, err = h.Lookup("src/a0")
	require.ErrorIs(t, err, errFormat)
}

// TestLongPart: a part of 64 KB has no length in a change.
func TestLongPart(t *testing.T) {
	t.Parallel()
	base := []byte(strings.Repeat("0123456789", 10_000))
	change := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(base))), 1<<16+1)
	out, err := newObjects("", sha1Size).apply(base, append(change, 0x81, 3, 1, 'x'))
	require.NoError(t, err)
	require.Equal(t, string(base[3:3+1<<16])+"x", string(out))
	for _, bad := range [][]byte{{0}, {2, 'x'}, {0x80 | 1}, {0xf7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {1, 'x'}} {
		_, err := newObjects("", sha1Size).apply(base, append(slices.Clone(change), bad...))
		require.Error(t, err, "%x", bad)
	}
}

// FuzzPack: no bytes of a pack make a panic, or read without end.
func FuzzPack(f *testing.F) {
	f.Add([]byte("\x05\x05\x90\x05"), []byte("hello"))
	f.Add([]byte("\x05\x03\x03abc"), []byte("hello"))
	f.Fuzz(func(t *testing.T, change, base []byte) {
		o := newObjects(t.TempDir(), sha1Size)
		if out, err := o.apply(base, change); err == nil && len(out) > maxObject {
			t.Fatal("too long")
		}
		path := filepath.Join(t.TempDir(), "x.pack")
		if err := os.WriteFile(path, change, 0o600); err != nil {
			t.Fatal(err)
		}
		p := &pack{path: path}
		_, _, _ = o.at(p, 0, 0)
		if p.data != nil {
			p.data.Close()
		}
	})
}
