package rule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhenNeeds: only what an expression asks about the session is kept.
func TestWhenNeeds(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]Needs{
		`last(wrote("a")) > last(ran("make *"))`:    {Ran: []string{"make *"}, Wrote: true},
		`ran ("a") or ran("b") or "ran" == command`: {Ran: []string{"a", "b"}},
		`not read("docs/a.md")`:                     {Read: []string{"docs/a.md"}},
		`not read(path)`:                            {Read: []string{"**"}, Wrote: true},
		`command == "ran(x)"`:                       {},
		`asked("x")`:                                {},
	} {
		require.Equal(t, &want, (&Definition{When: when}).needs(), when)
		require.Equal(t, &want, (&Definition{Doubtful: when}).needs(), when)
	}
	require.Equal(t, &Needs{Wrote: true, Ran: []string{"c"}}, (&Definition{Phase: stop, When: `ran("a") or changed("b") or wrote("b") or last(ran("c")) > 0`}).needs())
}
