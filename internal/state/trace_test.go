package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// newTestTrace is a trace in a folder of its own, sealed with a key. Its clock never
// tells the same time twice: hooks are processes of their own, and these are not.
func newTestTrace(t testing.TB) *Trace {
	t.Helper()
	began, ticks := time.Now(), new(atomic.Int64)
	now := func() time.Time { return began.Add(time.Duration(ticks.Add(1)) * time.Microsecond) }
	return NewTrace(filepath.Join(t.TempDir(), "traces"), func() []byte { return []byte("a key of the user") }, now)
}

func call(id string) Traced { return Traced{ID: CallDigest(id), Args: 7, Tool: "Bash"} }

func TestTraceKeepsWhatCameOfCalls(t *testing.T) {
	t.Parallel()
	tr := newTestTrace(t)
	s := Session{Agent: "claude", ID: "../../etc/passwd\n\x00", Dir: "/r", Transcript: "/t.jsonl"}
	for i, o := range []Outcome{TraceNoRule, TracePassed, TraceStopped, TraceUnjudged, TraceRelayed} {
		tr.Begin(s, call(fmt.Sprint(i))).End(o, time.Duration(i)*time.Second)
	}
	tr.Begin(s, Traced{Tool: "mcp__a b\n__☃" + strings.Repeat("x", 99)})

	files, err := os.ReadDir(tr.dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "a hostile name leads nowhere else")
	r, err := tr.Read(s)
	require.NoError(t, err)
	require.Equal(t, s, r.Session)
	require.True(t, r.Whole)
	require.Len(t, r.Calls, 6)
	require.Equal(t, CallDigest("3"), r.Calls[3].ID)
	require.Equal(t, TraceUnjudged, r.Calls[3].Outcome)
	require.Equal(t, 3*time.Second, r.Calls[3].Took)
	require.Equal(t, TraceOpen, r.Calls[5].Outcome)
	require.Regexp(t, `^mcp__a\?b\?__\?x+$`, r.Calls[5].Tool)
	require.Len(t, r.Calls[5].Tool, maxTraceName)
	require.Len(t, tr.All(func(other Session) bool { return other == s }), 1)
	require.Empty(t, tr.All(func(other Session) bool { return other != s }))
	_, err = tr.Read(Session{ID: "another"})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A file that a call made is known by its sealed line alone.
func TestTraceKeepsWhatWasCreated(t *testing.T) {
	t.Parallel()
	tr, s := newTestTrace(t), Session{ID: "s"}
	require.Zero(t, tr.Created("s")("/p/a"), "there is no trace")
	many := make([]string, maxCreated+1)
	for i := range many {
		many[i] = fmt.Sprint("/many/", i)
	}
	tr.Begin(s, call("1")).End(TraceNoRule, 0, "/p/a", "/p/b")
	tr.Begin(s, call("2")).End(TraceStopped, 0, "/p/stopped")
	tr.Begin(s, call("3")).End(TracePassed, 0, many...)
	r, err := tr.Read(s)
	require.NoError(t, err)
	require.Len(t, r.Calls, 3)
	created := tr.Created("s")
	require.Equal(t, r.Calls[0].Began, created("/p/a"))
	require.Equal(t, r.Calls[0].Began, created("/p/b"))
	require.Equal(t, r.Calls[2].Began, created(many[0]))
	for _, path := range []string{"/p/stopped", "/p", "/p/a/", "", many[maxCreated]} {
		require.Zero(t, created(path), path)
	}
	require.Zero(t, tr.Created("other")("/p/a"))
	require.Zero(t, tr.Created("")("/p/a"))

	path := filepath.Join(tr.dir, s.name())
	forged := fmt.Sprintf("c %016x %016x", CallDigest("/p/forged"), uint64(1))
	for name, line := range map[string]string{
		"no seal":             forged + "\n",
		"of another's key":    string(NewTrace(tr.dir, func() []byte { return []byte("x") }, nil).seal(s.name()).line(nil, forged)),
		"of another session":  string(tr.seal("other").line(nil, forged)),
		"with a valid number": forged + " 0123456789abcdef\n",
	} {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(data, line...), 0o600))
		require.Zero(t, tr.Created("s")("/p/forged"), name)
		require.NotZero(t, tr.Created("s")("/p/a"), name)
	}
	require.NoError(t, os.Rename(path, path+olderFile))
	require.NotZero(t, tr.Created("s")("/p/a"), "of the file that was put aside too")
	tr.Begin(s, call("4")).End(TraceNoRule, time.Hour, "/p/late")
	require.Equal(t, r.Calls[0].Began, tr.Started("s"), "of the first call of all")
	require.True(t, tr.Created("s")("/p/late").After(r.Calls[0].Began.Add(time.Hour-time.Minute)), "when it was answered")
	require.NoError(t, os.Remove(path+olderFile))
	require.Equal(t, r.Calls[0].Began, tr.Started("s"), "though its file is gone")
	require.Zero(t, tr.Started("other"))
	require.Zero(t, tr.Started(""))
}

// Hooks of one turn write at once: each line is whole.
func TestTraceInParallel(t *testing.T) {
	t.Parallel()
	programtest.SkipOnWine(t, "it appends in two steps, so that a line may be written over another one")
	tr, s := newTestTrace(t), Session{ID: "s"}
	const hooks, calls = 6, 50
	var wait sync.WaitGroup
	for h := range hooks {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range calls {
				tr.Begin(s, call(fmt.Sprint(h, " ", i))).End(TracePassed, 0)
			}
		}()
	}
	wait.Wait()
	r, err := tr.Read(s)
	require.NoError(t, err)
	seen := map[uint64]int{}
	for _, c := range r.Calls {
		require.Equal(t, TracePassed, c.Outcome)
		seen[c.ID]++
	}
	require.Len(t, seen, hooks*calls)
}

// A session's trace is bounded, keeps its last calls, and says that it has lost some.
func TestTraceIsBounded(t *testing.T) {
	t.Parallel()
	tr, s := newTestTrace(t), Session{ID: "s"}
	const calls = 9000
	var wait sync.WaitGroup
	for h := range 3 { // that put the file aside at once
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range calls / 3 {
				tr.Begin(s, call(fmt.Sprint(h, " ", i))).End(TracePassed, 0)
			}
		}()
	}
	wait.Wait()
	r, err := tr.Read(s)
	require.NoError(t, err)
	require.False(t, r.Whole)
	require.Greater(t, len(r.Calls), 3500, "docs/verify.md names this number")
	require.Equal(t, calls/3, int(lastOf(r.Calls, 3, calls/3)), "the last calls of each are there")
	var size int64
	files, err := os.ReadDir(tr.dir)
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		size += info.Size()
	}
	require.LessOrEqual(t, size, int64(2*maxTrace+4096))

	other := newTestTrace(t)
	for range 20 {
		other.Begin(s, call("1")).End(TracePassed, 0)
	}
	r, err = other.Read(s)
	require.NoError(t, err)
	require.True(t, r.Whole)
}

// lastOf is n if the n-th call of each of some hooks is there.
func lastOf(calls []Traced, hooks, n int) (last int) {
	have := map[uint64]bool{}
	for _, c := range calls {
		have[c.ID] = true
	}
	for h := range hooks {
		if !have[CallDigest(fmt.Sprint(h, " ", n-1))] {
			return 0
		}
	}
	return n
}

// deadProcess is the number of a process that has ended.
func deadProcess(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, cmd.Run())
	return cmd.Process.Pid
}

// The next call sees a hook that was killed, and no other one: not one that still
// judges, nor one that has answered.
func TestTraceTellsOfAHookThatWasKilled(t *testing.T) {
	t.Parallel()
	tr, s := newTestTrace(t), Session{ID: "s"}
	killed := tr.Begin(s, Traced{Tool: "Write"})
	running := tr.Begin(s, Traced{Tool: "Bash"})
	tr.Begin(s, Traced{Tool: "Edit"}).End(TraceNoRule, 0)
	require.Empty(t, tr.Begin(s, call("3")).Lost(), "they still run")

	seal := tr.seal(s.name())
	dead := killed.call
	dead.Process = deadProcess(t)
	forged := bytes.Replace(seal.line(nil, fmt.Sprintf("s %s %016x %016x %s", dead.key(), 1, 2, "Forged")), []byte("Forged "), []byte("Faked_ "), 1)
	path := filepath.Join(tr.dir, s.name())
	add := func(data []byte) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		defer f.Close()
		_, err = f.Write(data)
		require.NoError(t, err)
	}
	add(forged)
	require.Empty(t, tr.Begin(s, call("4")).Lost(), "who has no key cannot make one up")
	add(seal.line(nil, fmt.Sprintf("s %s %016x %016x %s", dead.key(), 1, 2, "Write")))
	lost := tr.Begin(s, call("5")).Lost()
	require.Len(t, lost, 1)
	require.Equal(t, "Write", lost[0].Tool)

	later := NewTrace(tr.dir, tr.key, func() time.Time { return time.Now().Add(2 * maxHook) })
	require.Greater(t, len(later.Begin(s, call("6")).Lost()), 1, "no hook lives that long: the number is another process's")
	running.End(TracePassed, 0)

	tr, s = newTestTrace(t), Session{ID: "t"}
	tr.Begin(s, Traced{Tool: "Read"}).End(TraceStopped, 0)
	tr.Begin(s, Traced{Tool: "Bash"}).End(TraceFailed, time.Second)
	lost = tr.Begin(s, call("7")).Lost()
	require.Len(t, lost, 1, "its hook failed")
	require.Equal(t, "Bash", lost[0].Tool)
}

// A process without the key cannot say that a call was judged, and a torn line costs
// itself alone.
func TestTraceOfOthers(t *testing.T) {
	t.Parallel()
	tr, s := newTestTrace(t), Session{ID: "s"}
	tr.Begin(s, call("1")).End(TraceStopped, 0)
	path := filepath.Join(tr.dir, s.name())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		data  []byte
		calls int
		err   error
	}{
		"whole":             {data, 1, nil},
		"torn at the end":   {append(bytes.Clone(data), data[len(data)-90:len(data)-20]...), 1, nil},
		"torn in between":   {append(append(append(bytes.Clone(data), "s 00"...), '\n'), data...), 2, nil},
		"no seal verifies":  {bytes.ReplaceAll(data, []byte("Bash"), []byte("Edit")), 0, nil},
		"nothing of ours":   {[]byte("e 1\ns\n\n h {}\n"), 0, ErrSeal},
		"of another name":   {NewTrace(tr.dir, tr.key, nil).seal("other").line(nil, `h {"part":1}`), 0, ErrSeal},
		"of another's key":  {NewTrace(tr.dir, func() []byte { return []byte("x") }, nil).seal(s.name()).line(nil, `h {"part":1}`), 0, ErrSeal},
		"an end of nothing": {append(tr.seal(s.name()).line(nil, "e 0000000000000000 00000000 00000000 n"), data...), 1, nil},
	} {
		require.NoError(t, os.WriteFile(path, c.data, 0o600))
		r, err := tr.Read(s)
		if require.ErrorIs(t, err, c.err, name); err == nil {
			require.Len(t, r.Calls, c.calls, name)
		}
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	require.Nil(t, tr.Begin(s, call("2")), "a folder in the place of the file")
	var none *Mark
	none.End(TracePassed, 0)
	require.Empty(t, none.Lost())
	require.Nil(t, NewTrace(tr.dir, func() []byte { return nil }, nil).Begin(s, call("3")), "there is no key")
}

// Arguments have one digest, however they are written.
func TestArgsDigest(t *testing.T) {
	t.Parallel()
	same := []string{
		`{"a":"x y","b":{"c":[1,2,null],"d":true}}`,
		"{ \"b\" : {\"d\":true,\n\"c\":[1, 2 ,null]}, \"a\":\"x\\u0020y\" }",
	}
	require.Equal(t, ArgsDigest(json.RawMessage(same[0])), ArgsDigest(json.RawMessage(same[1])))
	seen := map[uint64]string{}
	for _, other := range []string{
		same[0], `{"a":"x y","b":{"c":[2,1,null],"d":true}}`, `{"a":"x y","b":{"c":[1,2,null],"d":false}}`, `{"a":"xy"}`, `{}`, `[]`, ``, `"a"`, `{"a":1}`, `{"a":"1"}`, `{"a":["1"]}`,
		`{"a":{},"b":[]}`, `{"b":{},"a":[]}`, `[null]`, `{"a":"x","b":"y"}`, `{"a":"y","b":"x"}`,
	} {
		sum := ArgsDigest(json.RawMessage(other))
		require.NotContains(t, seen, sum, "%s and %s", seen[sum], other)
		seen[sum] = other
	}
	deep := strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000)
	require.NotPanics(t, func() { ArgsDigest(json.RawMessage(deep)) })
}

// FuzzTrace: what is read was written with the key, and it reads the same again.
func FuzzTrace(f *testing.F) {
	tr := newTestTrace(f)
	s := Session{Agent: "claude", ID: "s"}
	tr.Begin(s, call("1")).End(TraceStopped, time.Second)
	data, err := os.ReadFile(filepath.Join(tr.dir, s.name()))
	require.NoError(f, err)
	f.Add(data, "s 0000000000000001 00000001 0000000000000001 0000000000000001 Bash")
	f.Add([]byte("s \ne \nh {\n"), "e 0000000000000001 00000001 ffffffff n")
	f.Add([]byte{}, `h {"part":-1}`)
	f.Fuzz(func(t *testing.T, data []byte, line string) {
		seal := tr.seal(s.name())
		unjudged(data)
		if !bytes.Contains(data, []byte("Bash")) {
			if calls, _ := seal.parse(data); len(calls) > 0 {
				t.Fatalf("read %v of what nobody has sealed", calls)
			}
		}
		if strings.ContainsRune(line, '\n') {
			return
		}
		calls, _ := seal.parse(seal.line(nil, line)) // hostile, though sealed
		for _, c := range calls {
			again, _ := seal.parse(seal.line(nil, fmt.Sprintf("s %s %016x %016x %s", c.key(), c.ID, c.Args, traceName(c.Tool))))
			require.Equal(t, calls, again)
		}
		ArgsDigest(json.RawMessage(data))
	})
}
