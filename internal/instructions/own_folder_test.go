package instructions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/rule"
)

// TestOwnFolder: a sentence that limits itself to a folder makes the rules that it would make in an
// instruction file of that folder.
func TestOwnFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	root := t.TempDir()
	write(t, root, map[string]string{"zone/src/a.ts": "x", "src/a.ts": "x", "README.md": "x", "docs/plan.md": "x", "zone/a.py": "x", "b.py": "x", "zone/b.test.ts": "x"})
	all := 0
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			if f.Name == "this-file" || strings.Contains(c.Line, "`docs/`") /* it forbids something elsewhere */ || strings.ContainsAny(c.Line, ":(!\n") || strings.Contains(c.Line, ". ") || strings.Contains(c.Line, " — ") || c.Line == "" || strings.ToUpper(c.Line[:2]) == c.Line[:2] {
				continue
			}
			drafts := func(name, line string) (rules []string) {
				file := statement.File{Path: name, Text: "# Rules\n\n- " + line + "\n"}
				if name != "AGENTS.md" {
					file.Globs = []string{"zone/**"}
				}
				p := survey.Of(root, []statement.File{file})
				p.Commands = append(p.Commands, c.Commands...)
				for _, d := range Drafts(&statement.Of(&file)[0], &p) {
					var r ruletext.Rule
					require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &r))
					require.Equal(t, name+":3", r.Source)
					r.Source, r.Quote = "", ""
					data, err := r.Render()
					require.NoError(t, err)
					rules = append(rules, string(data))
				}
				return rules
			}
			nested, own := drafts("zone/AGENTS.md", c.Line), drafts("AGENTS.md", "In `zone/`, "+strings.ToLower(c.Line[:1])+c.Line[1:])
			if len(nested) == 0 {
				continue
			}
			all++
			assert.Equal(t, nested, own, c.Line)
		}
	}
	require.Greater(t, all, 400)
}

// TestNewFilesInFolder: what the file of a folder says of new files holds there, where none of them are.
func TestNewFilesInFolder(t *testing.T) {
	f := statement.File{Path: "packages/a/AGENTS.md", Globs: []string{"packages/a/**"}, Text: "# Rules\n\n- Test files use `.spec.ts` (NOT `.test.ts`)\n"}
	p := treeOf(t, f, "packages/a/x.spec.ts", "packages/b/x.test.ts", "packages/b/y.test.ts")
	all := statement.Of(&f)
	list := Drafts(&all[0], p)
	require.Len(t, list, 1)
	require.Contains(t, list[0].YAML, "scope:\n  - packages/a/**/*.test.ts\n")
}

// TestFolderOfTests: a line in the file of a folder of tests about what is elsewhere makes no rule about
// that folder.
func TestFolderOfTests(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"test/a_test.ts": "x", "test/samples/a.ts": "x", "test/readers/a.ts": "x", "zone/readers/b.ts": "x", "zone/samples/a.ts": "x"})
	for dir, ids := range map[string][]string{"test": nil, "zone": {"remind-also-zone-samples"}} {
		line := "Update samples in `" + dir + "/samples/` when readers change"
		file := statement.File{Path: dir + "/AGENTS.md", Text: "# Rules\n\n- " + line + "\n", Globs: []string{dir + "/**"}}
		p := survey.Of(root, []statement.File{file})
		var got []string
		for _, d := range Drafts(&statement.Of(&file)[0], &p) {
			got = append(got, d.ID)
		}
		assert.Equal(t, ids, got, line)
	}
}

// TestErrorOfFolder: an error that other folders throw widely may be forbidden in one, where catching it
// stays right.
func TestErrorOfFolder(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{"zone/src/A.php": "<?php"}
	for i := range repo.Widely {
		files[fmt.Sprintf("other/A%d.php", i)] = "<?php throw new \\ShipError(1);"
	}
	write(t, root, files)
	file := statement.File{Path: "zone/AGENTS.md", Text: "# Rules\n\n- Use specific exceptions instead of `\\ShipError`.\n", Globs: []string{"zone/**"}}
	p := survey.Of(root, []statement.File{file})
	list := Drafts(&statement.Of(&file)[0], &p)
	require.Len(t, list, 1)
	assert.Contains(t, list[0].YAML, "throw|raise")
}

// TestTitleOfFolder: a title such as "Hub (JavaScript glue)" does not limit its folder to JavaScript, if the
// folder has few such files.
func TestTitleOfFolder(t *testing.T) {
	f := statement.File{Path: "core/hub/AGENTS.md", Globs: []string{"core/hub/**"}, Text: "# Hub (JavaScript glue)\n\n- Never use `FastText` in fast calls.\n"}
	files := []string{"core/hub/a.js"}
	for i := range 20 {
		files = append(files, fmt.Sprintf("core/hub/a%d.c++", i), fmt.Sprintf("site/a%d.js", i))
	}
	for _, tree := range [][]string{files, files[:1], append(slices.Clone(files), "core/hub/b.js", "core/hub/c.js", "core/hub/d.js")} {
		all := statement.Of(&f)
		drafts := Drafts(&all[0], treeOf(t, f, tree...))
		require.Len(t, drafts, 1)
		var r ruletext.Rule
		require.NoError(t, yaml.Unmarshal([]byte(drafts[0].YAML), &r))
		require.Equal(t, len(tree) != len(files), r.Scope[0] == "core/hub/**/*.{js,jsx,mjs,cjs,ts,tsx}", r.Scope)
	}
}

// TestStagedInFolder: a line of a folder's file about files that are not to be committed is about those of
// the folder.
func TestStagedInFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line          string
		stops, passes []string
	}{
		{"Never commit `.env` files.", []string{"git add web/.env", "git add web/a/.env.local", "cd web && git add .env"}, []string{"git add .env", "git add api/.env.production", "git add web/.env.local.template", "git add web/.env.dist"}},
		{"Never commit `*.pem` files.", []string{"git add web/a.pem", "git add web/a/b.pem"}, []string{"git add a.pem", "git add api/a.pem"}},
	} {
		f := statement.File{Path: "web/AGENTS.md", Text: "# Rules\n\n- " + c.line + "\n", Globs: []string{"web/**"}}
		all := statement.Of(&f)
		list := Drafts(&all[0], &survey.Project{})
		require.Len(t, list, 1, c.line)
		stopped := ruletext.Read(list[0].ID, []byte(list[0].YAML)).Trial()
		for i, cmd := range append(slices.Clone(c.stops), c.passes...) {
			require.Equal(t, i < len(c.stops), stopped(rule.Case{Bash: cmd}), cmd)
		}
	}
}

// TestTypeElsewhere: a line about a type whose file has another name makes no draft in a project that has
// many files.
func TestTypeElsewhere(t *testing.T) {
	f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- `GalleryView` must not call `FileManager.default`.\n"}
	var files []string
	for i := range repo.FewFiles {
		files = append(files, fmt.Sprintf("Sources/A%d.swift", i))
	}
	for name, want := range map[string]int{"Sources/GalleryView.swift": 1, "Sources/Gallery.swift": 0} {
		all := statement.Of(&f)
		require.Len(t, Drafts(&all[0], treeOf(t, f, append(slices.Clone(files), name, "Sources/B.swift")...)), want, name)
	}
}

// TestFolderHasTexts: a name that is forbidden in all files of a folder is that of code: the texts there may
// have it.
func TestFolderHasTexts(t *testing.T) {
	t.Parallel()
	f := statement.File{Path: ".cursor/rules/demo.mdc", Globs: []string{"demo/**"}, Text: "# Rules\n\n- No DataBrokers.\n"}
	all := statement.Of(&f)
	list := Drafts(&all[0], &survey.Project{})
	require.Len(t, list, 1)
	trial := ruletext.Read(list[0].ID, []byte(list[0].YAML)).Trial()
	for w, stops := range map[string]bool{
		"demo/a.swift:class TableDataBroker {": true, "demo/a.ts:const a = new DataBrokers()": true,
		"demo/NOTES.md:No DataBrokers.": false, "src/a.ts:new DataBrokers()": false, "demo/a.ts:new DataBrokerage()": false,
	} {
		file, content, _ := strings.Cut(w, ":")
		require.Equal(t, stops, trial(rule.Case{Write: file, Content: content}), w)
	}
}

// TestWordsNameTheArea: a case that names the folder which a file of rules is for is about its files, and no
// others of that folder or of that name.
func TestWordsNameTheArea(t *testing.T) {
	t.Parallel()
	for globs, want := range map[string]string{"manual/**/*.md": "since:\n    - manual/**/*.md\n", "lib/manual/**": "since:\n    - lib/manual/**\n", "src/**": "since:\n    - '**/manual/**'\n"} {
		f := statement.File{Path: ".cursor/rules/manual.mdc", Globs: []string{globs}, Text: "# Rules\n\n- Run `make pages` after editing the manual.\n"}
		all := statement.Of(&f)
		list := Drafts(&all[0], treeOf(t, f, "manual/a.md", "lib/manual/b.md", "src/a.ts"))
		require.Len(t, list, 1, globs)
		require.Contains(t, list[0].YAML, want, globs)
	}
}
