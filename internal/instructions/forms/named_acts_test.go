package forms

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// TestNamedActs: the few acts that a sentence may name are found as a pattern of all of them finds them.
func TestNamedActs(t *testing.T) {
	t.Parallel()
	acts := &All().acts
	var list []string
	for _, src := range acts.words {
		require.Zero(t, regexp.MustCompile(src).NumSubexp(), src)
		list = append(list, "("+src+")")
	}
	every := regexp.MustCompile(`\b(?:` + strings.Join(list, "|") + `)\b`)
	named := func(act int, said string) string { return "‹" + numbered([]int{act}) + said + "›" }
	lines := caseLines()
	for i, line := range lines {
		for _, words := range []string{line, strings.ToLower(line), strings.ToLower(line + " " + lines[(i*7+3)%len(lines)])} {
			want := sentence.ReplaceAllSubmatch(every, words, func(groups []string) string {
				for i, g := range groups[1:] {
					if g != "" {
						return named(i, g)
					}
				}
				return groups[0]
			})
			require.Equal(t, want, acts.replace(words, named))
		}
	}
	require.LessOrEqual(t, len(acts.kept), maxActPatterns+1)
}

// TestActPatternsAreBounded: a file that names the acts in all ways makes no pattern for each way.
func TestActPatternsAreBounded(t *testing.T) {
	t.Parallel()
	var a actPatterns
	var all []Act
	for _, w := range strings.Fields("ab bc cd de ef fg gh hi ij jk kl") {
		all = append(all, Act{Words: w})
	}
	a.prepare(all)
	for n := range 1 << len(all) {
		var words []string
		for i := range all {
			if n>>i&1 == 1 {
				words = append(words, all[i].Words)
			}
		}
		got := 0
		a.replace(strings.Join(words, " "), func(i int, said string) string {
			require.Equal(t, all[i].Words, said)
			got++
			return said
		})
		require.Equal(t, len(words), got)
	}
	require.Equal(t, maxActPatterns+1, len(a.kept))
}

// TestTableCompiles: a pattern of the table that does not compile would be found by the line that needs it.
func TestTableCompiles(t *testing.T) {
	t.Parallel()
	all := All()
	for i := range all.Forms {
		f := &all.Forms[i]
		for _, re := range f.Patterns {
			re.Get()
		}
		for src, re := range map[string]interface{ Get() *regexp.Regexp }{f.Needs: f.needs, f.Code: f.code, f.Unless: f.unless} {
			if src != "" {
				re.Get()
			}
		}
	}
	for i := range all.Acts {
		for k := range all.Acts[i].Operations {
			all.Acts[i].Operations[k].Pattern.Get()
		}
	}
	for i := range all.Kinds {
		all.Kinds[i].Said.Get()
	}
	for i := range all.Uses {
		all.Uses[i].Acts.Get()
	}
	for i := range all.Settings {
		all.Settings[i].Named.Get()
	}
	for _, re := range all.ByJob {
		re.Get()
	}
	for i := range all.Languages {
		l := &all.Languages[i]
		l.Said.Get()
		if l.Shape != nil {
			l.Shape.Get()
		}
	}
}
