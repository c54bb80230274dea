package instructions

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestPlacedDrafts: the drafts of a nested file stop what they are about, however often they
// are made.
func TestPlacedDrafts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{"app/src/gen/a.ts": "x", "app/src/render/a.ts": "x", "app/config/a.yml": "x", "app/docs/a.md": "x"})
	f := statement.File{Path: "app/AGENTS.md", Globs: []string{"app/**"}, Text: "# Rules\n\n- Never edit files in `src/gen/`.\n- Run `make test` after any change to `render/`.\n- If you change `config/`, update `docs/a.md`.\n"}
	p := survey.Of(root, []statement.File{f})
	all := statement.Of(&f)
	for range 2 {
		var text strings.Builder
		for i := range all {
			for _, d := range Drafts(&all[i], &p) {
				text.WriteString(d.YAML)
			}
		}
		for _, want := range []string{"- app/src/gen/**\n", "- app/**/render/**\n", "- app/config/**\n", "- app/docs/a.md\n"} {
			require.Contains(t, text.String(), want)
		}
	}
}

// TestFilesOfAFolder: a rule of a folder's file is about the folder's code, in the language
// that the line names, and a script has to be there.
func TestFilesOfAFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{
		"package.json": `{"scripts": {"all": "x"}}`, "app/package.json": `{"scripts": {"types": "tsc"}}`, "app/CLAUDE.md": "x", "app/src/a.ts": "x",
		"lib/a.py": "x", "lib/AGENTS.md": "x", "tests/a.py": "x", "docs/AGENTS.md": "x", "docs/one/list.md": "x", "docs/list.md": "x",
	})
	p := survey.Of(root, nil)
	for _, c := range []struct{ file, line, has, not string }{
		{"app/CLAUDE.md", "Run `npm run types` after every change.", "- app/**/*.{go,", "- app/**\n"},
		{"app/CLAUDE.md", "Run `npm run types` after every TypeScript change.", "- app/**/*.{ts,tsx,mts,cts}\n", ""},
		{"app/CLAUDE.md", "Run `npm run gone` after every change.", "", ""},
		{"app/CLAUDE.md", "Run `npm run all` after every change.", "", ""},
		{"CLAUDE.md", "Run `npm run types` after every change.", "npm run types", ""},
		{"CLAUDE.md", "Run `npm run gone` or `npm run types` after every change.", "npm run types", ""},
		{"CLAUDE.md", "Run `yarn run eslint` after every change.", "yarn run eslint", ""}, // a program of a dependency
		{"lib/AGENTS.md", "Run `npm run all` after every change.", "npm run all", ""},
		{"lib/AGENTS.md", "Run `npm run types` after every change.", "npm run types", ""}, // of some folder
		{"lib/AGENTS.md", "Tests live in `../tests/`.", "", ""},
		{"docs/AGENTS.md", "When you add a page, update that folder's `list.md`.", "- docs/**\n", "- docs/list.md\n"},
		{"docs/AGENTS.md", "When you add a page, update that folder's `list.md`.", "- docs/**/list.md\n", ""},
	} {
		f := statement.File{Path: c.file, Text: "# Rules\n\n- " + c.line + "\n"}
		if dir := statement.DirOfFile(c.file); dir != "" {
			f.Globs = []string{dir + "/**"}
		}
		all, said := statement.Of(&f), ""
		for _, d := range Drafts(&all[0], &p) {
			said += d.YAML
		}
		if c.has == "" {
			require.Empty(t, said, "%s: %s", c.file, c.line)
			continue
		}
		require.Contains(t, said, c.has, "%s: %s", c.file, c.line)
		if c.not != "" {
			require.NotContains(t, said, c.not, "%s: %s", c.file, c.line)
		}
	}
	place := func(line string) string {
		f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- " + line + "\n"}
		all := statement.Of(&f)
		return Drafts(&all[0], &p)[0].YAML
	}
	require.Contains(t, place("Never import `java.*` in `src`."), "- '**/src/**'\n")
	require.NotContains(t, place("Never import `java.*` in `gone`."), "gone/**")
}

// TestReadAtTop: a folder's file that names the one above it means that, and not the folder's own.
func TestReadAtTop(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"STYLE.md": "x", "zone/STYLE.md": "x", "zone/a.go": "x"})
	f := statement.File{Path: "zone/AGENTS.md", Text: "# Zone\n\nRead [`../STYLE.md`](../STYLE.md) first.\n", Globs: []string{"zone/**"}}
	p := survey.Of(root, []statement.File{f})
	all := statement.Of(&f)
	list := Drafts(&all[0], &p)
	require.Len(t, list, 1)
	require.Contains(t, list[0].YAML, "  read:\n    - ./STYLE.md\n")
}

// TestManagerOfAFolder: a folder with a manifest of its own has its own manager, also where the one that it does
// not use is that of the project.
func TestManagerOfAFolder(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"pyproject.toml": "x", "uv.lock": "x", "zone/package.json": "{}", "zone/a.ts": "x"})
	f := statement.File{Path: "zone/AGENTS.md", Text: "# Zone\n\n- Package manager: `npm` (not `uv`).\n", Globs: []string{"zone/**"}}
	p := survey.Of(root, []statement.File{f})
	all := statement.Of(&f)
	list := Drafts(&all[0], &p)
	require.NotEmpty(t, list)
	require.Contains(t, list[0].YAML, `within(cmd.folder, "zone")`)
}

// TestFolderOfEveryForm: what a folder's file says makes the drafts that it makes in the
// project's file, and these are about the folder: its files, and calls in it. Acts in git and on
// its host are of the whole project.
func TestFolderOfEveryForm(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	root := t.TempDir()
	write(t, root, map[string]string{"zone/src/a.ts": "x", "src/a.ts": "x", "README.md": "x", "docs/plan.md": "x", "zone/a.py": "x", "b.py": "x", "zone/b.test.ts": "x"})
	ofProject := []string{"github", "stages", "branch-name", "prints", "tracker", "references", "in-front", "substitution", "heredocs", "joined", "shell-edits"} // acts in git, what leaves the machine, and how calls are written
	ofRoot := []string{"NEVER save to root folder", "New `AGENTS.md`: add a sibling `CLAUDE.md`.", "No `package-lock.json` at root"}
	ofOneFolder := []string{"file-names", "file-endings", "no-import"} // whose cases are of the whole project, or of one folder
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			drafts := func(name string, globs ...string) (list []Draft) {
				file := statement.File{Path: name, Globs: globs, Text: "# Rules\n\n- " + c.Line + "\n"}
				p := survey.Of(root, []statement.File{file})
				p.Commands = append(p.Commands, c.Commands...)
				for _, d := range Drafts(&statement.Of(&file)[0], &p) {
					if d.Form == f.Name {
						list = append(list, d)
					}
				}
				return list
			}
			all := drafts("AGENTS.md")
			for name, globs := range map[string][]string{"zone/AGENTS.md": {"zone/**"}, ".cursor/rules/zone.mdc": {"zone/**/*.*"}, ".cursor/rules/zones.mdc": {"zone/**", "area/**"}} {
				nested := drafts(name, globs...)
				if !slices.Contains(ofRoot, c.Line) && (name == "zone/AGENTS.md" || !slices.Contains(ofOneFolder, f.Name)) {
					assert.Len(t, nested, len(all), "%s of %s: %s", f.Name, name, c.Line)
				}
				for _, d := range nested {
					var r ruletext.Rule
					require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &r))
					globs := r.Scope
					switch {
					case r.Requires != nil:
						globs = r.Requires.Since
					case r.Also != nil:
						globs = r.Also.Changed
					case r.BeforeFirst != nil:
						globs = r.BeforeFirst.Write
					case r.Trigger == "bash" && (name != "zone/AGENTS.md" || slices.Contains(ofProject, f.Rule) || slices.ContainsFunc(r.Scope, repositoryWide.Get().MatchString)):
						continue
					case r.Trigger == "bash":
						assert.Contains(t, r.When, `.folder, "zone")`, d.YAML)
						continue
					case !strings.HasPrefix(r.Trigger, "file_"):
						continue
					default:
						assert.NotEmpty(t, globs, d.YAML)
					}
					for _, g := range globs {
						assert.False(t, g == "**" || strings.HasPrefix(g, "**/") && (name == "zone/AGENTS.md" || strings.HasPrefix(g, "**/*")), d.YAML)
					}
				}
			}
		}
	}
}

// TestAreas: a file that is about some files makes rules about these.
func TestAreas(t *testing.T) {
	t.Parallel()
	for globs, want := range map[string]string{
		"src/**/*.{ts,tsx}":          "src/**/*.{ts,tsx}",
		"{a,b}/**":                   "{a,b}/**/*.{ts,tsx,mts,cts}",
		"lib/*.ts, lib/deep/*.tsx":   "lib/*.ts lib/deep/*.tsx",
		"lib/**/*.test.ts,docs/*.md": "lib/**/*.test.ts",
		"*.test.ts":                  "*.test.ts",
		"lib/a.ts":                   "lib/a.ts",
		"!lib/gen/**,lib/**":         "lib/**/*.{ts,tsx,mts,cts} !lib/gen/**",
		".github/workflows/**,lib/*": ".github/workflows/**/*.{ts,tsx,mts,cts}",
		"packages/*/src/**":          "packages/*/src/**/*.{ts,tsx,mts,cts}",
		"docs/**/*.md":               "docs/**/*.{ts,tsx,mts,cts}", // the line is about other files
		"**/*.md":                    "**/*.{ts,tsx,mts,cts}",
		"**/*.css, **/*.ts":          "**/*.ts",
		"package.json, src/**":       "src/**/*.{ts,tsx,mts,cts}",
		"src/*":                      "src/**/*.{ts,tsx,mts,cts}",
		"src/**/*.{js,ts}":           "src/**/*.{js,ts}",
		"app/[id]/**":                "app/**/*.{ts,tsx,mts,cts}",
		"src/**/!(*.test).ts":        "src/**/*.{ts,tsx,mts,cts}",
		"[*.ts, *.tsx]":              "*.ts *.tsx",
		"null":                       "**/*.{ts,tsx,mts,cts}",
		"# all":                      "**/*.{ts,tsx,mts,cts}",
		"!lib/gen/**":                "**/*.{ts,tsx,mts,cts} !lib/gen/**",
		"**/*":                       "**/*.{ts,tsx,mts,cts}",
	} {
		root := t.TempDir()
		write(t, root, map[string]string{".cursor/rules/x.mdc": "---\nglobs: " + globs + "\n---\n# Rules\n\n- Never use `any` types.\n"})
		files, _ := Find(root, Options{})
		p := survey.Of(root, files)
		drafts := Drafts(&statement.Of(&files[0])[0], &p)
		if assert.Len(t, drafts, 1, globs) {
			var r ruletext.Rule
			require.NoError(t, yaml.Unmarshal([]byte(drafts[0].YAML), &r))
			for _, c := range r.Tests {
				if c.Expect == ruletext.Violation {
					assert.True(t, slices.ContainsFunc(r.Scope, func(g string) bool { return pathglob.Match(g, c.Write) }), "%s: %s", globs, c.Write)
				}
			}
			assert.Equal(t, want, strings.Join(append(r.Scope, pathglob.Each(r.Exclude, func(g string) string { return "!" + g })...), " "), globs)
		}
	}
}

// TestCannotSucceed: no draft demands a command that only fails, or that another line calls
// needless. A file that has a source of its own is the one of the folder, and no other of its name.
func TestCannotSucceed(t *testing.T) {
	for _, c := range []struct {
		manifest, text, draft, has string
	}{
		{`{"scripts": {"test": "vitest run"}}`, "- Run the tests before committing.", "job-before-npm-test", "- npm test"},
		{`{"scripts": {"test": "echo \"see below\" && exit 1"}}`, "- Run the tests before committing.\n- `npm test` is off.", "", ""},
		{"{}", "- Run `make typesCheck` before committing.", "run-before-make-typescheck", ""},
		{"{}", "- Run `make typesCheck` before committing.\n\nDon't bother running typesCheck: `make fix` does it.", "", ""},
		{"{}", "- Do not edit `README.md`. It is generated from `docs/intro.md`.", "never-edit-readme-md", "- ./README.md"},
		{"{}", "- Do not edit `README.md`.", "never-edit-readme-md", "- README.md"},
	} {
		root := t.TempDir()
		write(t, root, map[string]string{"package.json": c.manifest, "README.md": "x", "docs/intro.md": "x", "sub/README.md": "x"})
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n" + c.text + "\n"}
		p := survey.Of(root, []statement.File{f})
		ids, said := "", ""
		for _, s := range statement.Of(&f) {
			for _, d := range Drafts(&s, &p) {
				ids, said = ids+d.ID, said+d.YAML
			}
		}
		require.Equal(t, c.draft, ids, c.text)
		require.Contains(t, said, c.has, c.text)
	}
}

// TestWhereTheyAre: a demand after changes of files that only another folder has is about these.
func TestWhereTheyAre(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{"core/a.proto": "x", "zone/a.go": "x"}
	for i := range repo.FewFiles {
		files[fmt.Sprintf("core/f%d.go", i)] = "x"
	}
	write(t, root, files)
	for line, since := range map[string]string{"After changing protobuf files run `make proto`.": "- '**/*.proto'\n", "After changing Go files run `make types`.": "- zone/**/*.go\n"} {
		f := statement.File{Path: "zone/AGENTS.md", Text: "# Rules\n\n- " + line + "\n", Globs: []string{"zone/**"}}
		p := survey.Of(root, []statement.File{f})
		all := statement.Of(&f)
		list := Drafts(&all[0], &p)
		require.NotEmpty(t, list, line)
		require.Contains(t, list[0].YAML, since, line)
	}
}

// TestFromAbove: a command that names the folder of its file runs above it, and so do those that
// are used in its place.
func TestFromAbove(t *testing.T) {
	for line, here := range map[string]bool{"Run the tests with `pytest zone/unit`.": false, "Run the tests with `pytest unit`.": true, "Build: `./gradlew :zone:build`": false, "Types: `cd zone && ./gradlew types`": true} {
		f := statement.File{Path: "zone/AGENTS.md", Text: "# Rules\n\n- " + line + "\n", Globs: []string{"zone/**"}}
		all := statement.Of(&f)
		list := Drafts(&all[0], &survey.Project{})
		require.NotEmpty(t, list, line)
		require.Equal(t, here, strings.Contains(list[0].YAML, `within(cmd.folder, "zone")`), line)
	}
}

// TestTestsBy: the tests of a project whose files name no command for them are run as its kind of
// project runs them, and these commands count as named by no line.
func TestTestsBy(t *testing.T) {
	for name, ran := range map[string]string{"a.sln": "- dotnet test\n", "mix.exs": "- mix test\n", "gradlew": "- ./gradlew test\n"} {
		root := t.TempDir()
		write(t, root, map[string]string{name: "x"})
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- Run the tests before committing.\n"}
		p := survey.Of(root, []statement.File{f})
		all := statement.Of(&f)
		list := Drafts(&all[0], &p)
		require.Len(t, list, 1, name)
		require.Contains(t, list[0].YAML, ran, name)
		require.Empty(t, p.Commands)
	}
}

// TestCodeOfDocs: what the file of a folder of documents says of work on code makes no rule about
// documents.
func TestCodeOfDocs(t *testing.T) {
	for _, c := range []struct {
		file, line string
		made       bool
	}{
		{"lib/a/docs/AGENTS.md", "When adding a new pass, run `make size`.", false},
		{"lib/a/docs/AGENTS.md", "When adding a page, run `make site`.", true},
		{"lib/a/docs/AGENTS.md", "When you change a diagram, run `make site`.", true},
		{"lib/a/docs/AGENTS.md", "Run `make site` before committing.", true},
		{"lib/a/AGENTS.md", "When adding a new endpoint, run `make size`.", true},
	} {
		f := statement.File{Path: c.file, Globs: []string{path.Dir(c.file) + "/**"}, Text: "# Rules\n\n- " + c.line + "\n"}
		p := treeOf(t, f, "lib/a/src/x.rs", "lib/a/docs/page.md", "lib/a/docs/AGENTS.md", "Makefile")
		require.Equal(t, c.made, len(Drafts(&statement.Of(&f)[0], p)) > 0, c.file+": "+c.line)
	}
}
