package rule

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/shell"
)

// TestPlacesOfWrites: where in its line a write is done, also where the line has more commands than facts tell apart,
// and where what an action says of its effects is not true.
func TestPlacesOfWrites(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("echo x && ", facts.MaxStep)
	for _, c := range []struct {
		line          string
		effects       []int
		ran, lint, at int
	}{
		{"make && rm a", []int{0}, 1, 0, 2},
		{"rm a && make", []int{0}, 2, 0, 1},
		{"rm a && make && rm a", []int{0, 1}, 2, 0, 3},
		{"rm a & make", []int{0}, 2, 0, math.MaxInt},
		{long + "make && rm a && lint", []int{0}, 1, 2, 2},
		{long + "rm a && make && lint", []int{0}, 1, 2, 1},
		{long + "lint && make && rm a", []int{0}, 2, 1, math.MaxInt},
		{"make && rm a", nil, 1, 0, 0},
		{"make && rm a", []int{-1}, 1, 0, 0},
		{"make && rm a", []int{0, 1}, 1, 0, 0},
	} {
		line := shell.Parse(c.line, nil)
		actions := []sentinel.Action{
			{Trigger: sentinel.Bash, Target: c.line, Command: line},
			{Trigger: sentinel.FileWrite, Op: sentinel.OpDelete, Path: "a", Forms: []string{"a"}, DerivedFrom: c.line, Effects: c.effects},
		}
		needs := &Needs{Ran: []string{"make", "lint"}, Wrote: true}
		places := map[string]int{}
		for _, f := range append(needs.Before(actions), needs.After(actions, false, false)...) {
			places[f.Text] = f.Step
		}
		require.Equal(t, []int{c.ran, c.lint, c.at}, []int{places["make"], places["lint"], places["a"]}, "%s %v", c.line, c.effects)
		line.Effects[0].Command = 99
		require.Zero(t, needs.After(actions, false, false)[0].Step)
	}
}
