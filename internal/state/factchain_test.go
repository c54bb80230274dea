package state

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/facts"
)

// linesOf are the lines of a tree's file.
func linesOf(t *testing.T, f *Facts) [][]byte {
	t.Helper()
	data, err := os.ReadFile(f.path("/r"))
	require.NoError(t, err)
	return slices.Collect(bytes.Lines(data))
}

// brokenIn is what is said of lines.
func brokenIn(t *testing.T, f *Facts, lines [][]byte) int {
	t.Helper()
	require.NoError(t, os.WriteFile(f.path("/r"), bytes.Join(lines, nil), 0o600))
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	return got.Broken(0)
}

// TestFactsAreAChain: a line that is taken out, moved, doubled or changed is noticed at the line
// behind it.
func TestFactsAreAChain(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	for call := range uint64(6) {
		require.NoError(t, f.Done(FactCall{Tree: "/r", Session: "s", Call: call + 1}, []facts.Fact{{Kind: facts.Wrote, Text: fmt.Sprint("a", call)}, {Kind: facts.Wrote, Text: fmt.Sprint("b", call)}}, 0))
	}
	lines := linesOf(t, f)
	require.Len(t, lines, 13)
	require.Zero(t, brokenIn(t, f, lines))
	for i := range len(lines) - 1 {
		require.Equal(t, i+1, brokenIn(t, f, slices.Delete(slices.Clone(lines), i, i+1)), "without line %d", i)
		moved := slices.Clone(lines)
		moved[i], moved[i+1] = moved[i+1], moved[i]
		require.NotZero(t, brokenIn(t, f, moved), "line %d moved", i)
		changed := slices.Clone(lines)
		changed[i] = bytes.Replace(lines[i], []byte(`"a`), []byte(`"c`), 1)
		if !bytes.Equal(changed[i], lines[i]) {
			require.Equal(t, i+1, brokenIn(t, f, changed), "line %d changed", i)
		}
	}
	require.NoError(t, os.WriteFile(f.path("/r"), bytes.Join(slices.Delete(slices.Clone(lines), 3, 4), nil), 0o600))
	require.NoError(t, f.Begin(FactCall{Tree: "/r", Session: "s", Call: 9}, theRun("go test"), nil))
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	require.Equal(t, 4, got.Broken(3))
	require.Zero(t, got.Broken(4), "what comes later is whole")
}

// TestFactsOfOldVersions: lines whose seals cover themselves alone are read, and new ones follow.
func TestFactsOfOldVersions(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	call := FactCall{Tree: "/r", Session: "s", Call: 7}
	seal := newTraceSeal([]byte("key"), factSealed, filepath.Base(f.path("/r")))
	var old []byte
	for _, one := range []facts.Fact{{Kind: facts.Ran, Text: "go test", Result: facts.Succeeded}, {Kind: factEnd, Result: facts.Succeeded}} {
		old = seal.line(old, f.line(call, &one))
	}
	require.NoError(t, os.MkdirAll(f.dir, 0o700))
	require.NoError(t, os.WriteFile(f.path("/r"), old, 0o600))
	require.NoError(t, f.Done(call, []facts.Fact{{Kind: facts.Wrote, Text: "a"}}, 0))
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	require.Len(t, got.All, 2)
	require.Equal(t, facts.Succeeded, got.All[0].Result)
	require.Zero(t, got.Broken(0))
	lines := linesOf(t, f)
	require.NotZero(t, brokenIn(t, f, [][]byte{lines[0], lines[2]}))
}

// TestFactsOfManyProcesses: lines that come between are no break, nor is a new file.
func TestFactsOfManyProcesses(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	var all sync.WaitGroup
	for process := range 8 {
		all.Go(func() {
			for i := range 40 {
				call := FactCall{Tree: "/r", Session: fmt.Sprint(process), Call: uint64(i + 1)}
				if err := f.Done(call, []facts.Fact{{Kind: facts.Wrote, Text: fmt.Sprint(process, i, strings.Repeat("x", 900))}}, facts.Succeeded); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := f.Read("/r", "1", true)
	require.NoError(t, err)
	require.Zero(t, got.Broken(0))
	for i := range 2000 { // the older file is forgotten
		require.NoError(t, f.Done(FactCall{Tree: "/r", Session: "s", Call: uint64(i + 1)}, []facts.Fact{{Kind: facts.Wrote, Text: strings.Repeat("x", 900)}}, 0))
		if i%500 == 0 {
			got, err = f.Read("/r", "s", true)
			require.NoError(t, err)
			require.Zero(t, got.Broken(0), i)
		}
	}
	got, err = f.Read("/r", "s", true)
	require.NoError(t, err)
	for range 50 { // as many rules do
		all.Go(func() {
			if got.Broken(0) != 0 {
				t.Error("broken")
			}
		})
	}
	all.Wait()
}

// TestFactsBehindDamage: what a file has at its end, as after a loss of power, voids what was before it;
// the next run counts, and a write is not lost.
func TestFactsBehindDamage(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"a torn line": "r 0123", "bytes of zero": strings.Repeat("\x00", 4096), "much": strings.Repeat("x", 3*maxTail),
		"an empty line": "\n", "empty lines": strings.Repeat("\n", 2*maxBetween), "a torn line, ended twice": "r 0123\n\n",
	} {
		f := factsIn(t, t.TempDir())
		call := FactCall{Tree: "/r", Session: "s", Call: 1}
		require.NoError(t, f.Begin(call, theRun("go test"), nil))
		require.NoError(t, f.Done(call, []facts.Fact{{Kind: facts.Wrote, Text: "a"}}, facts.Succeeded))
		file, err := os.OpenFile(f.path("/r"), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = file.WriteString(end)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		call.Call = 2
		require.NoError(t, f.Done(call, []facts.Fact{{Kind: facts.Wrote, Text: "b"}}, 0))
		call.Call = 3
		require.NoError(t, f.Begin(call, theRun("go test"), nil))
		require.NoError(t, f.Done(call, nil, facts.Succeeded))
		got, err := f.Read("/r", "s", true)
		require.NoError(t, err)
		run := got.Last(func(f *facts.Fact) bool { return f.Kind == facts.Ran && f.Result == facts.Succeeded })
		require.NotZero(t, run.Order, name)
		require.Zero(t, got.Broken(run.Order), name)
		require.NotZero(t, got.Last(func(f *facts.Fact) bool { return f.Text == "b" }).Order, name)
		require.Equal(t, strings.Trim(end, "\n") != "", got.Broken(0) > 0, name)
	}
}
