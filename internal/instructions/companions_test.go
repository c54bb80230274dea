package instructions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestStepsOfTree: steps below a heading are about files that the project has, in any folder, and change together.
// A line with its own case reminds of such a file.
func TestStepsOfTree(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"shop/api/urls.py": "x", "core/menu.py": "x", "docs/list.md": "x", "site/pages/a.html": "x"})
	f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n## Adding a report\n\n1. Register it in `api/urls.py`.\n2. Add it to `menu.py`.\n3. Add it to `docs/list.md`.\n4. Add it to `api/gone.py`.\n\n## Notes\n\n- When you add a page, update `docs/gone.md`.\n- When you add a page, update `docs/list.md`.\n"}
	p := survey.Of(root, []statement.File{f})
	all := statement.Of(&f)
	ids, said := []string{}, ""
	for i := range all {
		for _, d := range Drafts(&all[i], &p) {
			ids, said = append(ids, d.ID), said+d.YAML
		}
	}
	require.Equal(t, []string{"together-menu-py", "together-docs-list-md", "remind-also-docs-list-md"}, ids)
	require.Contains(t, said, "- '**/api/urls.py'\n")
	require.Contains(t, said, "- '**/menu.py'\n")
	require.Contains(t, said, "- docs/list.md\n")
}
