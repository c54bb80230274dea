package shellpattern

import (
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b", true}, {"**", "a", true}, {"a*b*c", "aXbYbc", true}, {"a*b", "ab.", false},
		{"?", "a", true}, {"?", "é", true}, {"??", "é", false}, {"?", "\xff", true}, {"?", "", false},
		{"[abc]", "b", true}, {"[a-c]x", "bx", true}, {"[!a-c]", "b", false}, {"[!a-c]", "d", true}, {"[^a]", "b", true}, {"[é-ü]", "ö", true},
		{"[]a]", "]", true}, {"[a-]", "-", true}, {`[\]]`, "]", true}, {`[a\-c]`, "b", false}, {"[a", "[a", true}, {"[a", "a", false}, {"[!]", "[!]", true},
		{`\*`, "*", true}, {`\*`, "a", false}, {`\`, `\`, false}, {"a.ts", "a.ts", true}, {"é", "é", true}, {"é", "\xc3", false},
	} {
		assert.Equal(t, tt.want, Match(tt.pattern, tt.s), "%s on %q", tt.pattern, tt.s)
	}
}

func TestMatchIsNotExponential(t *testing.T) {
	t.Parallel()
	start := time.Now()
	assert.False(t, Match(strings.Repeat("*a", 500), strings.Repeat("a", 4000)+"b"))
	t.Log(time.Since(start))
}

// FuzzMatch compares with path.Match where the two languages are the same.
func FuzzMatch(f *testing.F) {
	f.Add("a*[b-d]?", "axxcd")
	f.Add("[!a]*", "b")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		got := Match(pattern, s)
		if strings.ContainsAny(pattern+s, `/!\]`) {
			return
		}
		if want, err := path.Match(pattern, s); err == nil && want != got {
			t.Fatalf("%q on %q: %t, path.Match says %t", pattern, s, got, want)
		}
	})
}
