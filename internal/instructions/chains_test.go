package instructions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestChains: what a line about dependencies stops in projects whose files tell of a tool
// chain.
func TestChains(t *testing.T) {
	const none = "\n\n- Do not add dependencies.\n"
	for _, c := range []struct {
		text   string
		drafts []string
		has    []string
		not    string
	}{
		{"Run `mix test --slow`.\n\n- Ask before adding dependencies.\n", []string{"ask-first-dependencies-in-mix-exs"}, []string{"- '**/mix.exs'", "severity: ask"}, "npm"},
		{"The app is built by `./gradlew assemble`." + none, []string{"never-run-dependencies-in-build-gradle"}, []string{"severity: block", "implementation("}, "npm"},
		{"Build with `swift build`." + none, []string{"never-run-dependencies", "never-run-dependencies-in-package-swift"}, []string{"swift package add-dependency *", ".package(url"}, "npm"},
		{"Build with `zig build`." + none, []string{"never-run-dependencies", "never-run-dependencies-in-build-zig-zon"}, []string{"zig fetch --save*"}, "npm"},
		{"All modules are in `pom.xml`." + none, []string{"never-run-dependencies-in-pom-xml"}, []string{"<dependency>"}, "npm"},
		{"All modules are in `build.sbt`." + none, []string{"never-run-dependencies-in-build-sbt"}, []string{"libraryDependencies"}, "npm"},
		{"All targets are in `CMakeLists.txt`." + none, []string{"never-run-dependencies-in-cmakelists-txt"}, nil, "npm"},
		{"First `npm run all`, then `mix compile`." + none, []string{"never-run-dependencies", "never-run-dependencies-in-mix-exs"}, []string{"npm install ?*"}, "pip2"},
		{"A project." + none, []string{"never-run-dependencies"}, []string{"npm install ?*", "dart pub add *"}, "file_write"},
		{"Pages: `npm run site`.\n\n- Test: `make test`\n", []string{"run-by-make-test"}, []string{"- npm test"}, ""},
		{"For Go 1.22. Pages: `npm run site`.\n\n- Test: `make test`\n", nil, nil, ""},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n" + c.text}
		p := survey.Of("", []statement.File{f})
		var ids []string
		said := ""
		all := statement.Of(&f)
		for i := range all {
			for _, d := range Drafts(&all[i], &p) {
				if d.Form != "run-by" || d.ID == "run-by-make-test" {
					ids, said = append(ids, d.ID), said+d.YAML
				}
			}
		}
		require.Equal(t, c.drafts, ids, c.text)
		for _, has := range c.has {
			require.Contains(t, said, has, c.text)
		}
		if c.not != "" {
			require.NotContains(t, said, c.not, c.text)
		}
	}
}
