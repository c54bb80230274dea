package instructions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestReadByThen: a file that the agent reads by itself makes no draft that wants it to be read: the one of
// the line, one that it imports or is imported by, and that of the project for the agent of a folder of rules.
func TestReadByThen(t *testing.T) {
	for _, c := range []struct {
		file, text, ids string
		imports         string
	}{
		{"CLAUDE.md", "Always read `AGENTS.md` before making changes.", "read-first-agents-md", ""},
		{"CLAUDE.md", "Always read `AGENTS.md` before making changes.", "", "@AGENTS.md\n\n"},
		{"CLAUDE.md", "Before making changes, read `docs/style.md`.", "read-first-docs-style-md", "@AGENTS.md\n\n"},
		{"CLAUDE.md", "Before making changes, read `docs/style.md`.", "", "@docs/index.md\n\n"}, // which imports it
		{"CLAUDE.md", "Before making changes, read `CLAUDE.md`.", "", ""},
		{"CLAUDE.md", "Before changing `web/`, read `web/CLAUDE.md`.", "read-first-web-claude-md", ""},
		{".claude/rules/a.md", "Before making changes, read `CLAUDE.md`.", "", ""},
		{".cursor/rules/a.mdc", "Before making changes, read `AGENTS.md`.", "", ""},
		{".cursor/rules/a.mdc", "Before making changes, read `CLAUDE.md`.", "read-first-claude-md", ""},
	} {
		root, text := t.TempDir(), c.imports+"# Rules\n\n- "+c.text+"\n"
		tree := map[string]string{"AGENTS.md": "x", "CLAUDE.md": "x", "docs/style.md": "x", "docs/index.md": "@style.md", "web/CLAUDE.md": "x", "web/a.ts": "x", "api/a.ts": "x"}
		tree[c.file] = text
		write(t, root, tree)
		files, _ := Find(root, Options{})
		p, ids := survey.Of(root, files), ""
		for i := range files {
			if files[i].Path != c.file {
				continue
			}
			all := statement.Of(&files[i])
			for k := range all {
				for _, d := range Drafts(&all[k], &p) {
					ids += d.ID
				}
			}
		}
		require.Equal(t, c.ids, ids, "%s: %s%s", c.file, c.imports, c.text)
	}
}
