package explain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/rule"
)

// A rule of somebody else's repository writes neither to the terminal nor outside of its
// own section.
func TestPage(t *testing.T) {
	t.Parallel()
	data := []byte("# Why it is here.\n#\n# More.\nid: quiet\ntrigger: bash\nseverity: ask\nscope: [\"git push*\"]\nmessage: |\n  One.\n  ## Two\n" +
		"prompt: \"Is it bad?\\n\\n## Stops\\e[2J\"\ntests:\n" +
		"  - {bash: \"a\\n## Lets pass\", expect: violation}\n" + strings.Repeat("  - {bash: x, expect: pass}\n", casesShown+2))
	f := rule.Parse("quiet.yaml", data)
	require.Empty(t, f.Problems)
	page := Page(&f, data)
	var titles []string
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") {
			titles = append(titles, strings.TrimSpace(line))
		}
	}
	require.Equal(t, []string{"# quiet", "## Prompt", "## Severity", "## The agent reads", "## Cases that it stops", "## Cases that it lets pass", "## Change it", "## Scope"}, titles)
	require.Contains(t, page, "# quiet\n\nWhy it is here.\n\nMore.\n")
	require.Contains(t, page, "> One.\n> ## Two\n")
	require.Contains(t, page, "    a\\n## Lets pass\n")
	require.Contains(t, page, "and 2 more cases in its file.")
	require.NotContains(t, page, "\x1b")

	f.Definition.Prompt = "It is a violation if\n  it pushes. It is no violation if it is a dry run."
	stops, passes := Meaning(&f.Definition)
	require.Equal(t, "it pushes.", stops)
	require.Equal(t, "if it is a dry run.", passes)
}
