package repo

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequired(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string][]string{
		`(?im)^##? .*install`: {"tall"}, `TODO|FIXME`: {"todo", "fixme"}, `(?i)ignore (all|the) rules`: {"ignore "}, `a.c`: nil, `(abc)?`: nil, `(abc)*x`: nil,
		`(abc)+`: {"abc"}, `abc|`: nil, `[ab]cd`: {"cd"}, `(ab){0,2}`: nil, `(ab){2,}`: {"ab"}, `x|yz`: nil, `(?i)ſkiſ`: nil, `(`: nil, `größe`: {"gr"},
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
		if err != nil || texts == nil || !re.MatchString(text) {
			t.Skip()
		}
		if !containsAny(strings.ToLower(text), texts) {
			t.Fatalf("%q matches %q, which has none of %q", expr, text, texts)
		}
	})
}
