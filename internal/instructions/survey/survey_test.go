package survey

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// projectOf is a project with files, and with instructions unless they are "".
func projectOf(t *testing.T, instructions string, files map[string]string) *Project {
	t.Helper()
	root := t.TempDir()
	programtest.Tree(t, root, files)
	p := Of(root, []statement.File{{Path: "CLAUDE.md", Text: instructions}})
	return &p
}

// TestOf: what a small project tells.
func TestOf(t *testing.T) {
	t.Parallel()
	p := projectOf(t, "# Rules\n\n- Use `pnpm`. Never use `npm` or `yarn`.\n- Never call `old()`; use `new()` instead of `older()`.\n- Types: `pnpm types # all`\n- See `cargo`.\n\n```sh\n$ go vet ./... && make lint\n```\n\n# Never\n\n- Use `var`\n",
		map[string]string{".prettierrc": "{}", "package.json": `{"scripts": {"test": "x", "site": "y", "gone": "echo no && exit 1", "odd": 1}, "devDependencies": {"eslint": "9"}}`, "pnpm-lock.yaml": "", "pyproject.toml": "[tool.ruff.lint]\n[tool.pytest]\n", "go.mod": "module x\n", "sub/Cargo.toml": ""})
	require.Equal(t, []string{"$ go vet ./...", "cargo", "go test ./...", "make lint", "pnpm", "pnpm run odd", "pnpm run site", "pnpm test", "pnpm types"}, p.Commands)
	var linters []string
	for _, l := range p.Linters {
		linters = append(linters, l.Name+" "+l.File)
	}
	require.Equal(t, []string{"prettier .prettierrc", "eslint package.json", "ruff pyproject.toml", "gofmt go.mod"}, linters)
	require.Equal(t, map[string]bool{"npm": true, "yarn": true, "old()": true}, p.Refused)
	require.Equal(t, map[string][]string{"pnpm": {"Use `pnpm`. Never use `npm` or `yarn`."}, "new()": {"Never call `old()`; use `new()` instead of `older()`."}}, p.Wanted)
	require.Equal(t, map[string]bool{"go": true, "npm": true, "python": true}, p.Seen.Used)
	require.True(t, p.Runs("make") && !p.Runs("cargo") && !(*Project)(nil).Runs("make"))
	require.Contains(t, p.Shown, "CLAUDE.md")

	none := Of("", nil)
	require.Empty(t, none.Commands)
	require.Empty(t, none.Linters)
	require.False(t, none.Known())
	none = Of(t.TempDir()+"/gone", nil)
	require.Empty(t, none.Commands)
}

// TestCommandsOf: the commands that do a job.
func TestCommandsOf(t *testing.T) {
	t.Parallel()
	p := Project{Commands: []string{"cargo clippy --all", "cargo test", "cargo test --bin x", "go test ./...", "make lint", "make test <name>", "npm run build", "npm run typecheck", "pytest a.py"}, tests: []string{"tox"}}
	for said, want := range map[string][]string{
		"tests": {"cargo test", "make test", "go test ./..."}, "linters": {"make lint", "cargo clippy --all"}, "type checks": {"npm run typecheck"}, "build": {"npm run build"}, "clippy": {"cargo clippy --all"}, "formatting": nil,
	} {
		require.Equal(t, want, p.CommandsOf(said), said)
	}
	p.Commands = nil
	require.Equal(t, []string{"tox"}, p.CommandsOf("tests"))
	require.Equal(t, []string{"cargo clippy"}, p.CommandsOf("clippy"))
	for said, want := range map[string]string{"lint": "lint", "type checks": "typecheck", "building": "build", "format": "format", "checks": "checks", "the suite": "test", "": "test"} {
		require.Equal(t, want, JobOf(said), said)
	}
	for name, want := range map[string]string{"a.sln": "dotnet test", "mvnw": "./mvnw test", "gradlew": "./gradlew test", "mix.exs": "mix test", "tox.ini": "tox", ".rspec": "bundle exec rspec"} {
		require.Equal(t, []string{want}, projectOf(t, "", map[string]string{name: ""}).CommandsOf("tests"), name)
	}
	require.Equal(t, []string{"composer test"}, projectOf(t, "", map[string]string{"composer.json": `{"scripts": {"test": "x"}}`}).CommandsOf("tests"))
	require.Equal(t, []string{"bundle exec rspec"}, projectOf(t, "", map[string]string{"Gemfile": "", "spec/a_spec.rb": ""}).CommandsOf("tests"))
}

// TestLinterOf: which linter of the project can hold a statement.
func TestLinterOf(t *testing.T) {
	t.Parallel()
	p := projectOf(t, "", map[string]string{".prettierrc": "{}", "commitlint.config.js": "", "go.mod": "module x\n"})
	for line, want := range map[string]string{
		"Use 2 spaces of indentation.": "prettier", "Run gofmt.": "", "Indent Go code with tabs.": "prettier", "Use conventional commits in commit messages.": "commitlint", "Commit limits: 200 characters, line width 72.": "", "Name things well.": "",
		"Run `make quotes` for quotes.": "",
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
		require.Equal(t, want, p.LinterOf(&statement.Of(&f)[0]), line)
	}
	f := statement.File{Text: "- Use 2 spaces.\n"}
	require.Empty(t, new(Project).LinterOf(&statement.Of(&f)[0]))
}

// shownBy is what a file shows as right.
func shownBy(text string) Shows { return showsOf(markdown.Blocks(text)) }

// TestSpecimens: what a file tells to run, to use and to edit, and what it shows.
func TestSpecimens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Run `make x` first.":          {"1 told run make x"},
		"- `make x` - builds":          {"1 run make x"},
		"- **Lint**: `make lint`":      {"1 run make lint"},
		"Never run `make x`.":          nil,
		"- `make x` skips the checks.": nil,
		"# Never do\n\n- `make x`":     nil,
		"# Commands\n\n- Run `make x`": {"3 run make x"},
		"Use `f()` here, never `g()`.": {"1 told use f()"},
		"Always edit `docs/a.md`.":     {"1 told edit docs/a.md"},
		"Build:\n```sh\n$ make x # all\n\n# wrong\nmake y\n\nmake z\n```": {"3 run make x", "8 run make z"},
		"```go\nf()\n// bad:\ng()\n// good:\nh()\n```":                    nil,
		"Code:\n```go\nf()\n// bad:\ng()\n// good:\nh()\n```":             {"3 right show f()", "6 right show // good:\nh()"},
		"Code:\n```go\nf()\n// bad:\ng()\n```":                            {"3 right show f()"},
		"Good:\n```go\nf()\n```":                                          {"3 right show f()"},
		"Wrong:\n```go\nf()\n```":                                         nil,
		"Code:\n```diff\n-f()\n```":                                       nil,
		"<!-- Run `make x`. -->\nRun `make y`.\n\u200b":                   nil,
	} {
		var got []string
		s := shownBy(text)
		for _, o := range s.Specimens() {
			one := fmt.Sprintf("%d ", o.Line)
			if o.Told {
				one += "told "
			}
			if o.Marked {
				one += "right "
			}
			got = append(got, one+[...]string{"run ", "use ", "show ", "edit "}[o.Of]+o.Text)
		}
		require.Equal(t, want, got, text)
		for _, o := range s.Specimens() {
			require.Equal(t, o.Of == ToRun, s.TellsToRun(o.Text))
			require.NotEmpty(t, o.Verb())
			require.True(t, o.From <= o.Line && o.Line <= o.To, text)
		}
	}
	many := shownBy("# A\n\n" + strings.Repeat("Use `f()`.\n\n", maxSpecimens+9))
	require.Len(t, many.Specimens(), maxSpecimens)
}

// TestOpenings: how the messages of commits begin that a file names as right.
func TestOpenings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Openings{
		"Commit types: feat, fix, bench and tidy.":                     {Types: []string{"bench", "tidy"}, Listed: true},
		"Commit messages: `feat:`, `bench:`.":                          {Types: []string{"bench"}},
		"Never use these commit types: feat, fix, bench.":              {},
		"Colors: feat, fix, bench.":                                    {},
		"Commit types:\n\n- `feat`: x\n- **tidy**: y\n- `Reland`: z\n": {Types: []string{"tidy"}, Words: []string{"Reland"}},
		"Commits:\n\n- `feat`: x\n- `pear`: y\n":                       {},
		"Commits begin with:\n\n- `feat`: x\n- `pear`: y\n":            {Types: []string{"pear"}},
		"Commits:\n\n- `apple`: x\n- `pear`: y\n":                      {},
		"Commits:\n```\nfeat: a\nbench(x): b\nuse: it # wrong\n```\n":  {Types: []string{"bench"}, Listed: true},
		"Commits:\n```go\nfeat: a\nbench: b\n```\n":                    {},
		"Titles of releases are `vX.Y.Z`, as in commit messages.":      {Bare: true},
		"Commit types: feat, fix, scope, example, bench.":              {Types: []string{"bench"}, Listed: true},
	} {
		s := shownBy(text)
		require.Equal(t, want, s.Openings(), text)
	}
	require.True(t, IsType("feat") && !IsType("bench") && !IsType("feat|fix"))
}

// TestShows: what else a file says of commands and names.
func TestShows(t *testing.T) {
	t.Parallel()
	s := shownBy("# Checks\n\n- `just format` or `just f` - formats the code\n- Never: `just a` or `just b`\n- `make all` runs all of these checks.\n- All of the above can also be run via the editor.\n- Do not run `make slow` yourself.\n- Don't bother running typesCheck.\n- XCTest is only allowed for UI tests; `old()` is only used in `lib/`.\n- The hook will insert the header.\n- Run `make one`.\n")
	require.Equal(t, map[string][]string{"just format": {"just f"}, "just f": {"just format"}}, s.Alike())
	require.Equal(t, []Umbrella{{Section: []string{"Checks"}, Line: 5, Command: "make all"}, {Section: []string{"Checks"}, Line: 6}}, s.Umbrellas())
	require.Equal(t, []string{"make slow", "typesCheck"}, s.Left())
	require.Equal(t, []Permit{{[]string{"Checks"}, "XCTest"}, {[]string{"Checks"}, "old()"}}, s.Permits())
	require.Equal(t, []string{"The hook will insert the header."}, s.Added())
	hidden := shownBy("# A\n\n- `just format` or `just f`\n\u200b\n- `make all` runs all checks\n\u200b\n- The hook will insert it\n\u200b\n- Do not run `x` yourself\n\u200b\n- XCTest is only allowed for UI\n\u200b\n")
	require.Empty(t, hidden.Alike())
	require.Empty(t, hidden.Umbrellas())
	require.Empty(t, hidden.Left())
	require.Empty(t, hidden.Permits())
	require.Empty(t, hidden.Added())

	named := shownBy("Perl: `lib/A.pm`, `bin/a.pl`, `t/a.t`, `xt/unit/`, `man/kit.1`, `a.pod`. Python, too.\n```go\ncp a_test.go docs/x.adoc\n```\n").Places()
	require.Equal(t, []string{"**/t/**", "**/*.t", "**/xt/**", "**/*_test.go"}, named.Tests)
	require.Equal(t, []string{"**/man/**", "**/*.pod", "**/docs/**", "**/*.adoc"}, named.Docs)
	many := shownBy("`t1_test/a` `t2_test/a` `t3_test/a` `t4_test/a` `t5_test/a` `t6_test/a` `t7_test/a`").Places()
	require.Len(t, many.Tests, MaxPlaces)
}

// TestOwnFolder: a sentence that limits itself to a folder is about that folder.
func TestOwnFolder(t *testing.T) {
	t.Parallel()
	p := projectOf(t, "", map[string]string{"zone/a.go": "x", "app/web/a.ts": "x"})
	for said, want := range map[string][2]string{
		"In `zone/`, never edit `gen/`.":             {"zone", "never edit ‹p1›."},
		"When working in `zone/`, run `make x`.":     {"zone", "run ‹c1›."},
		"In `web/`: run `make x`.":                   {"", "in ‹p0›: run ‹c1›."}, // its place is not one folder
		"In `gone/`, run `make x`.":                  {"", "in ‹p0›, run ‹c1›."},
		"In `zone/`, except in tests, run `make x`.": {"", "in ‹p0›, except in tests, run ‹c1›."},
		"When working in `zone/`, read `docs/a.md`.": {"", "when working in ‹p0›, read ‹p1›."},
		"In `zone/`, never edit `app/web/a.ts`.":     {"", "in ‹p0›, never edit ‹p1›."},
		"Run `make x`.":                              {"", "run ‹c0›."},
	} {
		got := p.InOwnFolder(sentence.NewPhrase(said), "CLAUDE.md")
		require.Equal(t, want, [2]string{got.Folder, got.Words}, said)
	}
	said := sentence.NewPhrase("Never edit `./web/` or run `make web/`.")
	were := said.Terms
	p.Place(&said, "CLAUDE.md")
	require.Equal(t, "**/web/", said.Terms[0].Text)
	require.Equal(t, "./web/", were[0].Text, "those of the statement stay")
	require.Equal(t, "a/", keepSlash("a", "./a/"))
	require.Equal(t, "a", keepSlash("a", "./a"))
}

// TestCalled: the folders and files that have the name of words.
func TestCalled(t *testing.T) {
	t.Parallel()
	files := map[string]string{"src/parser/a.go": "", "src/scheduler.ts": "", "src/threadPool.ts": "", "web/auth/a.ts": "", "api/auth/a.ts": "", "docs/parsers.md": "", "a*b/x": ""}
	for i := range MostPlaces + 1 {
		files[fmt.Sprintf("p%d/many/a.go", i)], files[fmt.Sprintf("each.x%d", i)] = "", ""
	}
	p := projectOf(t, "", files)
	for words, want := range map[string][]string{
		"parser": {"**/parser/**"}, "parsers": {"**/parser/**"}, "scheduler": {"**/scheduler.ts"}, "thread pool": {"**/threadPool.ts"}, "auth": {"**/auth/**"}, "web auth": {"**/web/auth/**"}, "many": {"**/many/**"}, "each": nil, "a*b": nil, "tests": nil, "gone": nil,
		strings.Repeat("x", maxNoun+1): nil,
	} {
		require.Equal(t, want, p.Called(strings.Fields(words), "", nil), words)
	}
	require.Equal(t, []string{"src/**/parser/**"}, p.Called([]string{"parser"}, "src/", nil))
	require.Empty(t, p.Called([]string{"parser"}, "web/", nil))
	require.Empty(t, p.Called([]string{"scheduler"}, "", []sentence.Term{{Kind: sentence.File, Text: "src/scheduler.ts"}}), "a companion")
	require.Equal(t, []string{"api/auth/**", "web/auth/**"}, p.FoldersAt("auth"))
	require.Empty(t, p.FoldersAt("many"), "more than are one place")
	globs := []string{"src/parser", "src/a.go", "src/*"}
	p.WithinFolders(globs)
	require.Equal(t, []string{"src/parser/**", "src/a.go", "src/*"}, globs)
}

// TestLanguages: the languages that words name, and those of a project.
func TestLanguages(t *testing.T) {
	t.Parallel()
	names := func(list []forms.Language) (all []string) {
		for _, l := range list {
			all = append(all, l.Example)
		}
		return all
	}
	require.Len(t, LanguagesIn("Python and Go code"), 2)
	require.Empty(t, LanguagesIn("let it go on"))
	require.Len(t, LanguagesIn("F# on .NET"), 1)
	files := map[string]string{"a.md": ""}
	for i := range 12 {
		files[fmt.Sprintf("src/a%d.go", i)] = ""
	}
	files["web/a.ts"] = ""
	p := projectOf(t, "", files)
	require.Equal(t, names(LanguagesIn("Go code")), names(p.SoleLanguage()))
	require.True(t, p.MostlyOther(LanguagesIn("TypeScript"), ""))
	require.False(t, p.MostlyOther(LanguagesIn("Go code"), ""))
	require.False(t, p.MostlyOther(LanguagesIn("Python"), "web"), "too few to tell")
	require.False(t, new(Project).MostlyOther(LanguagesIn("TypeScript"), ""))
	globs, example := p.FewLanguages()
	require.Len(t, globs, 2)
	require.Contains(t, example, ".go")
	globs, _ = projectOf(t, "", map[string]string{"a.go": "", "b.py": "", "c.rs": "", "d.rb": ""}).FewLanguages()
	require.Empty(t, globs, "too many")
	globs, _ = FilesOf(LanguagesIn("Go, Python, Rust, Java, Ruby and Swift"))
	require.Empty(t, globs, "too many")

	r := &ruletext.Rule{Scope: []string{"**/*.go"}, Exclude: []string{"gone/**"}}
	require.False(t, p.NamedOtherwise(r, "^[A-Z]"), "too few files")
	for i := range fewNamed {
		programtest.Tree(t, p.Root, map[string]string{fmt.Sprintf("lib/b%d.go", i): "", fmt.Sprintf("tests/b%d_test.go", i): ""})
	}
	again := Of(p.Root, nil)
	require.True(t, again.NamedOtherwise(r, "^[A-Z]"))
	require.False(t, again.NamedOtherwise(r, "^[ab]"))
	require.Equal(t, []string{"tests/**"}, again.FoldersOfTests())
}

// TestCommandWords: which commands are too wide to forbid, and which names are sure to be files'.
func TestCommandWords(t *testing.T) {
	t.Parallel()
	for cmd, want := range map[string][2]bool{"make": {true, false}, "git": {true, true}, "npm": {false, false}, "make x": {false, false}, "": {true, true}} {
		require.Equal(t, want, [2]bool{TooWide(cmd, false), TooWide(cmd, true)}, cmd)
	}
	for cmd, want := range map[string]bool{"a && b": true, "a | b": true, "a > b": true, "$(a)": true, "a -b": false} {
		require.Equal(t, want, Operator.Get().MatchString(cmd), cmd)
	}
	require.Equal(t, "use   now", Plain("use `a b` now"))
	for name, want := range map[string]bool{"a/": true, "a.go": true, "Makefile": true, "src/Makefile": true, "a/b": false} {
		require.Equal(t, want, Certain(name), name)
	}
}
