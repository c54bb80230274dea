package instructions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
)

// TestOneTask: the lines of a prompt for one task make no draft. The same lines make drafts in the file of the
// whole project.
func TestOneTask(t *testing.T) {
	const (
		loop   = "# Rules\n\n1. Pick the **highest priority** user story\n\n## Checks\n\n"
		onWord = "# Rate\n\nWhen the user says \"rate the files\":\n\n## Procedure\n\n1. Read the file.\n\n## Do not\n\n"
		line   = "- Never modify the `.rs` files.\n"
	)
	for _, c := range []struct {
		path, text string
		globs      []string
		made       bool
	}{
		{"scripts/loop/CLAUDE.md", loop + line, []string{"scripts/loop/**"}, false},
		{"scripts/loop/CLAUDE.md", "# Rules\n\n" + line, []string{"scripts/loop/**"}, true},
		{"CLAUDE.md", loop + line, nil, true},
		{".cursor/rules/rate.mdc", onWord + line, nil, false},
		{".cursor/rules/rate.mdc", "# Rate\n\n## Procedure\n\n1. Read the file.\n\n## Do not\n\n" + line, nil, true},
		{".cursor/rules/rate.mdc", "# Rate\n\nWhen the user says \"rate the files\", rate them.\n\n" + line, nil, true},
	} {
		f := statement.File{Path: c.path, Globs: c.globs, Text: c.text}
		p, made := treeOf(t, f, "scripts/loop/a.rs", "a.rs"), 0
		all := statement.Of(&f)
		for i := range all {
			made += len(Drafts(&all[i], p))
		}
		require.Equal(t, c.made, made > 0, "%s: %s", c.path, c.text)
	}
}
