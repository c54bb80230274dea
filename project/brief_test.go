package project

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/rule"
)

// TestBriefLinesAreShort: however many lines rules come from, an agent reads about them in
// at most 400 characters, and only of whole places.
func TestBriefLinesAreShort(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []string
		rules int
		cut   bool
	}{
		"one":                 {[]string{"CLAUDE.md"}, 1, false},
		"as many as fit":      {[]string{"CLAUDE.md"}, 50, false},
		"too many":            {[]string{"CLAUDE.md"}, 300, true},
		"in many files":       {[]string{"AGENTS.md", "CLAUDE.md", ".cursor/rules/über.mdc", "docs/規則.md"}, 200, true},
		"a name that is long": {[]string{"a/" + strings.Repeat("ü", 90) + ".md", "b/" + strings.Repeat("x", 90) + ".md", "c/" + strings.Repeat("y", 90) + ".md"}, 9, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files []rule.File
			for i := range c.rules {
				text := fmt.Sprintf("trigger: bash\nwhen: 'true'\nmessage: m\nsource: %q\n", fmt.Sprint(c.files[i%len(c.files)], ":", i+1))
				files = append(files, rule.ParseStrict(fmt.Sprintf("r%d.yaml", i), []byte(text)))
			}
			built, problems := rule.Build(files, nil)
			require.Empty(t, problems)
			said := briefLines(built)
			require.LessOrEqual(t, utf8.RuneCountInString(said), 400)
			require.Equal(t, c.cut, strings.HasSuffix(said, "; …"), said)
			places, found := strings.CutPrefix(strings.TrimSuffix(strings.TrimSuffix(said, "."), "; …"), briefLead)
			require.True(t, found)
			for _, file := range strings.Split(places, "; ") {
				require.Regexp(t, `^[^:]+:\d+(, \d+)*$`, file)
			}
			if c.cut {
				require.Greater(t, utf8.RuneCountInString(said), 290, "there is room for more")
			}
		})
	}
}
