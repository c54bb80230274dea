package pathglob

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
)

// TestSpelledOut: a pattern with braces is a pattern for each of its parts.
func TestSpelledOut(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string][]string{
		"**/*.{go,rs}": {"**/*.go", "**/*.rs"}, "a.{go}": {"a.go"}, "{a,b}/{c,d}": {"a/{c,d}", "b/{c,d}"}, "src/**": {"src/**"}, "a{": {"a{"}, "}a{": {"}a{"}, "a{,b}": {"a", "ab"}, "": {""},
	} {
		require.Equal(t, want, SpelledOut(glob), glob)
	}
}

// TestSample: the sample of a pattern is a path that the pattern matches.
func TestSample(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string]string{
		"src/**": "src/a.txt", "**/*.go": "a.go", "**/gen/**": "gen/a.txt", "*.{ts,tsx}": "a.ts", "app/**/*.test.ts": "app/a.test.ts", "a?.md": "aa.md", "README.md": "README.md", "**": "a", "{a,b}/**": "a/a.txt",
	} {
		require.Equal(t, want, Sample(glob), glob)
		require.True(t, Match(glob, want), glob)
	}
	globs := OfTests()
	for _, k := range forms.All().Kinds {
		globs = append(globs, k.Files...)
	}
	for _, l := range forms.All().Languages {
		globs = append(globs, l.Files...)
	}
	require.Greater(t, len(globs), 60)
	for _, g := range globs {
		if strings.Contains(g, "[") {
			continue // Sample knows no classes of letters
		}
		require.True(t, Match(g, Sample(g)), "%s: %s", g, Sample(g))
		for _, one := range SpelledOut(g) {
			require.True(t, Match(g, Sample(one)), "%s: %s", g, Sample(one))
		}
	}
}

// TestPatterns: what a pattern matches, and what else is asked of one.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string][2]string{"src/**": {"src/a/b.go", "lib/src/b.go"}, "**/*.go": {"a/b.go", "b.gox"}, "*.md": {"a.md", "a.mdx"}, "{a,b}/*": {"b/c", "c/c"}} {
		require.True(t, Match(glob, want[0]), glob)
		require.False(t, Match(glob, want[1]), glob)
	}
	for glob, want := range map[string]string{"*/gen/**": "**/gen/**", "*/*.go": "*/*.go", "*/**": "*/**", "gen/**": "gen/**", "**/gen": "**/gen", "*.go": "*.go"} {
		require.Equal(t, want, AtAnyDepth(glob), glob)
	}
	require.True(t, Hidden(".github") && !Hidden("a.b"))
	require.Equal(t, []string{"A", "B"}, Each([]string{"a", "b"}, strings.ToUpper))
	require.True(t, Match(OfTests()[0], "src/a.test.ts") && !Match(OfTests()[0], "src/a.ts"))
}
