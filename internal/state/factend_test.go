package state

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/facts"
)

// someFacts are calls that wrote, and one that ran.
func someFacts(t *testing.T, f *Facts) {
	t.Helper()
	for call := range uint64(4) {
		c := FactCall{Tree: "/r", Session: "s", Call: call + 1}
		require.NoError(t, f.Begin(c, theRun("go test"), nil))
		require.NoError(t, f.Done(c, []facts.Fact{{Kind: facts.Wrote, Text: fmt.Sprint("a", call)}}, facts.Succeeded))
	}
}

// brokenSince is what is said of the lines behind an order.
func brokenSince(t *testing.T, f *Facts, order int) int {
	t.Helper()
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	return got.Broken(order)
}

// TestFactsEnd: lines that are cut off at the end are noticed, also when others follow, and what
// comes later is whole.
func TestFactsEnd(t *testing.T) {
	t.Parallel()
	type paths struct{ file, end string }
	drop := func(n int) func(t *testing.T, p paths) {
		return func(t *testing.T, p paths) {
			data, err := os.ReadFile(p.file)
			require.NoError(t, err)
			lines := bytes.SplitAfter(data, []byte("\n"))
			require.NoError(t, os.WriteFile(p.file, bytes.Join(lines[:len(lines)-1-n], nil), 0o600))
		}
	}
	for name, harm := range map[string]func(t *testing.T, p paths){
		"one line": drop(1), "two lines": drop(2), "a call": drop(3), "nearly all": drop(12), "all": drop(13),
		"the file": func(t *testing.T, p paths) { require.NoError(t, os.Remove(p.file)) },
		"the end":  func(t *testing.T, p paths) { require.NoError(t, os.Remove(p.end)) },
		"a byte of the end": func(t *testing.T, p paths) {
			data, err := os.ReadFile(p.end)
			require.NoError(t, err)
			data[len(data)-1] ^= 1
			require.NoError(t, os.WriteFile(p.end, data, 0o600))
		},
		"the end, emptied": func(t *testing.T, p paths) { require.NoError(t, os.WriteFile(p.end, nil, 0o600)) },
		"the end of another tree": func(t *testing.T, p paths) {
			other := factsIn(t, filepath.Dir(filepath.Dir(p.file)))
			require.NoError(t, other.Done(FactCall{Tree: "/o", Session: "s", Call: 1}, []facts.Fact{{Kind: facts.Wrote, Text: "a"}}, 0))
			require.NoError(t, os.Rename(ends(other.path("/o")), p.end))
		},
	} {
		f := factsIn(t, t.TempDir())
		someFacts(t, f)
		require.Zero(t, brokenSince(t, f, 0), name)
		harm(t, paths{f.path("/r"), ends(f.path("/r"))})
		require.NotZero(t, brokenSince(t, f, 0), name)
		require.NotZero(t, brokenSince(t, f, 1000), name)
		c := FactCall{Tree: "/r", Session: "s", Call: 9}
		require.NoError(t, f.Done(c, []facts.Fact{{Kind: facts.Wrote, Text: "b"}}, 0))
		at := brokenSince(t, f, 0)
		require.NotZero(t, at, "%s, with lines behind it", name)
		require.Zero(t, brokenSince(t, f, at), "%s: what comes later", name)
		require.NoError(t, f.Begin(c, theRun("go test"), nil))
		require.NoError(t, f.Done(c, nil, facts.Succeeded))
		got, err := f.Read("/r", "s", true)
		require.NoError(t, err)
		run := got.Last(func(f *facts.Fact) bool { return f.Kind == facts.Ran && f.Result == facts.Succeeded })
		require.NotZero(t, run.Order, name)
		require.Zero(t, got.Broken(run.Order), "%s: the next run counts", name)
	}
}

// TestFactsEndIsBehind: a process that dies between its two files, lines of an earlier version and files
// that are put aside or forgotten are no cut.
func TestFactsEndIsBehind(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	someFacts(t, f)
	old, err := os.ReadFile(ends(f.path("/r")))
	require.NoError(t, err)
	c := FactCall{Tree: "/r", Session: "o", Call: 1}
	for range 30 { // none of them has written the end
		require.NoError(t, f.Done(c, []facts.Fact{{Kind: facts.Wrote, Text: strings.Repeat("x", 900)}}, 0))
		require.NoError(t, os.WriteFile(ends(f.path("/r")), old, 0o600))
	}
	require.Zero(t, brokenSince(t, f, 0))

	before := factsIn(t, t.TempDir()) // an earlier version kept no end
	someFacts(t, before)
	data, err := os.ReadFile(before.path("/r"))
	require.NoError(t, err)
	seal := newTraceSeal([]byte("key"), factSealed, filepath.Base(before.path("/r")))
	var lines, last []byte
	for _, text := range []string{"a", "b"} {
		lines = seal.after(last).line(lines, before.line(c, &facts.Fact{Kind: facts.Wrote, Text: text}))
		last = bytes.Clone(sealOf(lines))
	}
	require.NotEqual(t, data, lines)
	require.NoError(t, os.WriteFile(before.path("/r"), lines, 0o600))
	require.NoError(t, os.Remove(ends(before.path("/r"))))
	require.Zero(t, brokenSince(t, before, 0))
	someFacts(t, before)
	require.Zero(t, brokenSince(t, before, 0))

	now := time.Unix(1000, 0)
	late := NewFacts(filepath.Join(t.TempDir(), "facts"), func() []byte { return []byte("key") }, func() time.Time { now = now.Add(time.Second); return now })
	someFacts(t, late)
	old, err = os.ReadFile(ends(late.path("/r")))
	require.NoError(t, err)
	for i := range 1200 { // a process that was held up for so long that its line is forgotten
		require.NoError(t, late.Done(FactCall{Tree: "/r", Session: "o", Call: uint64(i)}, []facts.Fact{{Kind: facts.Wrote, Text: strings.Repeat("x", 1000)}}, 0))
	}
	require.NoError(t, os.WriteFile(ends(late.path("/r")), old, 0o600))
	require.Zero(t, brokenSince(t, late, 0))
}

// TestFactsEndOfManyProcesses: processes that write at the same time cut nothing off.
func TestFactsEndOfManyProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for process := range 8 {
		f := factsIn(t, dir)
		all.Go(func() {
			for i := range 60 {
				if err := f.Done(FactCall{Tree: "/r", Session: fmt.Sprint(process), Call: uint64(i)}, []facts.Fact{{Kind: facts.Wrote, Text: strings.Repeat("x", 1000)}}, 0); err != nil {
					t.Error(err)
				}
				if r, err := f.reader("/r", "s"); err != nil || r.cut || r.broken(0) != 0 {
					t.Errorf("broken: %v", err)
				}
			}
		})
	}
	all.Wait()
	require.Zero(t, brokenSince(t, factsIn(t, dir), 0))
}

// TestFactsEndsArePruned: what is kept of the end of a file goes with it.
func TestFactsEndsArePruned(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	someFacts(t, f)
	old := time.Now().Add(-2 * factsAge)
	require.NoError(t, os.Chtimes(f.path("/r"), old, old))
	require.NoError(t, f.Done(FactCall{Tree: "/o", Session: "s", Call: 1}, []facts.Fact{{Kind: facts.Wrote, Text: "a"}}, 0))
	require.NoFileExists(t, f.path("/r"))
	require.NoFileExists(t, ends(f.path("/r")))
	require.Zero(t, brokenSince(t, f, 0))
}
