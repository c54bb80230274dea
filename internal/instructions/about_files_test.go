package instructions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestAboutFiles: a rule is about the files of its line, its file of rules, its script and its project, in
// a project with enough files to tell.
func TestAboutFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		file       string
		globs      []string
		tree       map[string]string
		has, not   string
	}{
		{"a file of rules limits files of any ending", "Place test files next to the code they test with `_test.go` suffix.", ".cursor/rules/go.mdc", []string{"**/*.go"},
			map[string]string{"pkg/tests/a_test.go": "package a\n"}, "{test,spec}.go", "{test,spec}.*"},
		{"a path that the line names may be elsewhere", "Never edit `.xcodeproj`.", ".claude/rules/plugins.md", []string{"Plugins/**"},
			map[string]string{"App.xcodeproj/a.txt": "x", "Plugins/a.swift": "x"}, "- '**/*.xcodeproj/**'", "Plugins/"},
		{"a path that the line names may be in the folder", "Never edit `.gen.swift` files.", ".claude/rules/plugins.md", []string{"Plugins/**"},
			map[string]string{"Plugins/b.gen.swift": "x"}, "- Plugins/**/*.gen.swift", ""},
		{"a module is no folder, also where no file is yet", "Never import `Panel` from `widgets/panel`.", ".claude/rules/views.md", []string{"**/*.tsx"},
			nil, "- '**/*.tsx'", "widgets/panel/**"},
		{"a script of the only package", "Run `npm run check` before you commit.", "AGENTS.md", nil,
			map[string]string{"web/package.json": `{"scripts": {"check": "x"}}`}, "- web/**/*.{", "- '**/*.{"},
		{"a script of the project's own package", "Run `npm run check` before you commit.", "AGENTS.md", nil,
			map[string]string{"package.json": `{"scripts": {"check": "x"}}`}, "- '**/*.{", "web/"},
		{"the length of lines of the only language", "100-character line length.", "AGENTS.md", nil, nil, "- '**/*.swift'", "{go,"},
	} {
		root := t.TempDir()
		for i := range repo.FewFiles + 1 {
			write(t, root, map[string]string{fmt.Sprintf("Sources/A%d.swift", i): "let a = 1\n"})
		}
		write(t, root, c.tree)
		f := statement.File{Path: c.file, Globs: c.globs, Text: "# Rules\n\n- " + c.line + "\n"}
		p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
		var said strings.Builder
		for _, d := range Drafts(&all[0], &p) {
			said.WriteString(d.YAML)
		}
		require.Contains(t, said.String(), c.has, c.name)
		if c.not != "" {
			require.NotContains(t, said.String(), c.not, c.name)
		}
	}
}
