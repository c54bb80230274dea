package instructions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestEachManager: a ban of an act that a script of a package does is about each manager that runs it.
func TestEachManager(t *testing.T) {
	for line, scripts := range map[string][]string{
		"Never run a migration yourself.": {"migrate", "db:migrate", "migrate:dev"},
		"Never deploy.":                   {"deploy", "deploy:staging"},
		"Never start the dev server.":     {"dev"},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
		list := Drafts(&statement.Of(&f)[0], &survey.Project{})
		require.Len(t, list, 1, line)
		for _, script := range scripts {
			for _, run := range []string{"npm run ", "pnpm ", "pnpm run ", "yarn ", "yarn run ", "bun ", "bun run "} {
				require.Empty(t, with(t, list[0], more(run+script, ruletext.Violation)), line)
				require.Empty(t, with(t, list[0], more(run+"lint", ruletext.Pass)), line)
			}
		}
	}
}

// TestActsNameEachManager: no act has the commands of pnpm and yarn without those of bun.
func TestActsNameEachManager(t *testing.T) {
	for _, a := range forms.All().Acts {
		said := strings.Join(a.Commands, "\n")
		for _, other := range []string{"pnpm", "yarn"} {
			if strings.Contains(said, other) {
				require.Contains(t, said, "bun", a.Name)
			}
		}
	}
}
