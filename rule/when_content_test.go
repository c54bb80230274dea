package rule

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
)

// TestContentOfDeletion holds that a condition on the new content is never what a
// deletion violates, and that all others still are.
func TestContentOfDeletion(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]bool{
		`not (content contains "SPDX")`:                         false,
		`path endsWith ".go" and not (content contains "SPDX")`: false,
		`content == ""`: false,
		`not (path endsWith ".md" or content contains "SPDX")`:                         false,
		`let text = lower(content); not (text contains "spdx")`:                        false,
		`path startsWith "src/" or not (content contains "SPDX")`:                      true,
		`path startsWith "src/"`:                                                       true,
		`operation == "delete" and path startsWith "src/"`:                             true,
		`not (content contains "SPDX" and path endsWith ".md")`:                        true,
		`any(removes, # endsWith ".go") and (content == "" or path startsWith "src/")`: true,
		`len(secrets(content)) > 0`:                                                    false,
	} {
		r := build(t, "id: r\ntrigger: file_write\nbackend: builtin\nwhen: |\n  "+when+"\nmessage: m\n", nil)
		for _, op := range []sentinel.Op{sentinel.OpDelete, sentinel.OpMove, sentinel.OpCreate} {
			a := sentinel.Action{Trigger: sentinel.FileWrite, Op: op, Path: "src/a.go", Target: "src/a.go", Forms: []string{"src/a.go"}, Root: "/p", Dir: "/p"}
			got, err := r.When(context.Background(), &a, sentinel.Match{OK: true})
			require.NoError(t, err, when)
			if op == sentinel.OpDelete {
				require.Equal(t, want, got, when)
			}
		}
	}
	require.Equal(t, `a ==`, withoutContent(`a ==`), "what cannot be parsed stays as it is")
}

// TestAdds: what a file has already may stay, and one more may not come.
func TestAdds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "old.ts"), []byte("any\nany\n"), 0o600))
	for name, c := range map[string]struct {
		path, content, old, agent string
		op                        sentinel.Op
		adds                      bool
	}{
		"a new file":              {"new.ts", "any", "", "", sentinel.OpCreate, true},
		"a new file without":      {"new.ts", "many", "", "", sentinel.OpCreate, false},
		"an edit that keeps":      {"old.ts", "x: any = 1", "x: any", "", sentinel.OpEdit, false},
		"an edit with one more":   {"old.ts", "any, any", "any", "", sentinel.OpEdit, true},
		"an edit with one less":   {"old.ts", "any", "any, any", "", sentinel.OpEdit, false},
		"an edit that puts it in": {"old.ts", "any", "x", "", sentinel.OpEdit, true},
		"a file as it was":        {"old.ts", "any any", "", "", sentinel.OpCreate, false},
		"a file with one more":    {"old.ts", "any any any", "", "", sentinel.OpCreate, true},
		"an addition":             {"old.ts", "any", "", "", sentinel.OpAppend, true},
		"lines of a commit":       {"old.ts", "any", "", commit, sentinel.OpCreate, true},
		"changes of a commit":     {"old.ts", "any", "any", commit, sentinel.OpEdit, false},
		"a file that was moved":   {"new.ts", "any", "any", commit, sentinel.OpCreate, false},
		"a deletion":              {"old.ts", "", "", "", sentinel.OpDelete, false},
	} {
		a := written(dir, c.op, c.path, c.old, c.content)
		a.Agent = c.agent
		for when, want := range map[string]bool{`addsMatch("\\bany\\b")`: c.adds, `not addsMatch("\\bany\\b") and path == "none"`: false} {
			require.Equal(t, want, holds(t, when, a), "%s: %s", name, when)
		}
	}
	moved := written(dir, sentinel.OpCreate, "new.ts", "any", "any")
	moved.Agent = commit
	require.True(t, holds(t, `old_content == ""`, moved))
	require.ErrorContains(t, checkWhen(`addsMatch("(")`, sentinel.FileWrite, ""), "missing closing )")
	require.Error(t, checkWhen(`addsMatch("a")`, sentinel.Bash, ""))
}

// written is a write of one file.
func written(dir string, op sentinel.Op, path, old, content string) *sentinel.Action {
	return &sentinel.Action{Trigger: sentinel.FileWrite, Op: op, Path: path, Target: path, Forms: []string{path}, Content: content, Old: old, Root: dir, Dir: dir, Certain: true}
}

// holds is what an expression comes to.
func holds(t *testing.T, when string, a *sentinel.Action) bool {
	t.Helper()
	w, err := compileWhen(about(a, when))
	require.NoError(t, err)
	got, err := w.eval(t.Context(), a, sentinel.Match{OK: true})
	require.NoError(t, err)
	return got
}

// TestAddsTexts: each text that a pattern matches counts by itself, without the signs around
// it, and each occurrence counts.
func TestAddsTexts(t *testing.T) {
	t.Parallel()
	const bordered = "(^|[^\\w$])any($|[^\\w$])"
	for name, c := range map[string]struct {
		pattern, old, content string
		adds                  bool
	}{
		"the same text elsewhere":     {`\b\w+: any`, "a: any\nb: x", "b: x\na: any", false},
		"another text of the pattern": {`\b\w+: any`, "a: any\nb: x", "a: x\nb: any", true},
		"one text of two is gone":     {`\b\w+: any`, "a: any\nb: any", "b: any", false},
		"other signs around it":       {bordered, "(any)", " any;", false},
		"another indentation":         {`(?m)^\s*import foo$`, "import foo", "\n    import foo", false},
		"one more next to it":         {bordered, "any", "any any", true},
		"as many next to each other":  {bordered, "any any any any", "any,any,any,any", false},
		"one more of many":            {bordered, "any any any", "any any any any", true},
		"one less of many":            {bordered, "any\nany\nany\nany", "any any any", false},
		"not in a longer word":        {bordered, "any many", "many any any$", false},
		"calls in calls":              {`\b\w+\(`, "f(g(x))", "g(f(x))", false},
		"names one after the other":   {`(^|\W)[a-z]+(\W|$)`, "a b c", "c b a", false},
		"greedy signs around it":      {`(^|\W+)any(\W+|$)`, " any any ", " any any any ", true},
		"as many, greedy":             {`(^|\W+)any(\W+|$)`, " any any any ", " any  any, any ", false},
		"one more name of many":       {`(^|\W)[a-z]+(\W|$)`, "a b c", "a b c b", true},
		"signs alone":                 {`;;`, "a;;", "a;;;;", true},
		"signs as before":             {`;;`, "a;;", ";;b", false},
		"signs and words":             {`;;|any;`, "any; ;;", ";; any;", false},
		"nothing is found twice":      {`\S+;?`, "any; x", "x x", true},
		"the rest of a line":          {`(?m)^import [^\n]*"(?<name>foo)"`, `import a from "foo"`, `import a, b from "foo"`, false},
		"one more such line":          {`(?m)^import [^\n]*"(?<name>foo)"`, `import a from "foo"`, "import a, b from \"foo\"\nimport c from \"foo\"", true},
		"one of two groups":           {`use (?<a>foo)|(?<b>foo)!`, "use foo", "foo! x", false},
		"letters outside of ASCII":    {`(^|\s)é+(\s|$)`, "é", "é é", true},
	} {
		when := "addsMatch(" + strconv.Quote(c.pattern) + ")"
		require.Equal(t, c.adds, holds(t, when, written("/p", sentinel.OpEdit, "a.ts", c.old, c.content)), name)
	}
}

// TestAddsToWhichFile: only the file that a write replaces is looked at, and that of no project
// where a rule's cases are tried.
func TestAddsToWhichFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "old.ts"), []byte("any\n"), 0o600))
	rewrite := written(dir, sentinel.OpCreate, "old.ts", "", "any")
	require.False(t, holds(t, `addsMatch("any")`, rewrite))
	imagined := *rewrite
	imagined.Past = &facts.Session{Imagined: true}
	require.True(t, holds(t, `addsMatch("any")`, &imagined))
	guessed := *rewrite
	guessed.Certain = false
	require.False(t, holds(t, `addsMatch("any")`, &guessed), "a guess about one file")
	guessed.Forms = []string{"old.ts", "new.ts"}
	require.True(t, holds(t, `addsMatch("any")`, &guessed), "one of several files, or all")
}

// TestAddsTooLate: where a file is written already, nothing can be compared with it.
func TestAddsTooLate(t *testing.T) {
	t.Parallel()
	const when = "\nwhen: content != \"\" and addsMatch(\"any\")\n"
	for text, want := range map[string]string{
		"trigger: file_write\nbackend: builtin" + when:                                                    "",
		"trigger: file_write\nbackend: builtin\nphase: stop" + when:                                       "f.yaml:4:25: `when`: addsMatch compares a write with the file before it, and with `phase: stop` the rule is judged at the end of the turn, when the file is written already: take `phase` out, or addsMatch out of the expression\n",
		"trigger: file_write\nseverity: info\npost: true\nprompt: p" + when:                               "f.yaml:5:25: `when`: addsMatch compares a write with the file before it, and with `post: true` the rule is judged after the tool has run, when the file is written already: take `post` out, or addsMatch out of the expression\n",
		"also: {changed: [a], with: [b], by: [commit, turn]}" + when:                                      "f.yaml:2:25: `when`: addsMatch compares a write with the file before it, and `by: turn` judges a write at the end of the turn, when the file is written already: take `turn` out of `by`, or addsMatch out of the expression\n",
		"trigger: file_write\nbackend: builtin\nphase: stop\nwhen: 'content contains \"addsMatch(x)\"'\n": "",
	} {
		f := Parse("f.yaml", []byte(text))
		require.Equal(t, want, report(f.Problems), text)
		require.Equal(t, want != "", f.Broken(), text)
	}
}

// TestPatternsAreBounded: a pattern is compiled once, however often it is tried, and an expression that
// makes patterns of what is written does not fill the memory.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	compiled := func(pattern string) *regexp.Regexp {
		re, err := compileRegexp(pattern)
		require.NoError(t, err)
		return re
	}
	long := strings.Repeat("x", compiledPatterns.Bytes+1)
	first := compiled("kept0")
	for i := range 5 * compiledPatterns.Texts {
		re, err := compileRegexp(fmt.Sprintf("kept%d", i))
		require.NoError(t, err)
		require.True(t, re.MatchString(fmt.Sprintf("kept%d", i)))
		_, err = compileRegexp(long)
		require.NoError(t, err)
		_, err = compileRegexp("(")
		require.Error(t, err)
	}
	require.NotSame(t, first, compiled("kept0"), "it was forgotten: no more than %d are kept", compiledPatterns.Texts)
	require.NotSame(t, compiled(long), compiled(long), "a long one is not kept")
}
