package facts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/facts"
)

// TestUnchanged: one formatter leaves several writes of a folder, which is looked at once.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_700_000_000, 0)
	run := facts.Fact{Kind: facts.Ran, Order: 1, Call: 1, At: at, Done: at.Add(time.Second)}
	var looked []string
	found := false
	all := facts.Facts{Newer: func(path string, after time.Time, _ func(string) bool) bool {
		require.Equal(t, run.Done, after)
		looked = append(looked, path)
		return found
	}}
	unchanged := all.Unchanged(&run, nil)
	write := facts.Fact{Kind: facts.Wrote, Order: 2, Call: 2, At: at.Add(time.Minute), Maybe: true}
	for _, text := range []string{"src", "src/*.py", "src/*/**/*.py", "*.py", "."} {
		write.Text = text
		require.True(t, unchanged(&write), text)
	}
	require.Equal(t, []string{"src", "."}, looked)

	found = true
	require.False(t, all.Unchanged(&run, nil)(&write), "a file is newer")
	found = false
	for name, change := range map[string]func(*facts.Fact){
		"not a formatter": func(f *facts.Fact) { f.Maybe = false },
		"the clock":       func(f *facts.Fact) { f.At = at.Add(-time.Hour) },
	} {
		other := write
		change(&other)
		require.False(t, all.Unchanged(&run, nil)(&other), name)
	}
	require.False(t, (&facts.Facts{}).Unchanged(&run, nil)(&write), "nothing can be looked at")
}

// TestFewer: the facts that replace many writes keep their folders, endings and kinds.
func TestFewer(t *testing.T) {
	t.Parallel()
	wrote := func(maybe, below bool, names ...string) (list []facts.Fact) {
		for _, name := range names {
			list = append(list, facts.Fact{Kind: facts.Wrote, Text: name, Maybe: maybe, Below: below, Step: 1})
		}
		return list
	}
	for name, c := range map[string]struct {
		of, want []facts.Fact
		limit    int
	}{
		"few":              {wrote(true, false, "a.go", "b.go"), wrote(true, false, "a.go", "b.go"), 2},
		"by folder":        {wrote(true, false, "*.go", "a.go", "b.go", "p/a.go", "p/b.md"), wrote(true, false, "*.go", "p/*.go", "p/*.md"), 3},
		"by top folder":    {wrote(false, false, "p/q/a.go", "p/r/b.go", "o/a.go"), wrote(false, false, "p/**/*.go", "o/**/*.go"), 2},
		"outside":          {wrote(false, false, "/t/q/a.go", "/t/r/b.go"), wrote(false, false, "/t/**/*.go"), 1},
		"by ending":        {wrote(true, false, "p/a.go", "q/b.go"), wrote(true, false, "**/*.go"), 1},
		"any":              {append(wrote(true, false, "p/a.go"), wrote(true, false, "q/b.md")...), []facts.Fact{{Kind: facts.Wrote, Text: "**", Maybe: true, Step: 1}}, 1},
		"any, the last":    {[]facts.Fact{{Kind: facts.Wrote, Text: "p/a.go", Step: 2}, {Kind: facts.Wrote, Text: "q/b.md", Step: 7}}, []facts.Fact{{Kind: facts.Wrote, Text: "**", Step: 7}}, 1},
		"any, one unknown": {[]facts.Fact{{Kind: facts.Wrote, Text: "p/a.go"}, {Kind: facts.Wrote, Text: "q/b.md", Step: 7}}, []facts.Fact{{Kind: facts.Wrote, Text: "**"}}, 1},
		"folders":          {wrote(false, true, "p/a", "p/b", "q"), wrote(false, true, "p", "."), 2},
		"another kind":     {append(wrote(true, false, "p/a.go", "p/b.go"), wrote(false, false, "p/c.go")...), append(wrote(true, false, "p/*.go"), wrote(false, false, "p/*.go")...), 2},
		"what was read":    {append(wrote(true, false, "p/a.go", "p/b.go"), facts.Fact{Kind: facts.Read, Text: "a"}, facts.Fact{Kind: facts.Read, Text: "b"}), append([]facts.Fact{{Kind: facts.Read, Text: "a"}}, wrote(true, false, "p/*.go")...), 2},
		"a name with [":    {wrote(false, false, "p/[a].ts", "p/b.ts", "p/c.ts"), wrote(false, false, "p/[a].ts", "p/*.ts"), 2},
		"no ending":        {wrote(false, false, "p/Makefile", "p/LICENSE"), wrote(false, false, "p/*"), 1},
		"below the first":  {wrote(false, true, "p/a/b", "p/c/d"), wrote(false, true, "p"), 1},
	} {
		require.Equal(t, c.want, facts.Fewer(c.of, c.limit), name)
	}
}
