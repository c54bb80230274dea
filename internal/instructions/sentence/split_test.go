package sentence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// words are those of some phrases.
func words(list []Phrase) (all []string) {
	for _, p := range list {
		all = append(all, p.Words)
	}
	return all
}

// TestActs: a sentence that forbids several acts is a phrase for each of them.
func TestActs(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{
		"Never commit secrets, edit `vendor/`, or run `x`.":               {"never commit secrets", "never edit ‹p0›", "never run ‹c0›"},
		"**Never** push to main or edit `a/` unless asked.":               {"never push to main unless asked", "never edit ‹p0› unless asked"},
		"Do not edit, move or delete `a/`, or run `b c`.":                 {"never edit, move or delete ‹p0›", "never run ‹c0›"},
		"Ask first: new dependencies, changes to `api/`, deleting files.": {"ask before new dependencies", "ask before changes to ‹p0›", "ask before deleting files"},
		"Ask the user before adding packages or running `make x`.":        {"ask before adding packages", "ask before running ‹c0›"},
		"Requires approval: adding packages, editing `ci/`":               {"ask before adding packages", "ask before editing ‹p0›"},
		"Never run `a b`, use `c d`.":                                     nil, // what to do instead
		"Never run `a b` and edit `c/`.":                                  nil,
		"Do not forget to run `a b` or edit `c/`.":                        nil,
		"Never run `a, edit b or push c`.":                                nil,
		"Never add pull requests, merge commits or log files.":            nil, // nouns
		"Editing `a/` requires approval.":                                 nil,
		"Run `a b` or edit `c/`.":                                         nil,
		"Never edit a/, b/":                                               nil,
		"Never run `a b`, add `c/` or push.":                              nil,
	} {
		p := NewPhrase(said)
		acts := p.Acts()
		require.Equal(t, want, words(acts), said)
		for i := range acts {
			require.Equal(t, said, acts[i].Quote)
			checkPhrase(t, &acts[i])
		}
	}
	for n := range MaxDrafts + 2 {
		p := NewPhrase("Never: " + strings.Repeat("edit `a/`, ", n) + "run `b`.")
		want := n + 1
		if want == 1 || want > MaxDrafts {
			want = 0
		}
		require.Len(t, p.Acts(), want)
	}
}

// TestProhibitions: two prohibitions of a sentence are a phrase each, and so are two demands, and two pairs.
func TestProhibitions(t *testing.T) {
	t.Parallel()
	act := func(text string) Term { return Term{Kind: 'a', Text: text} }
	p := Phrase{Terms: []Term{act("commit"), act("push"), {Kind: Name, Text: "main"}, CommandTerm("make x"), CommandTerm("make"), {Kind: Name, Text: "DROP TABLE"}, {Kind: Flag, Text: "-f"}, {Kind: Name, Text: "==="}}}
	for said, want := range map[string][]string{
		"never ‹a0› a, never ‹a1› b.":              {"never ‹a0› a", "never ‹a1› b."},
		"in ‹p2›: never ‹a0›, never ‹a1›.":         {"in ‹p2›: never ‹a0›", "in ‹p2›: never ‹a1›."},
		"never use ‹t2›; never run ‹c3›.":          {"never use ‹t2›", "never run ‹c3›."},
		"in ‹p2›, never use ‹t2›; avoid ‹c3›":      {"in ‹p2›, never use ‹t2›", "in ‹p2›, avoid ‹c3›"},
		"never use ‹t2›; for x, never run ‹c3›":    {"never use ‹t2›; for x, never run ‹c3›"},
		"never use ‹t2›; run ‹c3›":                 {"never use ‹t2›; run ‹c3›"},
		"never run ‹c3› or ‹a1› to ‹t2›.":          {"never run ‹c3›.", "never ‹a1› to ‹t2›."},
		"never ‹a0› or ‹a1› to ‹t2›":               {"never ‹a0› or ‹a1› to ‹t2›"}, // the branch is that of both
		"never ‹a0› a or ‹c3›":                     {"never ‹a0› a or ‹c3›"},
		"never ‹a0› to ‹t2› or ‹a1› unless asked.": {"never ‹a0› to ‹t2› unless asked.", "never ‹a1› unless asked."},
		"never run ‹c3›, and never run ‹c4›.":      {"never run ‹c3›", "never run ‹c4›."},
		"never use ‹t2› or do not run ‹c3›":        {"never use ‹t2›", "do not run ‹c3›"},
		"never run ‹c3› and never ‹a0› if x":       {"never run ‹c3› and never ‹a0› if x"}, // the limit may be that of both
		"never a (if ‹t2›, never run ‹c3›)":        {"never a (if ‹t2›, never run ‹c3›)"},
		"never use ‹c3›, ‹t2› or ‹a0› now.":        {"never use ‹c3› or ‹a0› now.", "never use ‹t2› now."},
		"never use ‹c3›, ‹t2› or ‹c4›":             {"never use ‹c3›, ‹t2› or ‹c4›"}, // the program may be a name in code
		"never use ‹c3› or ‹t7›":                   {"never use ‹c3› or ‹t7›"},
		"never use ‹c3› or ‹t2› for x":             {"never use ‹c3› or ‹t2› for x"},
		"never use ‹c3› / ‹f6›":                    {"never use ‹c3› / ‹f6›"},
		"never use ‹c3› or ‹t5›":                   {"never use ‹c3› or ‹c8›"},
		"never run ‹c3› (use ‹c4›), ‹a0› or ‹a1›":  {"never run ‹a0› or ‹a1›", "never run ‹c3› (use ‹c4›)."},
	} {
		p.Words = said
		got := p.Prohibitions()
		require.Equal(t, want, words(got), said)
		if len(got) > 1 {
			got[0].Terms[0].Text = "other"
			require.Equal(t, []string{"commit", "commit"}, []string{p.Terms[0].Text, got[1].Terms[0].Text}, "phrases are apart")
		}
	}
	for said, want := range map[string][]string{
		"Run `make a` before each push and `make b` when x changes.":      {"run ‹c0› before each push", "run ‹c1› when x changes."},
		"Never run `make a` before each push and `make b` when x changes": {"never run ‹c0› before each push and ‹c1› when x changes"},
		"Use `a b` instead of `c d` and `e f` over `g h`, `i j` over `k`": {"use ‹t0› instead of ‹t1›", "use ‹t2› over ‹t3›", "use ‹t4› over ‹t5›"},
		"Use `a b` instead of `c d`, `e` or `f` and `g h` over `k`.":      {"use ‹t0› instead of ‹t1›, ‹t2› or ‹t3›", "use ‹t4› over ‹t5›."},
		"Run `make a`.": {"run ‹c0›."},
	} {
		p := NewPhrase(said)
		require.Equal(t, want, words(p.Demands()), said)
	}
}

// TestShared: what several commands, verbs or objects share is written out.
func TestShared(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Never run `rake db:drop`, `db:reset` or `x`.":  "never run ‹c0›, ‹c3› or ‹t2›. | c `rake db:drop` | t `db:reset` | t `x` | c `rake db:reset`",
		"Never run `go vet` or `db:reset`.":             "never run ‹c0› or ‹t1›. | c `go vet` | t `db:reset`",
		"Never merge or close pull requests.":           "never merge pull requests or close pull requests.",
		"Never create issues or pull requests.":         "never create issues or create pull requests.",
		"You merge or close pull requests.":             "you merge or close pull requests.",
		"Do not add or remove packages, or push tags.":  "do not add packages or remove packages, or push tags.",
		"Ask before installing dependencies and issues": "ask before installing dependencies and installing issues",
	} {
		p := NewPhrase(said)
		p.ShareProgram()
		p.ShareObjects()
		require.Equal(t, want, brief(&p), said)
	}
	for cmd, want := range map[string]string{"git push": "push", "git push -f": "force-push", "git merge": "merge", "git log": ""} {
		p := NewPhrase("Run `" + cmd + "`")
		got := p.ActOnBranch("‹c0› now")
		if want == "" {
			require.Equal(t, "‹c0› now", got)
			continue
		}
		require.Equal(t, "‹a1› now", got)
		require.Equal(t, Term{Kind: 'a', Text: want}, p.Terms[1])
	}
}

// TestPointed: a ban that points to the name of its sentence is one of that name.
func TestPointed(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"`leaky()` leaks sockets. Do not use it.":     "never use ‹t0›. | t `leaky()`",
		"`make x` is slow, so never run it yourself.": "never run ‹c0›. | c `make x`",
		"`make x` is slow; avoid it.":                 "avoid running ‹c0›. | c `make x`",
		"The script `bin/a` is old: do not use it.":   "never run ‹c0›. | c `bin/a`",
		"`--fast` loses data. Never pass it.":         "never pass ‹f0›. | f `--fast`",
		"`leaky()` is fine. Never import this here":   "never import ‹t0›. | t `leaky()`",
		"If `leaky()` is slow, do not use it.":        "",
		"`leaky()` fails on windows. Do not use it.":  "",
		"`docs/a.md` is old. Do not use it.":          "",
		"`a()` is `b()`. Do not use it.":              "",
		"`leaky()` leaks sockets.":                    "",
	} {
		p := NewPhrase(said)
		ban, ok := p.Pointed()
		require.Equal(t, want != "", ok, said)
		if ok {
			require.Equal(t, want, brief(&ban), said)
			require.Equal(t, said, ban.Quote)
		}
	}
}

// TestCommands: the program of a command, and the command that a name is.
func TestCommands(t *testing.T) {
	t.Parallel()
	for cmd, want := range map[string]string{"go vet ./...": "go", "A=1 B= go vet": "go", "make": "make", "": "", "A=1": "A=1"} {
		require.Equal(t, want, Program(cmd), cmd)
	}
	for text, want := range map[string]string{
		"$ make x # all": "make x", "make x:": "make x", "npm lint": "npm run lint", "npm lint:fix -- --x": "npm run lint:fix -- --x", "npm install": "npm install", "npm": "npm",
		"./run": "./run", "bin/run": "bin/run", "a.sh": "a.sh", "tools/a.py": "tools/a.py", "./a.ts": "./a.ts", "docs/a.md": "", "./report.xml": "", "src/": "", "./bin/": "",
	} {
		require.Equal(t, want, Cleaned(Term{Kind: KindOf(text), Text: text}), text)
	}
}

// TestWords: verbs at the beginning of a sentence, and what is about all work.
func TestWords(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"run it": true, "always run it": true, "then, run it": false, "please also run it": true, "step 2 run it": true, "run": false, "run: it": false, "test is slow": false, "set of them": false, "the run": false, "": false,
	} {
		require.Equal(t, want, StartsVerb(said), said)
	}
	for verb, forms := range map[string]string{"edit": "edits editing edited", "move": "moves moving moved", "copy": "copying copied copies", "commit": "committing committed", "push": "pushes"} {
		require.Subset(t, Inflected(verb), strings.Fields(forms), verb)
	}
	require.True(t, Gerunds()["run"] && Gerunds()["running"])
	require.False(t, Gerunds()["runs"])
	for said, want := range map[string]bool{"any code changes": true, "each pull request": true, "finishing the work": true, ReadAlready + " the tests": true, "the parser": false, "a string": false, "adding a codec": false, "": true} {
		require.Equal(t, want, AllCases(said), said)
	}
	for said, want := range map[string]bool{"Every label has a translation; verify with `make labels`.": true, "Every change has tests; verify with `make labels`.": false, "Labels have translations.": false} {
		p := NewPhrase(said)
		require.Equal(t, want, p.OfThings(), said)
	}
	for said, want := range map[string]bool{
		"Run `make x` (planned).": true, "Run `make x` once the migration lands.": true, "Planned: run `make x`.": true, "Use `a()` (not yet available).": true, "In the future, use `a()`.": true, "It will be enforced later.": true,
		"Run `make x` once the tests pass.": false, "Run `make x`.": false,
	} {
		p := NewPhrase(said)
		require.Equal(t, want, p.Later(), said)
	}
}

// TestParts: the names in a part of a sentence, and the folder that a title names.
func TestParts(t *testing.T) {
	t.Parallel()
	p := NewPhrase("Never run `make x` or `make x` in `a/b`, with the `y`")
	p.Words += " " + p.Add('a', "force-push", false)
	require.Equal(t, []Term{CommandTerm("make x"), {Kind: File, Text: "a/b", Code: true}, {Kind: Name, Text: "y", Code: true}, {Kind: 'a', Text: "force-push"}}, p.TermsIn(p.Words))
	require.Equal(t, []Term{{Kind: File, Text: "a/b", Code: true}, {Text: "with"}, {Text: "the"}}, p.WordsIn("‹p2›, with the"))
	require.Equal(t, "never run make x or make x in a/b, with the y force push", p.InWords(p.Words))
	for title, want := range map[string]string{
		"`web/`": "web/", "The `web/app` package": "web/app/", "Web app (`web/`)": "web/", "In `./web/`": "web/", "When you work in `web/`:": "web/", "Pages of the app in `web/`": "web/", "In the acme-core folder": "acme-core/",
		"Not in `web/`": "", "Run from `web/`": "", "`web/a.json`": "", "In `*/web/`": "", "In `web`": "", "Rules": "", "": "",
	} {
		p := NewPhrase(title)
		require.Equal(t, want, p.NamedFolder(), title)
	}
}
