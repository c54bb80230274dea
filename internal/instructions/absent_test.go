package instructions

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestAbsentLanguage: a name that only another language has makes no draft, in a project with enough files
// to tell that it has none of that language. A file of rules about such files keeps its own.
func TestAbsentLanguage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range repo.FewFiles + 1 {
		write(t, root, map[string]string{fmt.Sprintf("Sources/A%d.swift", i): "let a = 1\n"})
	}
	drafts := func(globs ...string) (ids []string) {
		f := statement.File{Path: "AGENTS.md", Globs: globs, Text: "# Rules\n\n- Never use `@ts-ignore`.\n"}
		p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
		for _, d := range Drafts(&all[0], &p) {
			ids = append(ids, d.ID)
		}
		return ids
	}
	require.Empty(t, drafts())
	require.Equal(t, []string{"never-word-ts-ignore"}, drafts("**/*.ts"))
	write(t, root, map[string]string{"web/a.ts": "let a = 1\n"})
	require.Equal(t, []string{"never-word-ts-ignore"}, drafts())
}
