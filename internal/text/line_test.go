package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, `a b\u202e c`, Line(" a\n\tb\u202e\r\nc\n"))
	require.Equal(t, "", Line(" \n"))
	long := Line("first " + strings.Repeat("word\n", 1000) + "last")
	require.NotContains(t, long, "\n")
	require.LessOrEqual(t, utf8.RuneCountInString(long), lineMax)
	require.Regexp(t, `^first word .* \[… 4,\d{3} characters left out …\] .* last$`, long)
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", -999: "-999", -1000: "-1,000", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, Thousands(n))
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	require.Equal(t, `a  b\n\tc\u202e`, Name("a  b\n\tc\u202e"))
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 0, ""}, {"a", 0, "a"}, {"ab", 0, "…"}, {"ab", -5, "…"}, {"ab", 1, "…"}, {"ab", 2, "ab"},
		{"éèê", 3, "éèê"}, {"éèêë", 3, "éè…"}, {"\xff\xff\xff", 2, "\xff…"}, {strings.Repeat("x", 100), 10, "xxxxxxxxx…"},
	} {
		require.Equal(t, c.want, Cut(c.in, c.limit), "%q at %d", c.in, c.limit)
	}
}

func TestClipBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 5, ""}, {"abcde", 5, "abcde"}, {"abcdef", 5, "ab…"}, {"aéédef", 6, "aé…"}, {"aéédef", 7, "aé…"},
	} {
		require.Equal(t, c.want, ClipBytes(c.in, c.limit), "%q at %d", c.in, c.limit)
	}
}

func TestCutBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 0, ""}, {"ab", 0, ""}, {"ab", 1, "a"}, {"ab", 2, "ab"}, {"é", 1, ""}, {"aéb", 2, "a"}, {"aéb", 3, "aé"},
		{"日本", 5, "日"}, {"\x80\x80\x80", 2, ""},
	} {
		require.Equal(t, c.want, CutBytes(c.in, c.limit), "%q at %d", c.in, c.limit)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{-1: "-1 rules", 0: "0 rules", 1: "1 rule", 2: "2 rules", 1000: "1000 rules"} {
		require.Equal(t, want, Count(n, "rule"))
	}
	require.Equal(t, "1 entry", Plural(1, "entry", "entries"))
	require.Equal(t, "3 entries", Plural(3, "entry", "entries"))
}
