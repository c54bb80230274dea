package judges

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
)

var word = regexp.MustCompile(`[a-z0-9']+`)

func words(s string) []string { return word.FindAllString(strings.ToLower(s), -1) }

// shingles are the runs of five words of a text.
func shingles(s string) map[string]bool {
	w, runs := words(s), map[string]bool{}
	for i := 0; i+5 <= len(w); i++ {
		runs[strings.Join(w[i:i+5], " ")] = true
	}
	return runs
}

// sharedShingles is the share of the runs of five words of the text with fewer
// that the other has too.
func sharedShingles(a, b string) float64 {
	x, y := shingles(a), shingles(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	shared := 0
	for run := range x {
		if y[run] {
			shared++
		}
	}
	return float64(shared) / float64(len(x))
}

// sharedSequence is the length of the longest common subsequence of words over
// the words of the shorter text: the strictest of the usual measures, since it
// counts every "the" in the same order.
func sharedSequence(a, b string) float64 {
	x, y := words(a), words(b)
	row := make([]int, len(y)+1)
	for _, v := range x {
		before := 0
		for j, w := range y {
			above := row[j+1]
			if v == w {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			before = above
		}
	}
	return float64(row[len(y)]) / float64(min(len(x), len(y)))
}

func TestPersonasShareLessThanHalf(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 1, sharedShingles(prosecutor, prosecutor), 0)
	require.InDelta(t, 1, sharedSequence(prosecutor, prosecutor), 0)
	judges := audit.Judges()
	for i, a := range judges {
		for _, b := range judges[i+1:] {
			x, y := personaOf(a), personaOf(b)
			for _, texts := range [][2]string{{x.system, y.system}, {x.system + x.reminder, y.system + y.reminder}} {
				shingled, sequence := sharedShingles(texts[0], texts[1]), sharedSequence(texts[0], texts[1])
				t.Logf("%s and %s: %.2f of the shingles, %.2f of the words in order", a, b, shingled, sequence)
				require.Less(t, shingled, 0.5)
				require.Less(t, sequence, 0.5)
			}
		}
	}
}

func TestEveryPersonaHasTheRules(t *testing.T) {
	t.Parallel()
	for _, j := range audit.Judges() {
		who := personaOf(j)
		require.NotEmpty(t, who.reminder)
		require.Contains(t, who.system, j.Title())
		require.Contains(t, who.reminder, j.Title())
		for _, rule := range []string{"MUST disagree", "Hallucination Liability", "Orchestration Fraud", commonRules} {
			require.Contains(t, who.system, rule, j)
		}
	}
	require.Empty(t, personaOf("nobody"))
}
