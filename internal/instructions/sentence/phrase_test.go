package sentence

import (
	"fmt"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// brief is a phrase in one line: its words, and its terms with their kinds. Those in `code` have its marks.
func brief(p *Phrase) string {
	s := p.Words
	for _, t := range p.Terms {
		mark := ""
		if t.Code {
			mark = "`"
		}
		s += fmt.Sprintf(" | %c %s%s%s", t.Kind, mark, t.Text, mark)
	}
	return s
}

// TestNewPhrase: what a sentence is to a form.
func TestNewPhrase(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":         "",
		"` `":      "",
		"An ` end": "an ` end",

		// commands
		"Run `npm test` before **every** commit!":       "run ‹c0› before every commit! | c `npm test`",
		"Use `pnpm`, not `npm`.":                        "use ‹c0›, not ‹c1›. | c `pnpm` | c `npm`",
		"Never run terraform apply.":                    "never run ‹c0›. | c `terraform apply`",
		"Run make lint, then wait.":                     "run ‹c0›, then wait. | c `make lint`",
		"Run pre-commit before pushing.":                "run ‹c0› before pushing. | c pre-commit run",
		"Never use `git push --force` or `git push`.":   "never use ‹c0› or ‹c1›. | c `git push --force` | c `git push`",
		"Run `.\\build.cmd all`.":                       "run ‹c0›. | c `./build.cmd all`",
		"Before applying, run `terraform plan`.":        "before ‹c1›, run ‹c0›. | c `terraform plan` | c `terraform apply`",
		"Never run `scripts/deploy.sh` directly.":       "never run ‹c0› directly. | c `scripts/deploy.sh`",
		"Run `tools/gen.ts`.":                           "run ‹c0›. | c `tools/gen.ts`",
		"Run `tools/gen.test.ts`.":                      "run ‹p0›. | p `tools/gen.test.ts`",
		"Use `./mill`, not `mill`.":                     "use ‹c0›, not ‹c1›. | c `./mill` | c `mill`",
		"Call the `mcp__files__read_file` tool.":        "call the ‹c0› tool. | c `*:read_file`",
		"Use the `get_symbols` tool.":                   "use the ‹c0› tool. | c `*:get_symbols`",
		"Run the `review` skill.":                       "run the ‹t0› skill. | t `review`",
		"After code changes: `acme build`":              "after code changes: ‹c0› | c `acme build`",
		"Pre-commit hooks run by themselves.":           "pre-commit hooks run by themselves.",
		"Never run npm/yarn/pnpm.":                      "never run ‹c0› / ‹c1› / ‹c2›. | c npm | c yarn | c pnpm",
		"Never run rm -rf /.":                           "never run ‹c0›. | c `rm -rf /`",
		"Use go generics.":                              "use go generics.",
		"Do not forget to run `make x`.":                "always run ‹c0›. | c `make x`",
		"Run `acme one` or `acme two`, never `b two c`": "run ‹c0› or ‹c1›, never ‹t2› | c `acme one` | c `acme two` | t `b two c`",

		// options
		"Pass `--frozen` to it.": "pass ‹f0› to it. | f `--frozen`",
		"Never use --no-verify.": "never use ‹f0›. | f --no-verify",

		// paths
		"Never edit `gen/`.":                     "never edit ‹p0›. | p `gen/`",
		"Edit src/a.go or docs/b.md by hand.":    "edit ‹p0› or ‹p1› by hand. | p src/a.go | p docs/b.md",
		"Edit `.env` or .env.local.":             "edit ‹p0› or ‹p1›. | p `.env` | p .env.local",
		"Look in .github for it.":                "look in ‹p0› for it. | p .github/",
		"Anything in `vendor` is generated.":     "anything in ‹p0› is generated. | p `vendor/`",
		"Delete the `dist` folder.":              "delete the ‹p0› folder. | p `dist/`",
		"Leave the vendor directory.":            "leave the ‹p0› directory. | p vendor/",
		"Never commit `build.log`.":              "never commit ‹p0›. | p `build.log`",
		"Never read `build.log`.":                "never read ‹t0›. | t `build.log`",
		"Never touch `.xyz` files.":              "never touch ‹p0› files. | p `**/*.xyz`",
		"Never edit the Makefile.":               "never edit the ‹p0›. | p Makefile",
		"Keep client/server and docs/tests.":     "keep client/server and docs/tests.",
		"Use the extension `.foo.bar`.":          "use the extension ‹p0›. | p `**/*.foo.bar`",
		"Never use x (allowed in `a/`).":         "never use x (except in ‹p0›). | p `a/`",
		"Never use x; in `a/` it is fine.":       "never use x; except in ‹p0›. | p `a/`",
		"Never use x (tests excepted).":          "never use x (except tests).",
		"`web/` build output is not committed.":  "‹p0› files is not committed. | p `web/`",
		"`/core/` - the kernel (read-only)":      "‹p0› - the kernel (read-only) | p `core/`",
		"See https://example.com/a.md and a@b/c": "see https://example.com/a.md and a@b/c",

		// names
		"Never use `fmt.Println()`.":          "never use ‹t0›. | t `fmt.Println()`",
		"Never use console.log or os.system.": "never use ‹t0› or ‹t1›. | t `console.log` | t `os.system`",
		"Never use `Enum.map/2`.":             "never use ‹t0›. | t `Enum.map()`",
		"Never use HttpClient.":               "never use ‹t0›. | t `HttpClient`",
		"Never use GitHub or e.g. it.":        "never use github or e.g. it.",
		"Use NewOne instead of OldOne.":       "use ‹t0› instead of ‹t1›. | t `NewOne` | t `OldOne`",
		"Never commit: keys, dumps.":          "never commit keys, dumps.",
		"Never commit: we lost a key.":        "never commit: we lost a key.",

		// links
		"See [the guide](docs/guide.md) first.": "see ‹p0› first. | p `docs/guide.md`",
		"See [a](b.md#c), ![d](./e.md).":        "see a, ‹p0›. | p `e.md`",
		"See [it](https://example.com/a.md).":   "see it.",
		"See [`a`](b.md) and `[c](d.md)`.":      "see ‹t0› and ‹t1›. | t `a` | t `[c](d.md)`",

		// other scripts and signs
		"不要提交 `.env`。":                "do not commit ‹p0›, | p `.env`",
		"禁止使用 `any`":                  "do not use ‹t0› | t `any`",
		"Prefer ‹c0› over ›.":         "prefer <c0> over >.",
		"Prefer `‹c0›`.":              "prefer ‹t0›. | t `<c0>`",
		"⚠️ “A” isn’t -> ≥ 1 ✅":       "\"a\" isn't → >= 1",
		"Never _ever_ do ~~x~~ **y**": "never ever do x y",
	} {
		p := NewPhrase(said)
		require.Equal(t, want, brief(&p), "%q", said)
		require.Equal(t, said, p.Quote)
		checkPhrase(t, &p)
	}
}

// checkPhrase holds what is so for each phrase: its marks are those of its terms.
func checkPhrase(t *testing.T, p *Phrase) {
	t.Helper()
	for _, m := range Mark.Get().FindAllString(p.Words, -1) {
		term := p.TermIn(m)
		require.Equal(t, fmt.Sprintf("‹%c", term.Kind), m[:len("‹")+1], brief(p))
		require.Contains(t, p.TermsIn(p.Words), *term)
	}
	rest := Mark.Get().ReplaceAllString(p.Words, "")
	require.NotContains(t, rest, "‹", brief(p))
	require.NotContains(t, rest, "›", brief(p))
	require.NotRegexp(t, `‹\w\d+›`, p.InWords(p.Words), "names have no marks")
}

// FuzzNewPhrase: so it is for any sentence, and for the phrases that it is split into.
func FuzzNewPhrase(f *testing.F) {
	for _, seed := range []string{
		"", "`", "Never run `rake db:drop` or `db:reset`; do not use npm/yarn.", "See [a](b.md), ![c](`d`)", "Before applying, run `pulumi preview`.", "ask before: new files, edits to `a`, or running npm install.",
		"‹c0› ›‹ ‹t99›", "Do not commit `a.log`, `b.tmp` and `c`.", "run NPM Install it", "不要提交 `.env`。", "Use `./mill`, not `mill`. The `.x` files", "never push to main; never use `a`", "Call mcp tool `get_x` or `b_c`", "run ma\u212ae all, \u0130npm",
		"Never commit keys, edit `vendor/`, or run `x`.", "Anything in `src` or `/a/` - x (read-only), \\.\\a.cmd", "`HOST=x /bin/a b` `$ cd a` `a/1` `é/`",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, said := range Sentences(text) {
			p := NewPhrase(said)
			checkPhrase(t, &p)
			require.True(t, utf8.ValidString(p.Words) || !utf8.ValidString(said), "%q", p.Words)
			p.ShareProgram()
			p.ShareObjects()
			all := append(append(p.Acts(), p.Prohibitions()...), p.Demands()...)
			if ban, ok := p.Pointed(); ok {
				all = append(all, ban)
			}
			for i := range all {
				checkPhrase(t, &all[i])
				require.Equal(t, said, all[i].Quote)
			}
			_, _, _ = p.NamedFolder(), p.OfThings(), p.Later()
			_ = p.WordsIn(p.Words)
		}
	})
}

// TestPhrasesAreApart: what one reader of a sentence changes in its phrase is not seen by another.
func TestPhrasesAreApart(t *testing.T) {
	t.Parallel()
	const line = "Never push `main` and run `make test` before you commit."
	want := NewPhrase(line)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			p := NewPhrase(line)
			for i := range p.Terms {
				p.Terms[i].Text = "other"
			}
		})
	}
	wait.Wait()
	require.Equal(t, "main", want.Terms[0].Text)
	require.Equal(t, want, NewPhrase(line))
}

// TestSentences: where a sentence ends.
func TestSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                  nil,
		"One. Two! Three? four":             {"One.", "Two!", "Three? four"},
		"In `a. B` it goes on. **Yes.** No": {"In `a. B` it goes on.", "**Yes.**", "No"},
		"Use e.g. X, i.e. Y, etc. Z.":       {"Use e.g. X, i.e. Y, etc. Z."},
		"1. First 2. Second":                {"1. First 2. Second"},
		"Go 1.22. Then a.b.":                {"Go 1.22.", "Then a.b."},
		"(See it.) Next":                    {"(See it.)", "Next"},
		"一。二。":                              {"一。", "二。"},
		"x... Y":                            {"x...", "Y"},
		"Never\u200a":                       {"Never"},
	} {
		require.Equal(t, want, Sentences(text), "%q", text)
		require.Len(t, Phrases(text), len(want))
	}
}

// TestKindOf: what a text in `code` is.
func TestKindOf(t *testing.T) {
	t.Parallel()
	for kind, texts := range map[byte][]string{
		Command: {"npm test", "$ npm test", "X=1 npm test", "X=1 /opt/a b", "cd a", "make", "make x", "./run.sh a", "scripts/x a", "foo.sh x"},
		Flag:    {"-f", "--force", "--a=b c"},
		File: {"./run.sh", "run.sh", "*.go", "*.xlf", "a.config.*", "eslint.config.js", "a/b", "a/", "~/a", "Makefile", ".env", "node_modules", "README.md", ".gitignore", ".tool-versions", "src/**/*.{a,b}",
			".github/", "go.sum"},
		Name: {"", " ", "=", "A=", "A=1 ", "-", "cd", "a b", "process.env.X", "github.com/a/b", "golang.org/x/a", "/a/b", "/", "@scope/a", "https://a.b/c.md", "f()", "a.b", ".then(", ".map", "<T>.ts", "GET /a", "README",
			"foo.sh x -> y", "see a.config.*", "été/", "any"},
	} {
		for _, text := range texts {
			require.Equal(t, string(kind), string(KindOf(text)), "%q", text)
		}
	}
}
