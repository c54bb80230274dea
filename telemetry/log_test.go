package telemetry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary starts itself as a writer: see TestManyProcesses.
const (
	envPath   = "TELEMETRY_TEST_PATH"
	envWriter = "TELEMETRY_TEST_WRITER"
	envMax    = "TELEMETRY_TEST_MAX"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(envPath); path != "" {
		limit, err := strconv.ParseInt(os.Getenv(envMax), 10, 64)
		if err == nil {
			err = writeMany(path, os.Getenv(envWriter), limit)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func record(id string) Record {
	return Record{Time: time.Unix(1774880521, 0), RuleID: id, Level: LevelEval, Target: "src/<a>&b", Outcome: "pass"}
}

// limited returns a log that is rotated at limit bytes.
func limited(path string, limit int64, keep int) *Log {
	l := Open(path, &Options{Keep: keep})
	l.max = limit
	if os.Getenv("SENTINEL_WINE") != "" { // where who appends without the lock may write over another's line
		l.wait = time.Hour
	}
	return l
}

const (
	processes  = 6
	goroutines = 4
	batches    = 25
	inBatch    = 3
)

// writeMany is what one process of TestManyProcesses does. Half of its goroutines
// share a Log, the others have their own.
func writeMany(path, writer string, limit int64) error {
	shared := limited(path, limit, 1000)
	errs := make([]error, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			l := shared
			if g%2 == 1 {
				l = limited(path, limit, 1000)
			}
			for b := range batches {
				var batch []Record
				for i := range inBatch {
					r := record(fmt.Sprintf("%s-%d-%d-%d", writer, g, b, i))
					r.Reason = strings.Repeat("x", 40*i)
					batch = append(batch, r)
				}
				errs[g] = errors.Join(errs[g], l.Write(batch))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// readAll returns the rule ids of all files of a log and fails on any line that
// cannot be read.
func readAll(t *testing.T, path string) []string {
	t.Helper()
	var ids []string
	for _, name := range Files(path) {
		f, err := os.Open(name)
		require.NoError(t, err)
		for r, err := range Scan(f) {
			require.NoError(t, err, name)
			ids = append(ids, r.RuleID)
		}
		require.NoError(t, f.Close())
	}
	return ids
}

func TestManyProcesses(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int64{"one file": math.MaxInt64, "rotated all the time": 4 << 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "new", "folder", "sentinel.log")
			exe, err := os.Executable()
			require.NoError(t, err)
			var wg sync.WaitGroup
			for p := range processes {
				wg.Go(func() {
					cmd := exec.Command(exe)
					cmd.Env = append(os.Environ(), envPath+"="+path, fmt.Sprintf("%s=p%d", envWriter, p), fmt.Sprintf("%s=%d", envMax, limit))
					out, err := cmd.CombinedOutput()
					assert.NoError(t, err, "%s", out)
				})
			}
			wg.Go(func() { assert.NoError(t, writeMany(path, "here", limit)) })
			wg.Wait()

			want := make(map[string]int)
			for p := range processes + 1 {
				writer := fmt.Sprintf("p%d", p)
				if p == processes {
					writer = "here"
				}
				for i := range goroutines * batches * inBatch {
					want[fmt.Sprintf("%s-%d-%d-%d", writer, i/(batches*inBatch), i/inBatch%batches, i%inBatch)] = 1
				}
			}
			got := make(map[string]int)
			for _, id := range readAll(t, path) {
				got[id]++
			}
			require.Equal(t, want, got, "every line once, none torn")
			files := Files(path)
			require.Equal(t, limit < math.MaxInt64, len(files) > 2, "%d files", len(files))
			if limit == math.MaxInt64 {
				return
			}
			var all, largest int64
			for _, f := range files {
				info, err := os.Stat(f)
				require.NoError(t, err)
				all, largest = all+info.Size(), max(largest, info.Size())
			}
			// Who waits too long for the lock writes without it, and leaves the
			// rotation to the next one: on a busy machine a file is larger than its limit.
			require.Less(t, largest, all/2, "rotated again and again")
		})
	}
}

func TestWriteForm(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	l := Open(path, nil)
	require.Equal(t, path, l.Path())
	require.NoError(t, l.Write(nil))
	require.NoFileExists(t, path, "no records, no file")
	require.NoError(t, l.Write([]Record{record("a"), record("b")}))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	const line = `{"ts":"2026-03-30T14:22:01Z","rule_id":"%s","trigger":"","target":"src/<a>&b","violation":false,"confidence":0,"reason":"","elapsed_ms":0,"model":"","backend":"","level":"eval","outcome":"pass"}` + "\n"
	require.Equal(t, fmt.Sprintf(line+line, "a", "b"), string(content))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
	}
}

func TestWriteRefusesWhatJSONCannotHold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	bad := record("bad")
	bad.Confidence = math.NaN()
	require.ErrorContains(t, Open(path, nil).Write([]Record{record("good"), bad}), `telemetry: record of rule "bad" cannot be written`)
	require.NoFileExists(t, path, "all or nothing")
}

func TestWriteAfterATornLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	require.NoError(t, os.WriteFile(path, []byte(`{"ts":"2026-03-30T14:22:01Z","rule_id":"to`), 0o600))
	require.NoError(t, Open(path, nil).Write([]Record{record("a")}))
	require.NoError(t, Open(path, nil).Write([]Record{record("b")}))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var ids []string
	var broken int
	for r, err := range Scan(f) {
		if err != nil {
			broken++
			continue
		}
		ids = append(ids, r.RuleID)
	}
	require.Equal(t, []string{"a", "b"}, ids)
	require.Equal(t, 1, broken)
}

func TestRotate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	for i := range 5 { // every write fills the file
		require.NoError(t, limited(path, 1, 3).Write([]Record{record(strconv.Itoa(i))}))
	}
	require.Equal(t, []string{path + ".3", path + ".2", path + ".1"}, Files(path))
	require.Equal(t, []string{"2", "3", "4"}, readAll(t, path))
	require.NoError(t, limited(path, 1<<20, 3).Write([]Record{record("5")}))
	require.Equal(t, []string{"2", "3", "4", "5"}, readAll(t, path))
}

// Files that were kept when more were to be kept go with the next rotation.
func TestRotateKeepsFewer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	for i := range 6 {
		require.NoError(t, limited(path, 1, 5).Write([]Record{record(strconv.Itoa(i))}))
	}
	require.Len(t, Files(path), 5)
	require.NoError(t, limited(path, 1, 2).Write([]Record{record("6")}))
	require.Equal(t, []string{"5", "6"}, readAll(t, path))
	require.NoError(t, limited(path, 1, -1).Write([]Record{record("7")}))
	require.Empty(t, Files(path))
}

// A rotation that was killed in the middle leaves a gap: nothing after it is
// lost, and the next rotation closes it.
func TestRotateAfterAKilledOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	for i := range 3 {
		require.NoError(t, limited(path, 1, 5).Write([]Record{record(strconv.Itoa(i))}))
	}
	require.NoError(t, os.Rename(path+".3", path+".4"))
	require.Equal(t, []string{"0", "1", "2"}, readAll(t, path))
	require.NoError(t, limited(path, 1, 5).Write([]Record{record("3")}))
	require.Equal(t, []string{"0", "1", "2", "3"}, readAll(t, path))
}

func TestRotateKeepsNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	require.NoError(t, limited(path, 1, -1).Write([]Record{record("a")}))
	require.Empty(t, Files(path))
}

func TestOptions(t *testing.T) {
	t.Parallel()
	l := Open("x", nil)
	require.Equal(t, int64(20e6), l.max)
	require.Equal(t, 5, l.keep)
	l = Open("x", &Options{MaxMB: 3, Keep: 2})
	require.Equal(t, int64(3e6), l.max)
	require.Equal(t, 2, l.keep)

	path := filepath.Join(t.TempDir(), "sentinel.log")
	never := Open(path, &Options{MaxMB: -1})
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("x\n"), 1e6), 0o600))
	require.NoError(t, never.Write([]Record{record("a")}))
	require.NoFileExists(t, path+".1")
}

// A rotation that fails loses no line and does not fail the write.
func TestRotateFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	require.NoError(t, os.MkdirAll(filepath.Join(path+".1", "in the way"), 0o755))
	var told bytes.Buffer
	l := Open(path, &Options{Keep: 1, Logger: slog.New(slog.NewTextHandler(&told, nil))})
	l.max = 1
	require.NoError(t, l.Write([]Record{record("a")}))
	require.NoError(t, l.Write([]Record{record("b")}))
	require.Contains(t, told.String(), "could not be rotated")
	require.Equal(t, []string{"a", "b"}, readAll(t, path))
}

// Somebody else holds the lock for ever: the line is written nevertheless.
func TestWriteWithoutTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	holder, locked, err := Open(path, nil).acquire()
	require.NoError(t, err)
	require.True(t, locked)
	defer holder.Close()
	l := limited(path, 1, 3)
	l.wait = 0
	require.NoError(t, l.Write([]Record{record("a")}))
	require.Equal(t, []string{"a"}, readAll(t, path))
	require.NoFileExists(t, path+".1", "without the lock nothing is rotated")
}

// The file was renamed between being opened and being locked.
func TestAcquireTheCurrentFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	f, err := openLog(path)
	require.NoError(t, err)
	defer f.Close()
	require.True(t, current(f, path))
	require.NoError(t, os.Rename(path, path+".1"))
	require.False(t, current(f, path))
	other, locked, err := Open(path, nil).acquire()
	require.NoError(t, err)
	defer other.Close()
	require.True(t, locked)
	require.True(t, current(other, path))
}

func TestWithin(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outside := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "real"), 0o755))
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	link(outside, "out")
	link(filepath.Join(root, "real"), "in")
	link(filepath.Join(outside, "missing"), "dangling")
	for _, c := range []struct {
		path string
		ok   bool
	}{
		{filepath.Join(root, "sentinel.log"), true},
		{filepath.Join(root, "new", "deep", "sentinel.log"), true},
		{filepath.Join(root, "in", "sentinel.log"), true},
		{filepath.Join(root, "in", "new", "sentinel.log"), true},
		{filepath.Join(root, "..also", "sentinel.log"), true},
		{filepath.Join(root, "out", "sentinel.log"), false},
		{filepath.Join(root, "out", "new", "sentinel.log"), false},
		{filepath.Join(root, "dangling", "sentinel.log"), false},
		{filepath.Join(outside, "sentinel.log"), false},
		{filepath.Join(root, "..", "sentinel.log"), false},
	} {
		err := Open(c.path, &Options{Within: root}).Write([]Record{record("a")})
		if c.ok {
			require.NoError(t, err, c.path)
			require.FileExists(t, c.path)
		} else {
			require.ErrorContains(t, err, "telemetry: ", c.path)
		}
	}
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing was made outside")
}

func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	records := []Record{record("a"), record("b")}
	b.Run("write", func(b *testing.B) {
		l := Open(filepath.Join(dir, "sentinel.log"), nil)
		for b.Loop() {
			require.NoError(b, l.Write(records))
		}
	})
	b.Run("companion-append", func(b *testing.B) { // what two bare appends cost
		for b.Loop() {
			f, err := os.OpenFile(filepath.Join(dir, "bare"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
			require.NoError(b, err)
			for range records {
				_, err = f.WriteString("{}\n")
				require.NoError(b, err)
			}
			require.NoError(b, f.Close())
		}
	})
}
