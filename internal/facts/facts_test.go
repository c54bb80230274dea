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
