package instructions

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestUsedWidely: a name that many sources use makes no draft, since who forbids it means some
// use of it that the line may not tell. A name that the forms know does.
func TestUsedWidely(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range repo.Widely {
		write(t, root, map[string]string{fmt.Sprintf("src/a%d.ts", i): "oldHelper(1)\nconsole.log(2)\n"})
	}
	count := func(line string) int {
		f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- " + line + "\n"}
		p, all := survey.Of(root, nil), statement.Of(&f)
		return len(Drafts(&all[0], &p))
	}
	for line, want := range map[string]int{
		"Never use `oldHelper()`.": 0, "Use `newHelper()` instead of `oldHelper()`.": 0, "Never use `otherHelper()`.": 1, "Never use `console.log`.": 1,
	} {
		require.Equal(t, want, count(line), line)
	}
	require.NoError(t, os.Remove(filepath.Join(root, "src/a0.ts")))
	write(t, root, map[string]string{"vendor/a.ts": "oldHelper(1)\n", "notes.txt": "oldHelper(1)\n"})
	require.Equal(t, 1, count("Never use `oldHelper()`."), "the code of others and other files do not count")
}

// TestJobsOfChains: a line about a job is about all of the project, so that the command of one
// of its tool chains is not what it asks for.
func TestJobsOfChains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files map[string]string
		want  bool
	}{
		{map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`}, true},
		{map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`, "go.mod": "module a\n"}, false},
		{map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`, "Package.swift": "x", "README.md": "x"}, false},
	} {
		root := t.TempDir()
		write(t, root, c.files)
		f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- Run the tests before every commit.\n"}
		p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
		require.Equal(t, c.want, len(Drafts(&all[0], &p)) > 0, c.files)
	}
}

// TestScriptByName: a run of a script meets a line that names the script alone. A folder without
// sources has no changes of code.
func TestScriptByName(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"package.json": `{"scripts": {"flinter": "eslint"}}`, "docs/AGENTS.md": "x", "docs/ships.md": "x", "lib/AGENTS.md": "x", "lib/a.ts": "x"})
	said := func(file, line string) (all string) {
		f := statement.File{Path: file, Text: "# Rules\n\n- " + line + "\n"}
		if dir := statement.DirOfFile(file); dir != "" {
			f.Globs = []string{dir + "/**"}
		}
		p, list := survey.Of(root, []statement.File{f}), statement.Of(&f)
		for _, d := range Drafts(&list[0], &p) {
			all += d.YAML
		}
		return all
	}
	require.Contains(t, said("AGENTS.md", "Run `flinter` before committing."), "- npm run flinter\n")
	require.NotContains(t, said("AGENTS.md", "Run `other` before committing."), "npm run")
	const line = "When adding a ship, update `ships.md`."
	require.Empty(t, said("docs/AGENTS.md", line))
	require.NotEmpty(t, said("lib/AGENTS.md", line))
}

// TestNotThere: a document that the tree lacks is not to be read, and generated files that it
// has by other names are not known.
func TestNotThere(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range repo.FewFiles + 1 {
		many[fmt.Sprintf("src/a%d.ts", i)] = "x"
	}
	for _, c := range []struct {
		line  string
		files map[string]string
		want  int
	}{
		{"Read `guides/ships.md` before editing code.", map[string]string{"guides/ships.md": "x"}, 1},
		{"Read `guides/ships.md` before editing code.", map[string]string{"README.md": "x"}, 1},
		{"Read `guides/ships.md` before editing code.", many, 0},
		{"Never edit generated files.", map[string]string{"src/a.generated.ts": "x"}, 1},
		{"Never edit generated files.", map[string]string{"src/index.ts": "x"}, 1}, // there may be some later
		{"Never edit generated files.", many, 0},
	} {
		root := t.TempDir()
		write(t, root, c.files)
		f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- " + c.line + "\n"}
		p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
		require.Len(t, Drafts(&all[0], &p), c.want, "%s %v", c.line, c.files)
	}
}

// TestCalled: a name that a source calls is that of a function, and of no package.
func TestCalled(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"src/a.c": "int f() {\n  return bprint(b, 1);\n}\n"})
	f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- Use `bprint` (never `qprint`).\n"}
	p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
	list := Drafts(&all[0], &p)
	require.Len(t, list, 1)
	require.Contains(t, list[0].YAML, `qprint\(`)
	p = survey.Project{}
	for _, d := range Drafts(&all[0], &p) {
		require.Contains(t, d.YAML, "import", "no source tells")
	}
}

// TestSuites: below the name of another suite of tests, "the suite" is not the usual one.
func TestSuites(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := statement.File{Path: "AGENTS.md", Text: "Run `npm test` or `npm run test:e2e`.\n\n## E2E\n\n- Do not run the full test suite unless asked.\n\n## Units\n\n- Do not run the full test suite unless asked.\n"}
	write(t, root, map[string]string{f.Path: f.Text, "package.json": `{"scripts": {"test": "vitest", "test:e2e": "playwright test"}}`})
	p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
	said := map[int]string{}
	for i := range all {
		for _, d := range Drafts(&all[i], &p) {
			said[all[i].Line] += d.YAML
		}
	}
	require.Empty(t, said[5])
	require.Contains(t, said[9], "- npm test\n")
}
