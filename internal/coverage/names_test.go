package coverage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListsIn: names are of one list where the line says one thing of them.
func TestListsIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Never use `a`, `b` or `c`.":                      {"a b c"},
		"Never use `a`, nor `b`; never run `c`.":          {"a b c"},
		"No `a()`, no unseeded `b()`, no fetches.":        {"a() b()"},
		"Update `a.md`, specs, API docs, or `b.md`.":      {"a.md b.md"},
		"Run **`a`** and *`b`*/`c` before committing.":    {"a b c"},
		"Never use `a` (or `b`).":                         {"a b"},
		"Never use `a` (or `b`), nor `c`.":                {"a b c"},
		"Never run `a`, `b` (use `x` or `y`), or `c`.":    {"a b c", "x y"},
		"Never run `a` (see `x`). Run `c`.":               {"a", "x", "c"},
		"Never run `a` (see `x`; `y`), or `z`, but `c`.":  {"a z", "x y", "c"},
		"Use `a`, not `b` or `c`.":                        {"a", "b c"},
		"Use `a`, never `b`.":                             {"a", "b"},
		"Never edit `a/`; run `make b` for it.":           {"a/", "make b"},
		"Never edit `a/`, except `a/b`.":                  {"a/", "a/b"},
		"Never run `a` outside of `b/`.":                  {"a", "b/"},
		"Run `a`, which makes `b`.":                       {"a", "b"},
		"Never use `a`. `b` is fine, and `c` too.":        {"a", "b", "c"},
		"Use `a` (`b` for tests): `c`.":                   {"a", "b", "c"},
		"Never use `a`, one of the many old things, `b`.": {"a", "b"},
		"Read `a`.":     {"a"},
		"Nothing here.": nil,
		"Never push to `a`, or to `b`, or merge into `c`.": {"a", "b", "c"},
	} {
		var got []string
		for _, list := range listsIn(text) {
			got = append(got, strings.Join(list.list, " "))
		}
		require.Equal(t, want, got, text)
	}
}

// TestNotHeld: of a line that lists names, those are said that no rule of it is about, or stops in other words.
func TestNotHeld(t *testing.T) {
	t.Parallel()
	const banned = "- Never use `git stash`, `git gc` or `git worktree prune`."
	for name, c := range map[string]struct {
		line, rule string
		want       []string
	}{
		"all":           {banned, "scope: [git stash*, git gc*, git worktree prune*]\nwhen: 'true'", nil},
		"one":           {banned, "scope: [git stash*]\nwhen: 'true'", []string{"git gc", "git worktree prune"}},
		"an expression": {banned, "when: 'cmd.text matches \"^git (stash|gc)\\\\b\"'", []string{"git worktree prune"}},
		"a wide scope":  {banned, "scope: ['git *']\nwhen: 'true'", nil},
		"which warns":   {banned, "severity: warn\nscope: ['git *']\nwhen: 'true'", nil},
		"its exception": {banned, "scope: [git stash*, git worktree prune*]\nexclude: [git gc]\nwhen: 'true'", []string{"git gc"}},
		"its message":   {banned, "scope: [git stash*, git gc*]\nmessage: Leave git worktree prune alone.\nwhen: 'true'", []string{"git worktree prune"}},
		"files":         {"- Never edit `dist/`, `vendor/` or `*.pb.go`.", "trigger: file_write\nscope: [dist/**]\nwhen: 'true'", []string{"vendor/", "*.pb.go"}},
		"a wide folder": {"- Never edit `gen/api.go` or `gen/db.go`.", "trigger: file_write\nscope: [gen/**]\nwhen: 'true'", nil},
		"content": {"- Do not use `eval`, `exec` or `pickle.loads`.",
			"trigger: file_write\nwhen: 'content matches \"\\\\b(eval|pickle\\\\.loads?)\\\\b\"'", []string{"exec"}},
		"a wide word": {"- Do not use `pickle.load` or `pickle.dump`.",
			"trigger: file_write\nwhen: 'content matches \"pickle\\\\.\\\\w+|pickle.load\"'\ntests: [{write: a.py, content: pickle.load(x), expect: violation}]", nil},
		"the other thing":    {"- Use `pnpm`, not `npm`.", "scope: ['npm *', npm]\nwhen: 'true'", nil},
		"commands to run":    {"- Run `make lint` and `make test` before committing.", "scope: [git commit*]\nrequires: {ran: make lint}", []string{"make test"}},
		"a sentence more":    {"- Never amend pushed commits. Never rebase `main`.", "scope: [git commit --amend*]\nwhen: 'true'", []string{"main"}},
		"one that is no ban": {"- Never run `git stash`. Look at `main` first.", "scope: [git stash*]\nwhen: 'true'", nil},
		"a model's":          {banned, "backend: ollama\nprompt: Does it put work away?\nscope: ['git *']", nil},
		"in shadow mode":     {banned, "mode: shadow\nscope: [git stash*]\nwhen: 'true'", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, c.line)
			for _, usual := range []string{"trigger: bash\n", "backend: builtin\n"} {
				if key, _, _ := strings.Cut(usual, " "); !strings.Contains(c.rule, key) {
					c.rule = usual + c.rule
				}
			}
			said := strings.TrimPrefix(c.line, "- ")
			s.write(".claude/sentinel/rules/mine.yaml", "id: mine\nsource: CLAUDE.md:3\nquote: '"+said+"'\n"+c.rule+"\n")
			got := s.of(s.read(), said)
			if !got.Shadow {
				require.Equal(t, []string{"mine"}, got.Rules)
				require.True(t, got.Holds())
			}
			require.Equal(t, append([]string{}, c.want...), got.NotHeld)
			require.Equal(t, len(c.want) > 0, got.Part)
			if len(c.want) > 0 {
				require.Contains(t, got.Said(), "in part: not `"+strings.Join(c.want, "`, `")+"`")
			}
		})
	}
}

// TestHeldByAnother: a call that a rule of another line stops is not left open, one that it warns of is.
func TestHeldByAnother(t *testing.T) {
	t.Parallel()
	for severity, want := range map[string][]string{"block": {}, "ask": {}, "warn": {"git gc"}} {
		s := newShop(t, "- Never use `git stash` or `git gc`.")
		rule := "trigger: bash\nbackend: builtin\nwhen: 'true'\n"
		s.write(".claude/sentinel/rules/mine.yaml", rule+"scope: [git stash*]\nsource: CLAUDE.md:3\nquote: Never use `git stash` or `git gc`.\n")
		s.write(".claude/sentinel/rules/other.yaml", rule+"scope: [git gc*]\nseverity: "+severity+"\n")
		got := s.of(s.read(), "Never use")
		require.Equal(t, []string{"mine"}, got.Rules)
		require.Equal(t, want, got.NotHeld, severity)
	}
}

// TestNotHeldIsBounded: a line with very many names is one line of the report, and each is in the JSON.
func TestNotHeldIsBounded(t *testing.T) {
	t.Parallel()
	line := "- Never use `git stash`"
	for i := range 40 {
		line += ", `git x" + strings.Repeat("x", i) + "`"
	}
	s := newShop(t, line+".")
	s.write(".claude/sentinel/rules/mine.yaml", "id: mine\ntrigger: bash\nbackend: builtin\nsource: CLAUDE.md:3\nscope: [git stash*]\nwhen: 'true'\n")
	got := s.of(s.read(), "Never use")
	require.Len(t, got.NotHeld, 40)
	require.Contains(t, got.Said(), "`git xxxxx` and 35 more")
}
