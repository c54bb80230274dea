package rubric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// matches reports whether the pattern matches the path.
func matches(t *testing.T, pattern, path string) bool {
	t.Helper()
	p, err := rubric.CompilePatterns([]string{pattern})
	require.NoError(t, err, pattern)
	_, ok := p.Match(path)
	return ok
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ pattern, yes, no string }{
		{"go.mod", "go.mod x/go.mod", "go.mod/x xgo.mod go.modx goXmod GO.MOD"},
		{"./go.mod", "go.mod", "x/go.mod go.mod/x xgo.mod go.modx goXmod GO.MOD"},
		{"**/go.mod", "go.mod a/go.mod a/b/go.mod", "xgo.mod a/go.mod/b"},
		{"docs/**", "docs docs/a docs/a/b", "xdocs/a x/docs/a"},
		{"build/", "build build/a x/build/a", "xbuild/a"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"},
		{"**", "a a/b", ""},
		{"*.md", "a.md .md a/b.md", "a.mdx a.md/b"},
		{"./*.md", "a.md .md", "a/b.md a.mdx"},
		{"./*.{md,txt}", "a.md a.txt", "a.mdtxt a. b/a.md"},
		{"./?.go", "a.go é.go", "ab.go /.go .go"},
		{".github/workflows/*.{yml,yaml}", ".github/workflows/ci.yml .github/workflows/ci.yaml", ".github/workflows/ci.yaaml .github/workflows/a/ci.yml"},
		{"**/*.{test,spec}.ts{,x}", "a.test.ts b/a.spec.tsx", "a.test.txt atest.ts"},
		{"{a,b}", "a b x/a", "ab a,b"},
		{"./{,.github/,docs/}CONTRIBUTING*", "CONTRIBUTING.md docs/CONTRIBUTING .github/CONTRIBUTING.md", "x/CONTRIBUTING.md"},
		{"[a-c].go", "a.go c.go x/a.go", "d.go -.go"},
		{"[!a-c].go", "d.go", "a.go"},
		{"*.py[co]", "a.pyc a.pyo", "a.py a.pyd"},
		{"**/{.venv,venv}/**", ".venv/a x/venv/b/c venv", "xvenv/a"},
		{`\*\{`, "*{", "a{"},
		{`\$src`, "$src", "src"},
		{`a?\(b\)`, "ax(b)", "a(b) ab"},
		{"a,b|c", "a,b|c", "a b"},
		{"./=*", "=2.0 =", "a=2.0 a/=2"},
		{"{a,b/{c,d}}/*.go", "a/x.go b/c/x.go b/d/x.go", "b/x.go a/c/x.go"},
		{"ключ?.txt", "ключи.txt", "ключ.txt"},
	} {
		for path := range strings.FieldsSeq(tc.yes) {
			require.True(t, matches(t, tc.pattern, path), "%s matches %s", tc.pattern, path)
		}
		for path := range strings.FieldsSeq(tc.no) {
			require.False(t, matches(t, tc.pattern, path), "%s does not match %s", tc.pattern, path)
		}
	}
	require.True(t, matches(t, "a*", "a\nwith a line end"))
	require.True(t, matches(t, "**/b", "x\ny/b"))
	none, err := rubric.CompilePatterns(nil)
	require.NoError(t, err)
	_, ok := none.Match("a")
	require.False(t, ok)
}

func TestPatternFaults(t *testing.T) {
	t.Parallel()
	group := "(…): write {a,b} for one of two, {,a} for one or nothing, or \\( for the character itself"
	for pattern, want := range map[string]string{
		"":                        `is wrong at byte 1: the pattern is empty; write * for everything, or remove it`,
		"/a":                      `begins with /: paths are relative to the repository's root; write ./ for a place at the root`,
		"a/../b":                  `is wrong at byte 3: paths are compared without ..; write the path from the project root, or an absolute one when it lies outside`,
		"a[":                      `is wrong at byte 2: the [ is never closed; write ], or \[ for a bracket`,
		"a[]":                     `is wrong at byte 2: nothing stands between the brackets; write the characters, or \[ for a bracket`,
		"a[z-a]":                  `is wrong at byte 3: the range z-a runs backwards; write a-z`,
		"{a":                      `is wrong at byte 1: the { is never closed; write }, or \{ for a brace`,
		"[^a]":                    `is wrong at byte 2: [^…] is not negation here; write [!a]`,
		"!a":                      `is wrong at byte 1: ! does not negate a pattern; put "a" under exclude`,
		"a?(b)":                   `has a group ?` + group,
		"*(a)":                    `has a group *` + group,
		"x/+(a|b)":                `has a group +` + group,
		`\*@(a)`:                  `has a group @` + group,
		`a\`:                      `is wrong at byte 2: nothing follows the \; write \\ for a backslash`,
		strings.Repeat("a", 1001): `is longer than 1000 bytes`,
	} {
		_, err := rubric.CompilePatterns([]string{"ok", pattern})
		require.ErrorContains(t, err, "rubric: pattern ")
		require.ErrorContains(t, err, want)
	}
}

func FuzzPatterns(f *testing.F) {
	for _, seed := range []string{"**/*.y{,a}ml", "{a,b/{c,d}}", "[!a-c]*", `\*`, "+(a|b)", "@(", "**/**/**a", "é[é-ê]"} {
		f.Add(seed, "a/b.yml")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := rubric.CompilePatterns([]string{"./" + pattern})
		if err != nil {
			return
		}
		_, ok := p.Match(path)
		if !strings.ContainsAny(pattern, `*?+@{}[]()|,\/`) && pattern != "." && path == pattern && !ok {
			t.Fatalf("%q without wildcards does not match %q", pattern, path)
		}
	})
}
