package repo

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequired(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]needs{
		`(?im)^##? .*install`: {folded: []string{"tall"}}, `TODO|(?i:FIXME)`: {folded: []string{"todo", "fixme"}}, `(?i)ignore (all|the) rules`: {folded: []string{"ignore "}}, `(?i)ſkiſ`: {},
		`TODO|FIXME`: {exact: []string{"TODO", "FIXME"}}, `a.c`: {}, `(abc)?`: {}, `(abc)*x`: {}, `(?m)^(<{7}|>{7}) \S`: {exact: []string{"<<<<<<<", ">>>>>>>"}},
		`(abc)+`: {exact: []string{"abc"}}, `abc|`: {}, `[ab]cd`: {exact: []string{"cd"}}, `(ab){0,2}`: {}, `(ab){2,}`: {exact: []string{"ab"}}, `x|yz`: {}, `(`: {}, `größe`: {exact: []string{"größe"}},
		`x{3}(?i:y{3})`: {exact: []string{"xxx"}},
	} {
		require.Equal(t, want, required(expr), expr)
	}
}

// Whatever an expression matches, contains one of the texts.
func FuzzRequired(f *testing.F) {
	f.Add(`(?i)ki(ss|ck)ed\b`, "KIſſED")
	f.Add(`(?i)[st]op+|go{2,}(?:x|)`, "Gooo")
	f.Add(`a(?i:bc)|d`, "aBC")
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		texts := required(expr)
		if err != nil || !re.MatchString(text) {
			t.Skip()
		}
		if !texts.in(text, func() string { return strings.ToLower(text) }) {
			t.Fatalf("%q matches %q, which has none of %v", expr, text, texts)
		}
	})
}
