package instructions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestPlainText: paths, code and commands mean the same with and without marks.
func TestPlainText(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{
		"package.json": `{"scripts": {"test": "x"}}`, "src/generated/a.ts": "x", "src/engine/a.ts": "x", "vendor/a.go": "x",
		"docs/a.md": "x", "docs/sidebar.yml": "x", "docs/design.md": "x", "infra/main.tf": "x", "go.mod": "module x\n",
	})
	p := survey.Of(root, nil)
	ids := func(line string) (ids []string) {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
		for _, s := range statement.Of(&f) {
			for _, d := range Drafts(&s, &p) {
				ids = append(ids, d.ID)
			}
		}
		return ids
	}
	for _, line := range []string{
		"Never edit files in `src/generated`.",
		"Do not touch anything in `src/generated`.",
		"New pages in `docs/` also need a line in `docs/sidebar.yml`.",
		"Read `docs/design.md` before editing `src/engine`.",
		"Don't use `console.log` in `src/`.",
		"Do not use `unwrap()` outside tests.",
		"Never use `eval()`.",
		"Avoid `console.log`.",
		"Never run `terraform apply`.",
		"Do not run `docker compose down -v`.",
		"Never use `git push --force`.",
		"Run `npm test` before committing.",
		"Before committing, run `go vet ./...`.",
	} {
		require.NotEmpty(t, ids(line), line)
		require.Equal(t, ids(line), ids(strings.ReplaceAll(line, "`", "")), line)
	}
	for _, line := range []string{
		"Client/server code is in one package.", "Use docs/tests as you like.", "Use node.js 22 and Next.js.", "See github.com for more.",
		"Use docker compose for local development.", "Use make for builds.", "You can use git log to see the history.",
		"Never use go generics.", "Don't use python decorators in new code.", "Do not use docker volumes for data.", "Never use git submodules here.",
		"The vendor directory holds copies.", "Never say e.g. or i.e. in a message.", "Avoid `useEffect` when a memo would do.",
	} {
		require.Empty(t, ids(line), line)
	}
}
