package rubric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ pattern, yes, no string }{
		{"go.mod", "go.mod", "x/go.mod go.mod/x xgo.mod go.modx goXmod GO.MOD"},
		{"**/go.mod", "go.mod a/go.mod a/b/go.mod", "xgo.mod a/go.mod/b"},
		{"docs/**", "docs/a docs/a/b", "docs xdocs/a"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"},
		{"**", "a a/b", ""},
		{"*.md", "a.md .md", "a/b.md a.mdx"},
		{"*.{md,txt}", "a.md a.txt", "a.mdtxt a."},
		{"?.go", "a.go é.go", "ab.go /.go .go"},
		{".github/workflows/*.y?(a)ml", ".github/workflows/ci.yml .github/workflows/ci.yaml", ".github/workflows/ci.yaaml .github/workflows/a/ci.yml"},
		{"**/*.{test,spec}.ts?(x)", "a.test.ts b/a.spec.tsx", "a.test.txt atest.ts"},
		{"@(a|b)", "a b", "ab a|b"},
		{"+(a|b)c", "ac abac", "c"},
		{"*(ab)c", "c abc ababc", "ac"},
		{"?(.github/|docs/)CONTRIBUTING*", "CONTRIBUTING.md docs/CONTRIBUTING .github/CONTRIBUTING.md", "x/CONTRIBUTING.md"},
		{"[a-c].go", "a.go c.go", "d.go -.go"},
		{"[!a-c].go", "d.go", "a.go /.go"},
		{"*.py[co]", "a.pyc a.pyo", "a.py a.pyd"},
		{"**/{.venv,venv}/**", ".venv/a x/venv/b/c", "venv xvenv/a"},
		{`\*\{`, "*{", "a{"},
		{`\$src`, "$src", "src"},
		{"a,b|c", "a,b|c", "a b"},
		{"=*", "=2.0 =", "a=2.0"},
		{"{a,b/{c,d}}/*.go", "a/x.go b/c/x.go b/d/x.go", "b/x.go a/c/x.go"},
		{"ключ?.txt", "ключи.txt", "ключ.txt"},
	} {
		p, err := rubric.CompilePatterns([]string{tc.pattern})
		require.NoError(t, err, tc.pattern)
		for path := range strings.FieldsSeq(tc.yes) {
			require.True(t, p.Match(path), "%s matches %s", tc.pattern, path)
		}
		for path := range strings.FieldsSeq(tc.no) {
			require.False(t, p.Match(path), "%s does not match %s", tc.pattern, path)
		}
	}
	p, err := rubric.CompilePatterns([]string{"a*", "**/b"})
	require.NoError(t, err)
	require.True(t, p.Match("a\nwith a line end"))
	require.True(t, p.Match("x\ny/b"))
	require.False(t, new(rubric.Patterns).Match("a"))
}

func TestPatternFaults(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"":                        `rubric: pattern "" is empty`,
		"/a":                      `rubric: pattern "/a" begins with /: paths are relative to the repository's root`,
		"./a":                     `rubric: pattern "./a" begins with ./: leave that out`,
		"a/":                      `rubric: pattern "a/" ends with /: write /** for everything below`,
		"a/../b":                  `rubric: pattern "a/../b" has the element .., which no path has`,
		"a[":                      `rubric: pattern "a[" has a [ that is not closed with ]`,
		"a[]":                     `rubric: pattern "a[]" has an empty class of characters, or one with /`,
		"a[z-a]":                  `rubric: pattern "a[z-a]" has a class of characters that makes no sense: [z-a]`,
		"a]":                      `rubric: pattern "a]" has a ] that nothing opened; write \] for the character itself`,
		"{a":                      `rubric: pattern "{a" has a group that is not closed with }`,
		"?(a":                     `rubric: pattern "?(a" has a group that is not closed with )`,
		"a}":                      `rubric: pattern "a}" has a } that nothing opened; write \} for the character itself`,
		`a\`:                      `rubric: pattern "a\\" ends with a backslash`,
		strings.Repeat("a", 1001): `rubric: pattern "` + strings.Repeat("a", 1001) + `" is longer than 1000 bytes`,
	} {
		_, err := rubric.CompilePatterns([]string{"ok", pattern})
		require.EqualError(t, err, want)
	}
}

func FuzzPatterns(f *testing.F) {
	for _, seed := range []string{"**/*.y?(a)ml", "{a,b/{c,d}}", "[!a-c]*", `\*`, "+(a|b)", "@(", "**/**/**a", "é[é-ê]"} {
		f.Add(seed, "a/b.yml")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := rubric.CompilePatterns([]string{pattern})
		if err != nil {
			return
		}
		p.Match(path)
		if !strings.ContainsAny(pattern, `*?+@{}[]()|,\`) && p.Match(path) != (pattern == path) {
			t.Fatalf("%q without wildcards on %q", pattern, path)
		}
	})
}
