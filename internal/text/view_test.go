package text

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// missed is how much of what is needed the windows of a view do not show.
func missed(windows []Window, needed int) int {
	for _, w := range windows {
		needed -= w.Added
	}
	return needed
}

func shows(windows []Window, what string) bool {
	for _, w := range windows {
		if strings.Contains(w.Text, what) {
			return true
		}
	}
	return false
}

// Wherever one line is in a text that the windows reach over, one of them has the
// whole of it; in a longer text they say that they do not show all.
func TestViewShowsEveryLine(t *testing.T) {
	t.Parallel()
	const bad = "    rate = base * 0 # and then some more of the same line\n"
	r := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		v := View{Max: 400 + r.IntN(1000), Windows: 1 + r.IntN(5)}
		n := r.IntN(200)
		at := r.IntN(n + 1)
		text := lines(at) + bad + lines(n-at)
		windows, needed := v.Of(text)
		require.LessOrEqual(t, len(windows), v.Windows)
		unseen := missed(windows, needed)
		require.GreaterOrEqual(t, unseen, 0)
		for _, w := range windows {
			require.LessOrEqual(t, utf8.RuneCountInString(w.Text), v.Max)
			require.Positive(t, w.Added)
		}
		if !shows(windows, bad) {
			require.Positive(t, unseen, "%d characters in %d windows of %d", len(text), v.Windows, v.Max)
		}
		if len(text) < v.Windows*(v.Max-2*noteMax-v.Max/overlapShare)*3/4 {
			require.Zero(t, unseen, "%d characters in %d windows of %d", len(text), v.Windows, v.Max)
		}
	}
}

func TestViewOfChanges(t *testing.T) {
	t.Parallel()
	old := lines(3000)
	changed := strings.Replace(old, "the 1700. line of ordinary prose\n", "one bad line\n", 1)
	needed := Changed(old, changed, 3)
	require.Len(t, needed, 1)
	windows, size := View{Max: 800, Windows: 4, Needed: needed}.Of(changed)
	require.Len(t, windows, 1, "what is not changed asks for no window")
	require.Zero(t, missed(windows, size))
	for _, part := range []string{"one bad line", "the 1697. line", "the 1703. line", "the 0. line", "the 2999. line", "characters left out"} {
		require.Contains(t, windows[0].Text, part)
	}
	require.Zero(t, missed(View{Max: 800, Windows: 4, Needed: [][2]int{}}.Of(changed)), "nothing is changed")

	places, size := View{Max: 800, Windows: 1, Places: []int{strings.Index(old, "the 2222. line")}}.Of(old)
	require.Contains(t, places[0].Text, "the 2222. line")
	require.Greater(t, missed(places, size), size*9/10)
}

func TestViewOfOneLongLine(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		at := r.IntN(3000)
		text := strings.Repeat("x", at) + "eval(a)" + strings.Repeat("y", 3000-at)
		windows, needed := View{Max: 1000, Windows: 4}.Of(text)
		require.Zero(t, missed(windows, needed))
		require.True(t, shows(windows, "eval(a)"), at)
	}
}

// Hostile texts neither hang nor break the bounds.
func TestViewOfHostileTexts(t *testing.T) {
	t.Parallel()
	texts := append([]string{strings.Repeat("\x80", 5000), strings.Repeat("\u202e", 900), strings.Repeat("é\r\n", 900), strings.Repeat("a\x80\xff", 2000)}, hostile...)
	for _, s := range texts {
		for _, v := range []View{{}, {Max: 121, Windows: 9}, {Max: 300, Windows: 3, Needed: [][2]int{{-5, 7}, {3, 99999}}, Places: []int{-1, 4, 1 << 30}}} {
			windows, needed := v.Of(s)
			require.NotEmpty(t, windows)
			require.GreaterOrEqual(t, missed(windows, needed), 0)
			for _, w := range windows {
				require.LessOrEqual(t, utf8.RuneCountInString(w.Text), max(v.Max, snippetMin), "%.20q", s)
				require.True(t, utf8.ValidString(w.Text))
			}
		}
	}
}

// Changed leaves out nothing that differs: what it leaves out is in the old text
// in the same order.
func TestChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, text, want string // want with "…" between the ranges
	}{
		{"a\nb\nc\n", "a\nb\nc\n", ""},
		{"", "a\nb\n", "a\nb\n"},
		{"a\nb\nc\n", "a\nX\nc\n", "X\n"},
		{"a\nb\nc\nd\n", "X\na\nb\nc\nd\nY\n", "X\n…Y\n"},
		{"a\nb\nc\nd\n", "a\nd\n", ""},
		{"a\nb", "a\nb\n", "b\n"},
		{"1\n2\n3\n", "3\n2\n1\n", "3\n2\n…"}, // moved: at least one of them
	} {
		ranges := Changed(c.old, c.text, 0)
		require.NotNil(t, ranges)
		var parts []string
		for _, r := range ranges {
			parts = append(parts, c.text[r[0]:r[1]])
		}
		if strings.HasSuffix(c.want, "…") {
			require.NotEmpty(t, parts)
			continue
		}
		require.Equal(t, c.want, strings.Join(parts, "…"), "%q", c.text)
	}
	require.Equal(t, [][2]int{{2, 6}}, Changed("a\nb\nc\nd\ne\n", "a\nb\nd\ne\n", 1), "what stands around lines that were taken out")

	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		old, text := someLines(r), someLines(r)
		var kept []string
		at := 0
		for _, c := range Changed(strings.Join(old, ""), strings.Join(text, ""), 0) {
			whole := strings.Join(text, "")
			kept = append(kept, splitLines(whole[at:c[0]])...)
			at = c[1]
		}
		kept = append(kept, splitLines(strings.Join(text, "")[at:])...)
		for _, line := range old {
			if len(kept) > 0 && kept[0] == line {
				kept = kept[1:]
			}
		}
		require.Empty(t, kept)
	}
}

func someLines(r *rand.Rand) []string {
	out := make([]string, r.IntN(30))
	for i := range out {
		out[i] = string(rune('a'+r.IntN(12))) + "\n"
	}
	return out
}
