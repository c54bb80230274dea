package statement

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// last is the last statement of a text.
func last(t *testing.T, text string) *Statement {
	t.Helper()
	all := Of(&File{Path: "CLAUDE.md", Text: text})
	require.NotEmpty(t, all, text)
	return &all[len(all)-1]
}

// TestKinds: what a statement asks for, by its words and by what is above it.
func TestKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Kind{
		"The parser reads tokens.":                                  Description,
		"Never push to main.":                                       Call,
		"Run `make lint` before you commit.":                        Order,
		"Never write comments in functions.":                        Content,
		"Always think before you begin.":                            Meaning,
		"# Rules\n\n- Short names":                                  Meaning,
		"# Never\n\n- `git push --force`":                           Call,
		"# Overview\n\n- `git push --force`":                        Description,
		"Before committing:\n\n- `make lint`":                       Call,
		"# User guide\n\n- Always run `make x`.":                    Description,
		"- [Always run](#always-run)":                               Description,
		"| When you change | Run |\n|---|---|\n| `a/` | `make x` |": Call,
	} {
		require.Equal(t, want, last(t, text).Kind, text)
	}
}

// TestLeads: the moment that a list or a heading gives to its items.
func TestLeads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Before committing:\n\n- `make lint`":      {"Before committing:"},
		"# Pre-commit\n\n- `make lint`":            {"Before committing:"},
		"# Definition of done\n\n- `make lint`":    {"Before finishing:"},
		"# PR checklist\n\n- `make lint`":          {"Before opening a PR:"},
		"# Checks run by CI\n\n- `make lint`":      nil,
		"CI checks:\n\n- `make lint`":              nil,
		"# Pre-commit hook fails\n\n- `make lint`": nil,
		"# Rules\n\n- `make lint`":                 nil,
		"# Pre-commit hooks\n\n- `make lint`":      nil,
	} {
		require.Equal(t, want, Leads(last(t, text)), text)
	}
}

// TestFolders: the folder that an instruction file is of, and the paths that it names.
func TestFolders(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]string{"CLAUDE.md": "", "web/CLAUDE.md": "web", "a/b/AGENTS.md": "a/b", "web/README.md": "", ".cursor/rules/a.mdc": ""} {
		require.Equal(t, want, DirOfFile(rel), rel)
	}
	s := Statement{File: "web/CLAUDE.md", Line: 3}
	require.Equal(t, "web/CLAUDE.md:3", s.Source())
	require.Empty(t, s.OfFolder(), "without globs it is of the whole project")
	s.Globs = []string{"web/**"}
	require.Equal(t, "web", s.OfFolder())
	require.Equal(t, "web/CLAUDE.md", s.Base())
	require.Same(t, &s, s.Within(""))
	of := s.Within("zone")
	require.Equal(t, []string{"zone", "zone/CLAUDE.md", "zone/**", "web/**"}, []string{of.OfFolder(), of.Base(), of.Globs[0], s.Globs[0]})
	s.File = "a b/CLAUDE.md"
	require.Empty(t, s.OfFolder(), "no path")
	for text, want := range map[string][]string{
		"gen/": {"gen/**"}, "./gen": nil, "src/gen": {"src/gen", "src/gen/**"}, "a.go": {"a.go"}, "a.go:12": {"a.go"}, ".env": {".env", ".env.*"}, ".ts": {"**/*.ts"}, ".test.ts": {"**/*.test.ts"}, ".xcodeproj": {"**/*.xcodeproj/**"}, "node_modules": {"**/node_modules/**"},
		".eslintrc": {".eslintrc", ".eslintrc.*"}, "src/<name>/a.ts": {"src/*/a.ts"}, "src/$X/a.ts": {"src/*/a.ts"}, "src/Makefile": {"src/Makefile"}, "@docs/a.md": {"docs/a.md"},
		"": nil, "/etc/passwd": nil, "~/x": nil, "../x": nil, "*": nil, "**/*": nil, "path/to/a.go": nil, "your-app/": nil, "foo/": nil, "index.ts": nil, "a,b": nil, "{a,b}/c.ts": {"{a,b}/c.ts"},
	} {
		if text == "./gen" {
			want = []string{"gen"}
		}
		require.Equal(t, want, GlobsOf(text), text)
	}
}

// TestCombined: which command of a block does the work of the others.
func TestCombined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code         []string
		whole, parts []string
	}{
		{[]string{"make lint", "make test # unit", "$ make all # everything at once"}, []string{"make all"}, []string{"make lint", "make test"}},
		{[]string{"# All together", "make all", "", "make lint"}, []string{"make all"}, []string{"make lint"}},
		{[]string{"make dev # all at once, watching"}, nil, []string{"make dev"}},
		{nil, nil, nil},
	} {
		whole, parts := Combined(c.code)
		require.Equal(t, c.whole, whole)
		require.Equal(t, c.parts, parts)
		s := Statement{Code: c.code}
		require.Equal(t, len(whole) > 0, s.CombinesAll("make all"))
	}
	require.False(t, (&Statement{Code: []string{"make all # all at once"}}).CombinesAll("make all"), "there are no others")
}

// TestListing: the files of a list that change together.
func TestListing(t *testing.T) {
	t.Parallel()
	all := Of(&File{Path: "CLAUDE.md", Text: "When adding a page:\n\n- Add it to `docs/list.md`\n- Update `site/nav.yml`\n- Update `docs/my-page.md`\n- If it has pictures, update `pics/list.md`\n- Update `site/opt.yml` if needed\n"})
	paths, sometimes := Listing(&all[0])
	require.Equal(t, []string{"docs/list.md", "site/nav.yml", "docs/*.md", "site/opt.yml"}, paths)
	require.Equal(t, []string{"site/opt.yml"}, sometimes)
	require.Equal(t, Order, all[0].Kind)
	for _, text := range []string{"When adding a page:\n\n- Add it to `docs/list.md`\n", "When adding a page:\n\n- Add it to `docs/list.md`\n- Think\n- Draw it\n", "Pages:\n\n- Add it to `docs/list.md`\n- Update `site/nav.yml`\n", "When you edit any of these files:\n\n- `docs/list.md`\n- `site/nav.yml`\n"} {
		all := Of(&File{Path: "CLAUDE.md", Text: text})
		paths, _ := Listing(&all[0])
		require.Empty(t, paths, text)
	}
}

// TestAsksNothing: what is a record, or is allowed, asks for nothing, and a headline stands for its text.
func TestAsksNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"# A\n\n## Session log\n\n- Ran the tests.": true, "# A\n\n## 2024-05-01\n\n- Added a parser.": true, "# A\n\n## Session log\n\n- Never push.": false, "# A\n\n## Rules\n\n- Ran the tests.": false, "# A\n\n## Recent changes\n\n- Go 1.22 (012-parser)": true,
	} {
		require.Equal(t, want, last(t, text).Records(), text)
	}
	for text, want := range map[string]bool{
		"# Allowed actions\n\n- Run `make x`": true, "You may:\n\n- Run `make x`": true, "# Allowed without asking, unless on main\n\n- Run `make x`": false, "# Allowed without asking\n\n- Run `make x`": true, "# Rules\n\n- **Allowed**: run `make x`": true, "# Rules\n\n- Run `make x`": false,
	} {
		require.Equal(t, want, last(t, text).Granted(), text)
	}
	for text, want := range map[string]bool{"# Optional\n\n- Run `make x`": true, "# Not optional\n\n- Run `make x`": false, "Recommended:\n\n- Run `make x`": true, "# Rules\n\n- Run `make x`": false} {
		require.Equal(t, want, last(t, text).OnlyRecommended(), text)
	}
	require.Equal(t, "**Never push to main.** ", last(t, "- **Never push to main.** It deploys.").Headline().Text)
	require.Nil(t, last(t, "- **Never push to main.** It is allowed for fixes.").Headline())
	require.Nil(t, last(t, "- Never push to main. It deploys.").Headline())
	named := last(t, "- Run `make x`. It must pass before you push.").MustPass()
	require.Len(t, named, 1)
	require.Equal(t, "‹c0› must pass before you push.", named[0].Words)
	require.Empty(t, last(t, "- Never run `make x`. It must pass before you push.").MustPass())
}

// TestIfAbout: how a message names the case of a line.
func TestIfAbout(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"you touch the parser": "If you touch the parser, ", "the parser": "If this is about the parser, ", "when the parser breaks": "When the parser breaks, ", "in the parser": "If this is in the parser, ", "a page changes in a way that shows": "If a page changes in a way that shows, ",
		"the api is new": "If the api is new, ", "the parser unless asked": "If this is about the parser, ", "editing, read the file": "If this is about editing, ",
	} {
		require.Equal(t, want, IfAbout(words), words)
	}
	require.Equal(t, "always", Lowered("Always"))
	require.Equal(t, "CI", Lowered("CI"))
	require.Equal(t, "", Lowered(""))
}
