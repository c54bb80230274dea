package safefile_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

const limit = 1000

// ways to get the content of a file.
var ways = map[string]func(path string) ([]byte, error){
	"Read":         func(p string) ([]byte, error) { return safefile.Read(p, limit) },
	"ReadNoFollow": func(p string) ([]byte, error) { return safefile.ReadNoFollow(p, limit) },
	"ReadPrivate":  func(p string) ([]byte, error) { return safefile.ReadPrivate(p, limit) },
	"OpenAppend": func(p string) ([]byte, error) {
		f, _, err := safefile.OpenAppend(p, 0o600)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		var b bytes.Buffer
		_, err = b.ReadFrom(f)
		return b.Bytes(), err
	},
}

func write(t *testing.T, path, content string, perm fs.FileMode) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	require.NoError(t, os.Chmod(path, perm))
}

func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	const all = "Read ReadNoFollow ReadPrivate OpenAppend"
	for name, c := range map[string]struct {
		make func(t *testing.T, dir, path string)
		by   string // the ways that give the content
		err  error  // of the others, where it is known
		unix bool   // Windows has nothing of the kind
	}{
		"a file":         {func(t *testing.T, _, p string) { write(t, p, "content", 0o600) }, all, nil, false},
		"a file for all": {func(t *testing.T, _, p string) { write(t, p, "content", 0o644) }, all, nil, false},
		"others may write": {func(t *testing.T, _, p string) { write(t, p, "content", 0o666) },
			"Read ReadNoFollow OpenAppend", nil, true},
		"the group may write": {func(t *testing.T, _, p string) { write(t, p, "content", 0o620) },
			"Read ReadNoFollow OpenAppend", nil, true},
		"a link": {func(t *testing.T, dir, p string) {
			write(t, filepath.Join(dir, "target"), "content", 0o600)
			programtest.Link(t, "target", p)
		}, "Read", safefile.ErrNotRegular, true},
		"a link to nothing": {func(t *testing.T, dir, p string) { programtest.Link(t, "nowhere", p) }, "", nil, true},
		"a link to itself":  {func(t *testing.T, dir, p string) { programtest.Link(t, p, p) }, "", nil, true},
		"a link to a device": {func(t *testing.T, dir, p string) { programtest.Link(t, "/dev/zero", p) },
			"", safefile.ErrNotRegular, true},
		"a folder": {func(t *testing.T, _, p string) { require.NoError(t, os.Mkdir(p, 0o700)) }, "", safefile.ErrNotRegular, false},
		"a FIFO":   {func(t *testing.T, _, p string) { fifo(t, p) }, "", safefile.ErrNotRegular, true},
		"a link to a FIFO": {func(t *testing.T, dir, p string) {
			fifo(t, filepath.Join(dir, "pipe"))
			programtest.Link(t, "pipe", p)
		}, "", safefile.ErrNotRegular, true},
		"a socket":        {func(t *testing.T, _, p string) { socket(t, p) }, "", safefile.ErrNotRegular, true},
		"below a file":    {func(t *testing.T, dir, p string) { write(t, filepath.Dir(p), "", 0o600) }, "", nil, false},
		"NUL in the name": {nil, "", nil, false},
	} {
		for way, read := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				if c.unix && runtime.GOOS == "windows" {
					t.Skip("not on Windows")
				}
				dir := t.TempDir()
				path := filepath.Join(dir, "file")
				switch name {
				case "below a file":
					path = filepath.Join(dir, "file", "below")
				case "NUL in the name":
					path = filepath.Join(dir, "a\x00b")
				}
				if c.make != nil {
					c.make(t, dir, path)
				}
				got, err := read(path)
				if strings.Contains(" "+c.by+" ", " "+way+" ") {
					require.NoError(t, err)
					require.Equal(t, "content", string(got))
					return
				}
				require.Error(t, err)
				require.Empty(t, got)
				if c.err != nil {
					require.ErrorIs(t, err, c.err)
					require.ErrorIs(t, err, fs.ErrInvalid)
				}
			})
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing")
	for _, way := range []string{"Read", "ReadNoFollow", "ReadPrivate"} {
		_, err := ways[way](path)
		require.ErrorIs(t, err, fs.ErrNotExist, way)
	}
	got, err := ways["OpenAppend"](path)
	require.NoError(t, err)
	require.Empty(t, got)
	require.FileExists(t, path)
}

func TestSizes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for size, fits := range map[int64]bool{0: true, 1: true, limit - 1: true, limit: true, limit + 1: false, 1 << 20: false, 1 << 40: false} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Truncate(path, size)) // sparse
		for _, way := range []string{"Read", "ReadNoFollow", "ReadPrivate"} {
			got, err := ways[way](path)
			if fits {
				require.NoError(t, err)
				require.Len(t, got, int(size))
			} else {
				require.EqualError(t, err, "is larger than 1000 bytes")
				require.Nil(t, got)
			}
		}
	}
}

// A file of /proc says that it is empty and is not.
func TestSizeThatLies(t *testing.T) {
	t.Parallel()
	got, err := safefile.Read("/proc/self/limits", 1<<20)
	if os.IsNotExist(err) {
		t.Skip("no /proc")
	}
	require.NoError(t, err)
	require.Greater(t, len(got), 600)
	_, err = safefile.Read("/proc/self/limits", 600)
	require.EqualError(t, err, "is larger than 600 bytes")
}

func TestOpenNoFollow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	_, _, err := safefile.OpenNoFollow(path, os.O_RDWR, 0)
	require.ErrorIs(t, err, fs.ErrNotExist)
	f, info, err := safefile.OpenNoFollow(path, os.O_RDWR|os.O_CREATE, 0o640)
	require.NoError(t, err)
	require.Zero(t, info.Size())
	require.NoError(t, f.Close())
	_, _, err = safefile.OpenNoFollow(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	require.ErrorIs(t, err, fs.ErrExist)
	f, _, err = safefile.OpenNoFollow(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	link := filepath.Join(dir, "link")
	if os.Symlink(filepath.Join(dir, "made"), link) != nil {
		t.Skip("links cannot be made")
	}
	_, _, err = safefile.OpenNoFollow(link, os.O_RDWR|os.O_CREATE, 0o600)
	require.ErrorIs(t, err, safefile.ErrNotRegular)
	_, _, err = safefile.OpenAppend(link, 0o600)
	require.ErrorIs(t, err, safefile.ErrNotRegular)
	require.NoFileExists(t, filepath.Join(dir, "made"))
}

// A file that others replace all the time is read whole, old or new; a link that
// takes its place for moments is never followed.
func TestReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, secret := filepath.Join(dir, "file"), filepath.Join(dir, "secret")
	write(t, secret, "secret", 0o600)
	old, fresh := strings.Repeat("o", 500), strings.Repeat("n", 900)
	require.NoError(t, safefile.Swap(path, []byte(old), 0o600))
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			content := old
			if i%2 == 0 {
				content = fresh
			}
			_ = safefile.Swap(path, []byte(content), 0o600)
			if i%5 == 0 && os.Symlink(secret, path+".link") == nil {
				_ = os.Rename(path+".link", path)
			}
		}
	})
	read := 0
	for range 2000 {
		for _, way := range []string{"ReadNoFollow", "ReadPrivate"} {
			if got, err := ways[way](path); err == nil {
				read++
				require.Contains(t, []string{old, fresh}, string(got))
			}
		}
	}
	close(stop)
	wait.Wait()
	require.Positive(t, read)
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"/a", "/a", true}, {"/a/b", "/a", true}, {"/a/..b", "/a", true}, {"/a/b/../c", "/a", true},
		{"/ab", "/a", false}, {"/", "/a", false}, {"/a/../b", "/a", false}, {"/a", "/a/b", false}, {"/x", "/", true},
		{"a", ".", true}, {"../a", ".", false}, {"..", ".", false}, {"a", "/a", false}, {"/a", "a", false},
	} {
		require.Equal(t, c.want, safefile.Within(filepath.FromSlash(c.path), filepath.FromSlash(c.dir)), "%s in %s", c.path, c.dir)
	}
}

func TestReplacing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(string, []byte, fs.FileMode) error
		mode  fs.FileMode // of a file of mode 0640 that is written with 0600
		exist bool        // an existing file is an error
	}{
		"Replace": {safefile.Replace, 0o640, false},
		"Swap":    {safefile.Swap, 0o600, false},
		"Create":  {safefile.Create, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			require.NoError(t, c.write(path, []byte("new"), 0o600))
			check(t, path, "new", 0o600)

			write(t, path, "old", 0o640)
			err := c.write(path, []byte("newer"), 0o600)
			if c.exist {
				require.ErrorIs(t, err, fs.ErrExist)
				check(t, path, "old", 0o640)
			} else {
				require.NoError(t, err)
				check(t, path, "newer", c.mode)
			}
			require.Error(t, c.write(filepath.Join(dir, "no", "folder"), nil, 0o600))

			target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
			write(t, target, "target", 0o600)
			if os.Symlink(target, link) == nil {
				err := c.write(link, []byte("x"), 0o600)
				require.Equal(t, c.exist, err != nil, "%v", err)
				check(t, target, "target", 0o600) // the link's target is not written
				require.NoError(t, os.Remove(link))
			}
			require.NoError(t, os.Mkdir(link, 0o700))
			require.Error(t, c.write(link, []byte("x"), 0o600))

			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, entries, 3, "nothing else is left: %v", entries)
		})
	}
}

func check(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, string(got))
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" {
		require.Equal(t, mode, info.Mode().Perm())
	}
}

func TestCreateIsGivenOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	var wait sync.WaitGroup
	made := make(chan int, 16)
	for i := range cap(made) {
		wait.Go(func() {
			if safefile.Create(path, []byte{byte(i)}, 0o600) == nil {
				made <- i
			}
		})
	}
	wait.Wait()
	require.Len(t, made, 1)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, []byte{byte(<-made)}, got)
}

func TestReplaceKeepsTheMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, safefile.Replace(path, []byte("one"), 0o640))
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, safefile.Replace(path, []byte("two"), 0o644))
	require.Equal(t, "two", contentOf(t, path))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), "an existing file keeps its mode")
	}
	require.ErrorContains(t, safefile.Replace(filepath.Join(path, "below"), nil, 0o644), "write ")
	require.ErrorContains(t, safefile.Replace(filepath.Join(filepath.Dir(path), "none", "f"), nil, 0o644), "write ")
}

// TestReplaceIsWhole has many writers and readers at once: no reader may see
// anything but one writer's whole text.
func TestReplaceIsWhole(t *testing.T) {
	t.Parallel()
	programtest.SkipOnWine(t, "no open file is replaced")
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	texts := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}
	require.NoError(t, safefile.Replace(path, []byte(texts[0]), 0o644))
	var wg sync.WaitGroup
	for _, text := range texts {
		wg.Go(func() {
			for range 20 {
				if err := safefile.Replace(path, []byte(text), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 100 {
				if b, err := safefile.Read(path, 1<<20); err != nil || string(b) != texts[0] && string(b) != texts[1] {
					t.Errorf("%d bytes, error %v", len(b), err)
				}
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(got)
}
