package state

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/facts"
)

func factsIn(t *testing.T, dir string) *Facts {
	t.Helper()
	now := time.Unix(1000, 0)
	return NewFacts(filepath.Join(dir, "facts"), func() []byte { return []byte("key") }, func() time.Time { return now })
}

func theRun(pattern string) []facts.Fact {
	return []facts.Fact{{Kind: facts.Ran, Text: pattern, Result: facts.Succeeded}}
}

// TestFactsOfARun: a run counts from its beginning, once its end tells what came of it.
func TestFactsOfARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		end   facts.Result
		tells bool
		want  facts.Result
	}{
		{"success", facts.Succeeded, true, facts.Succeeded},
		{"failure", facts.Failed, true, facts.Failed},
		{"background", facts.Hidden, true, facts.Hidden},
		{"cancelled", 0, true, 0},
		{"an agent that does not tell", facts.Unknown, false, facts.Unknown},
		{"an agent without an event", 0, false, facts.Unknown},
	} {
		f := factsIn(t, t.TempDir())
		call := FactCall{Tree: "/r", Session: "s", Call: 7}
		require.NoError(t, f.Begin(call, theRun("go test"), nil))
		require.NoError(t, f.Done(FactCall{Tree: "/r", Session: "s", Call: 8}, []facts.Fact{{Kind: facts.Wrote, Text: "a b\n.go"}}, 0))
		require.NoError(t, f.Done(call, nil, c.end))
		got, err := f.Read("/r", "s", c.tells)
		require.NoError(t, err)
		run := got.Last(func(f *facts.Fact) bool { return f.Kind == facts.Ran })
		wrote := got.Last(func(f *facts.Fact) bool { return f.Kind == facts.Wrote })
		require.Equal(t, c.want, run.Result, c.name)
		require.Equal(t, "a b\n.go", wrote.Text)
		require.Greater(t, wrote.Order, run.Order, "what is written during a run is not tested by it")
	}
}

// TestFactsOfOthers: of another session in the tree only what it wrote counts.
func TestFactsOfOthers(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	other := FactCall{Tree: "/r", Session: "other", Call: 1}
	require.NoError(t, f.Begin(other, theRun("go test"), []string{"rule"}))
	require.NoError(t, f.Done(other, []facts.Fact{{Kind: facts.Wrote, Text: "a.go"}, {Kind: facts.Read, Text: "b"}}, facts.Succeeded))
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	require.Len(t, got.All, 1)
	require.True(t, got.All[0].Other)
	elsewhere, err := f.Read("/r2", "other", true)
	require.NoError(t, err)
	require.Empty(t, elsewhere.All)
	own, err := f.Read("/r", "other", true)
	require.NoError(t, err)
	require.Len(t, own.All, 4)
}

// TestFactsOfCommits: each commit that was the last one before a call is kept, also where it was twice, and
// tells of nothing that was done.
func TestFactsOfCommits(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	var orders []int
	for i, name := range []string{"a0", "a1", "a0"} {
		call := FactCall{Tree: "/r", Session: "s", Call: uint64(i)}
		require.NoError(t, f.Done(call, []facts.Fact{{Kind: facts.Read, Text: "r"}}, 0))
		before := f.Latest("/r")
		require.NoError(t, f.Begin(call, []facts.Fact{{Kind: facts.Head, Text: name}}, nil))
		require.Equal(t, before, f.Latest("/r"))
	}
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	for _, one := range got.All {
		if one.Kind == facts.Head {
			orders = append(orders, one.Order)
		}
	}
	require.Len(t, orders, 3)
	require.True(t, slices.IsSorted(orders))
}

// TestFactsCannotBeForged: a line that somebody else wrote, or moved, is not a run; a write
// needs no seal, since it makes no rule content.
func TestFactsCannotBeForged(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	call := FactCall{Tree: "/r", Session: "s", Call: 7}
	require.NoError(t, f.Begin(call, theRun("go test"), nil))
	require.NoError(t, f.Done(call, nil, facts.Failed))
	require.NoError(t, f.Done(call, []facts.Fact{{Kind: facts.Read, Text: "a"}, {Kind: facts.Wrote, Text: "b"}}, 0))
	name := f.path("/r")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	forged := strings.NewReplacer(" f-- ", " s-- ", `"a"`, `"c"`, `"b"`, `"d"`).Replace(string(data))
	require.NoError(t, os.WriteFile(name, []byte(forged+"x torn"), 0o600))
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	require.Len(t, got.All, 1)
	require.Equal(t, facts.Wrote, got.All[0].Kind)

	require.NoError(t, os.WriteFile(f.path("/other"), data, 0o600))
	got, err = f.Read("/other", "s", true)
	require.NoError(t, err)
	require.Equal(t, facts.Wrote, got.Last(func(*facts.Fact) bool { return true }).Kind, "the file of another tree")
	require.Len(t, got.All, 1)
}

// TestFactsStaySmall: 5,000 calls take less than a megabyte, and what is forgotten for that
// counts as a write to any file.
func TestFactsStaySmall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := factsIn(t, dir)
	for i := range uint64(5000) {
		call := FactCall{Tree: "/r", Session: "s", Call: i + 1}
		path := "internal/some/package/file" + strings.Repeat("x", int(i%40)) + ".go"
		require.NoError(t, f.Done(call, []facts.Fact{{Kind: facts.Wrote, Text: path}}, facts.Succeeded))
	}
	size := int64(0)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	for _, name := range files {
		info, err := os.Stat(name)
		require.NoError(t, err)
		size += info.Size()
	}
	require.Less(t, size, int64(1<<20))
	require.Greater(t, size, int64(maxFacts))
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	require.NotZero(t, got.Last(func(f *facts.Fact) bool { return f.Text == everyFile }).Order)
}

// TestFactsOfSubagents: what a subagent does counts for its session, and is marked.
func TestFactsOfSubagents(t *testing.T) {
	t.Parallel()
	f := factsIn(t, t.TempDir())
	for call, part := range map[uint64]bool{1: false, 2: true} {
		c := FactCall{Tree: "/r", Session: "s", Call: call, Part: part}
		require.NoError(t, f.Begin(c, theRun("go test"), nil))
		require.NoError(t, f.Done(c, []facts.Fact{{Kind: facts.Wrote, Text: "a.go"}}, facts.Succeeded))
	}
	got, err := f.Read("/r", "s", true)
	require.NoError(t, err)
	parts := map[facts.Kind]int{}
	for i := range got.All {
		if got.All[i].Part {
			parts[got.All[i].Kind]++
		}
	}
	require.Len(t, got.All, 4)
	require.Equal(t, map[facts.Kind]int{facts.Ran: 1, facts.Wrote: 1}, parts)
}
