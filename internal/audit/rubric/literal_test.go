package rubric

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLiteral(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"go.mod":                   "go.mod",
		"**/go.mod":                "go.mod",
		"docs/**":                  "docs",
		"a/**/b.go":                "b.go",
		"**/*.{go,py}":             ".",
		"**/*{_gen,{a,b}}.go":      ".go",
		"{a,b}":                    "",
		"**":                       "",
		"*.y?(a)ml":                "",
		"[a-z]bc":                  "",
		`\*.go`:                    "",
		"**/{test,tests}/**/*.py":  ".py",
		"src/?ain.rs":              "ain.rs",
		"**/*_test.{go,py,rb}":     "_test.",
		"{README,Readme}*/x/{a,b}": "x",
	} {
		require.Equal(t, want, literal(pattern), pattern)
	}
}

// Whatever a pattern's expression matches has its literal.
func FuzzLiteral(f *testing.F) {
	for _, seed := range []string{"**/*.go", "a/**/b", "docs/**", "{a,b/{c,d}}e", "x*y?z", "**/a/**", "a}b{c", "é*ü", "a}{bcd,e}"} {
		for _, path := range []string{"a/b", "b", "docs/x/y.go", "b/ce", "xaybz", "a", "éü", "a/x/b", "q.go", "a}e"} {
			f.Add(seed, path)
		}
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		expr, err := translate(text)
		if err != nil || !expr.MatchString(path) {
			return
		}
		if !strings.Contains(path, literal(text)) {
			t.Fatalf("%q matches %q, which does not hold %q", text, path, literal(text))
		}
	})
}
