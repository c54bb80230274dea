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
			places := lineNumbers{}
			for _, r := range built {
				places.add(r, (&Folder{}).origins())
			}
			said := places.brief()
			require.LessOrEqual(t, utf8.RuneCountInString(said), 400)
			require.Equal(t, c.cut, strings.HasSuffix(said, "; …"), said)
			listed, found := strings.CutPrefix(strings.TrimSuffix(strings.TrimSuffix(said, "."), "; …"), briefLead)
			require.True(t, found)
			for _, file := range strings.Split(listed, "; ") {
				require.Regexp(t, `^[^:]+:\d+(, \d+)*$`, file)
			}
			if c.cut {
				require.Greater(t, utf8.RuneCountInString(said), 290, "there is room for more")
			}
		})
	}
}

// TestBriefLine: what an agent reads of a rule has no open variable, and no pattern that fills
// the screen.
func TestBriefLine(t *testing.T) {
	t.Parallel()
	endings := strings.Repeat("verylong,", 50) + "x"
	for name, c := range map[string]struct{ yaml, want string }{
		"what is missing":     {"trigger: file_write\nscope: [\"src/**\"]\nalso: {changed: [docs/api.md]}\nmessage: \"Change docs/api.md too. {{missing}}\"\n", "- git commit*, jj commit*, jj describe*, …: Change docs/api.md too. [r]"},
		"what a call is":      {"trigger: file_write\nscope: [\"a\"]\nwhen: exists\nmessage: \"Do not change {{file_path}}.\"\n", "- a: Do not change such a file. [r]"},
		"many endings":        {"trigger: file_write\nscope: [\"**/*.{a,b,c,d,e,f,g,h,i,j}\"]\nwhen: exists\nmessage: m\n", "- **/*.{a,b,c,d,e,f,g,h,… 2 others}: m [r]"},
		"what is no variable": {"trigger: bash\nwhen: 'true'\nmessage: \"Write {{cookiecutter}}.\"\n", "- Write {{cookiecutter}}. [r]"},
	} {
		built, _ := rule.Build([]rule.File{rule.ParseStrict("r.yaml", []byte(c.yaml))}, nil)
		require.Equal(t, c.want, briefLine(built[0]), name)
	}
	built, _ := rule.Build([]rule.File{rule.ParseStrict("r.yaml", []byte("trigger: file_write\nscope: [\"**/*.{"+endings+"}\"]\nwhen: exists\nmessage: m\n"))}, nil)
	require.Less(t, utf8.RuneCountInString(briefLine(built[0])), 100)
}
