package forms

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// TestSieve: a sieve lets through whatever its pattern matches, and not much else.
func TestSieve(t *testing.T) {
	all := All()
	tried, passed := 0, 0
	for _, line := range caseLines() {
		p := sentence.NewPhrase(line)
		NameActs(&p)
		said := all.Literals.Sift(p.Words)
		for _, f := range all.Forms {
			for i, re := range f.Patterns {
				tried++
				ok := said.Passes(f.Sieves[i])
				if ok {
					passed++
				}
				require.True(t, ok || !re.Get().MatchString(p.Words), "%s: %s", f.Match[i], line)
			}
		}
	}
	require.Less(t, passed*10, tried)
	for _, c := range all.Chains {
		require.NotEmpty(t, c.Sieve, c.Name)
	}
}

// caseLines are the lines of the cases of all forms.
func caseLines() (list []string) {
	for _, f := range All().Forms {
		for _, c := range f.Cases {
			list = append(list, c.Line)
		}
	}
	return list
}

// FuzzSieve: so it is with other patterns and texts.
func FuzzSieve(f *testing.F) {
	for _, seed := range [][2]string{{`a(?:bc|de)+f?`, "abc"}, {`(?i)NEVER (?:x|run)`, "never run"}, {`x{2,3}y`, "xxy"}, {`\bab[c]d|ef`, "abcd"}, {`(?:|ab)cd`, "cd"}, {`(ab)*`, ""}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, src, text string) {
		re, err := regexp.Compile(src)
		if err != nil || len(src) > 60 || strings.Contains(src, "(?") && strings.IndexFunc(text, func(r rune) bool { return r > 127 }) >= 0 {
			t.Skip("letters of other alphabets fold in further ways")
		}
		text = strings.ToLower(text)
		l := literals{ids: map[string]int{}}
		if s := l.sieve(src); re.MatchString(text) {
			require.True(t, l.Sift(text).Passes(s), "%q in %q", src, text)
		}
	})
}
