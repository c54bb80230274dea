package safefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

func TestTooLong(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"": false, "/": false, "a": false,
		strings.Repeat("n", NameMax):                                     false,
		strings.Repeat("n", NameMax+1):                                   true,
		"/a/" + strings.Repeat("n", NameMax+1):                           true,
		"/a/" + strings.Repeat("n", NameMax+1) + "/b":                    true,
		"/" + strings.Repeat("n", NameMax) + "/b":                        false,
		strings.Repeat("a/", (PathMax-2)/2):                              false,
		strings.Repeat("a/", 20*PathMax):                                 true,
		"/" + strings.Repeat("a/", 100) + strings.Repeat("n", NameMax+1): true,
	} {
		require.Equal(t, want, TooLong(path), "%.40q of %d bytes", path, len(path))
	}
}

// resolveByParents is Resolve as it is explained: of the longest part that can be
// resolved, upward one name after the other.
func resolveByParents(path string) string {
	for rest, p := "", path; ; {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(p)
		if parent == p {
			return path
		}
		rest, p = filepath.Join(filepath.Base(p), rest), parent
	}
}

func TestResolveAndExisting(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b", "c"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "file"), nil, 0o600))
	for name, target := range map[string]string{"link": "a/b", "dangling": "nowhere/x", "loop": "loop", "a/up": "..", "tofile": "a/file"} {
		programtest.Link(t, filepath.FromSlash(target), filepath.Join(dir, filepath.FromSlash(name)))
	}
	for path, existing := range map[string]string{
		".": ".", "a": "a", "a/b/c": "a/b/c", "a/b/c/d/e/f": "a/b/c", "x": ".", "x/y/z": ".", "a/file": "a/file", "a/file/x/y": "a/file",
		"link/c": "link/c", "link/c/n/m": "link/c", "dangling": "dangling", "dangling/x/y": "dangling", "loop/x": "loop",
		"a/up/a/b": "a/up/a/b", "a/up/x/../y": "a/up", "tofile/z": "tofile", strings.Repeat("d/", 300) + "x": ".",
	} {
		full := dir + "/" + filepath.FromSlash(path)
		require.Equal(t, resolveByParents(full), Resolve(full), path)
		clean := filepath.Clean(full)
		require.Equal(t, filepath.Join(dir, filepath.FromSlash(existing)), filepath.Clean(Existing(full)), path)
		require.True(t, strings.HasPrefix(full, Existing(full)), clean)
	}
	require.Equal(t, string(filepath.Separator), Existing(filepath.FromSlash("/not-there-at-all/x")))
	long := dir + strings.Repeat("/a", PathMax)
	require.Equal(t, long, Resolve(long))
}

func TestRooted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{
		"a/b":                        filepath.Join(dir, "a", "b"),
		"../a":                       filepath.Join(filepath.Dir(dir), "a"),
		"":                           dir,
		filepath.ToSlash(dir):        dir,
		filepath.ToSlash(dir) + "/x": filepath.Join(dir, "x"),
	} {
		require.Equal(t, want, Rooted(dir, path), path)
	}
}
