package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/transcript"
)

// work is a session of n calls. The one at bad fails and is done another way.
func work(n int, bad ...int) []transcript.Entry {
	all := []transcript.Entry{{Kind: transcript.Human, Text: "the task"}}
	for i := range n {
		all = append(all, transcript.Entry{Kind: transcript.Call, Tool: "Bash", Text: fmt.Sprint("step ", i)})
		result := transcript.Entry{Kind: transcript.Result}
		for _, b := range bad {
			if i == b {
				result = transcript.Entry{Kind: transcript.Result, Failed: true, Text: fmt.Sprint("error ", i)}
			}
		}
		all = append(all, result)
	}
	return append(all, transcript.Entry{Kind: transcript.Assistant, Text: "the end"})
}

func size(lines []string) int {
	n := 0
	for _, l := range lines {
		n += utf8.RuneCountInString(l) + 1
	}
	return n
}

func TestBudgetOfAShortSession(t *testing.T) {
	t.Parallel()
	all := work(3, 1)
	require.Equal(t, lines(all), selected(all, 4000))
	require.Empty(t, selected(nil, 4000))
}

// Of a long session the beginning, the end and what went wrong between them stay,
// with what was called before and after; the rest is named.
func TestBudgetOfALongSession(t *testing.T) {
	t.Parallel()
	all := work(5000, 2500)
	got := selected(all, 2000)
	require.LessOrEqual(t, size(got), 2000)
	require.Greater(t, size(got), 1200, "the budget is used")
	require.Equal(t, "human: the task", got[0])
	require.Equal(t, "assistant: the end", got[len(got)-1])
	text := strings.Join(got, "\n")
	require.Contains(t, text, "tool Bash: step 2500\nresult ERROR: error 2500\n")
	require.Contains(t, text, "tool Bash: step 2501")
	left, shown := 0, 0
	for _, l := range got {
		var n int
		if _, err := fmt.Sscanf(l, "[%d lines left out]", &n); err == nil {
			left += n
		} else {
			shown++
		}
	}
	require.Equal(t, len(all), left+shown, "what is missing is named, all of it")
}

// The user's word in the middle stays.
func TestBudgetKeepsWhatAPersonSaid(t *testing.T) {
	t.Parallel()
	all := append(work(1000), transcript.Entry{Kind: transcript.Human, Text: "no, use make"})
	all = append(all, work(1000)...)
	require.Contains(t, selected(all, 1500), "human: no, use make")
}

func TestBudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	var everything []int
	for i := range 300 {
		everything = append(everything, i)
	}
	some := []int{3, 40, 77, 120, 121, 122, 190, 250, 299}
	for _, chars := range []int{-1, 0, 1, 10, 20, 33, 100, 500, 4000, 100_000} {
		for _, all := range [][]transcript.Entry{nil, work(300), work(300, some...), work(300, everything...), {{Kind: transcript.Human, Text: strings.Repeat("ö", 9000)}}} {
			got := selected(all, chars)
			require.LessOrEqual(t, size(got), max(chars, 0), "%d characters for %d entries", chars, len(all))
			for _, l := range got {
				require.True(t, utf8.ValidString(l))
			}
		}
	}
}

// selected are the lines of a Selection of all entries.
func selected(all []transcript.Entry, chars int) []string {
	s := transcript.NewSelection(chars)
	for _, e := range all {
		s.Add(e)
	}
	return s.Lines()
}
