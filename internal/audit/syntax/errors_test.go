package syntax_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// overlooked are the broken files of testdata/broken in which the grammar of
// Python sees no error. It is recorded here, and is why Errors never says that a
// file of a tree-sitter language has none.
func overlooked() []string {
	return []string{"04_bad_indent.py", "05_three_words.py", "06_bare_import.py", "07_double_assign.py", "08_default_missing.py", "10_else_alone.py", "11_operator_at_end.py"}
}

func TestErrorsAreALowerBound(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/broken/*.py")
	require.NoError(t, err)
	require.Len(t, files, 13)
	missed := []string{}
	for _, path := range files {
		e := syntax.Errors(context.Background(), source(t, filepath.ToSlash(path)))
		require.NoError(t, e.Err)
		require.NotEqual(t, syntax.No, e.Found, path)
		if e.Found == syntax.NotKnown {
			missed = append(missed, filepath.Base(path))
			continue
		}
		require.Positive(t, e.Line, path)
		require.NotEmpty(t, e.Text)
	}
	require.Equal(t, overlooked(), missed)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lang, src string
		found     syntax.Answer
		line      int
	}{
		"go":            {"go", "package p\n", syntax.No, 0},
		"broken go":     {"go", "package p\nfunc {\n", syntax.Yes, 2},
		"empty go":      {"go", "", syntax.Yes, 1},
		"json":          {"json", "{\"a\": [1, null]}", syntax.No, 0},
		"broken json":   {"json", "{\"a\":\n 1,\n}", syntax.Yes, 3},
		"empty json":    {"json", "", syntax.Yes, 1},
		"json and more": {"json", "{}\n{}", syntax.Yes, 2},
		"python":        {"python", "x = 1\n", syntax.NotKnown, 0},
		"typescript":    {"typescript", "let x: = 1;\n", syntax.Yes, 1},
		"javascript":    {"javascript", "class {{\n", syntax.Yes, 1},
		"rust":          {"rust", "fn f( {\n", syntax.Yes, 1},
		"sound rust":    {"rust", "fn f() {}\n", syntax.NotKnown, 0},
		"sound tsx":     {"tsx", "const a = <b/>;\n", syntax.NotKnown, 0},
		"broken markup": {"tsx", "const a = <b>;\n", syntax.Yes, 1},
		"invalid UTF-8": {"python", "\xff\xfe = 1\n", syntax.Yes, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := syntax.Errors(context.Background(), syntax.File{Path: "f", Lang: c.lang, Source: []byte(c.src)})
			require.NoError(t, e.Err)
			require.Equal(t, c.found, e.Found, e.Text)
			require.Equal(t, c.line, e.Line, e.Text)
		})
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, syntax.Errors(ended, syntax.File{Lang: "go"}).Err, context.Canceled)
	require.ErrorIs(t, syntax.Errors(context.Background(), syntax.File{Lang: "cobol"}).Err, syntax.ErrLanguage)
	require.ErrorIs(t, syntax.Errors(context.Background(), syntax.File{Lang: "json", Source: make([]byte, syntax.MaxFile+1)}).Err, syntax.ErrTooLarge)
}

func TestBrokenFilesAreSearchedAsFarAsTheyGo(t *testing.T) {
	t.Parallel()
	for lang, src := range map[string]string{
		"python": "f(1)\ndef (:\n", "go": "package p\nvar _ = f(1)\nfunc {\n", "typescript": "f(1);\nclass {{\n", "javascript": "f(1);\nclass {{\n", "rust": "fn a() { f(1); }\nfn {\n",
	} {
		r := compiled(t, rubric.Probe{Call: "f"}).Find(context.Background(), syntax.File{Path: "f", Lang: lang, Source: []byte(src)})
		require.NoError(t, r.Err, lang)
		require.True(t, r.Broken, lang)
		require.Len(t, r.Hits, 1, lang)
	}
}

// hostile are sources that are to be answered, with whatever answer.
func hostile(n int) map[string]string {
	many := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"nothing": "", "zero bytes": many("\x00"), "invalid": many("\xff\xfe\xc0"), "one line": "x='" + many("a") + "'", "open": many("("), "closed": many("(") + many(")"),
		"brackets": many("["), "braces": many("{"), "plus": "x=1" + many("+1"), "dots": "x" + many(".x"), "calls": "x" + many("()"), "else": many("if(a);else "),
		"choices": many("a?b:"), "arrows": many("a=>"), "templates": many("`${"), "quotes": many("'''a"), "less": many("a<"), "tags": many("<a>"), "not": many("not "),
		"names": many("a "), "go": "package p\nvar x = " + many("("), "go types": "package p\nvar x " + many("[]"), "comment": many("/*"), "aliases": many("a=a\n") + "a()",
		"alias chain": many("a=b;b=a;"), "list": "x=[" + many("'a',") + "]",
	}
}

func TestHostileSourcesAreAnswered(t *testing.T) {
	t.Parallel()
	for name, src := range hostile(40) {
		for _, lang := range syntax.Languages() {
			t.Run(name+" "+lang, func(t *testing.T) {
				t.Parallel()
				askAll(context.Background(), t, syntax.File{Path: "f", Lang: lang, Source: []byte(src)})
			})
		}
	}
}

func TestAMegabyteInOneLineIsAnswered(t *testing.T) {
	t.Parallel()
	src := []byte("x='" + strings.Repeat("a", syntax.MaxFile-5) + "'")
	for _, lang := range []string{"python", "typescript", "javascript"} {
		require.Equal(t, []string{}, lines(t, compiled(t, rubric.Probe{Call: "a"}), lang, string(src)))
	}
	found, err := syntax.Strings(context.Background(), rubric.Strings{}, syntax.File{Path: "f", Lang: "python", Source: src})
	require.NoError(t, err)
	require.Len(t, found, 1)
}

func TestDeepNestingIsTooHard(t *testing.T) {
	t.Parallel()
	for lang, src := range map[string]string{
		"python": "x=1" + strings.Repeat("+1", 6000), "go": "package p\nvar x = 1" + strings.Repeat("+1", 6000),
	} {
		r := compiled(t, rubric.Probe{Call: "a"}).Find(context.Background(), syntax.File{Path: "deep", Lang: lang, Source: []byte(src)})
		require.ErrorIs(t, r.Err, syntax.ErrTooHard, lang)
		require.ErrorContains(t, r.Err, "deep")
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	q := compiled(t, rubric.Probe{Call: "f"})
	for i := range 40 {
		lang := syntax.Languages()[i%6]
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			src := map[string]string{"go": "package p\nvar x = f()\n", "rust": "fn a() {\nf();\n}\n"}[lang]
			if src == "" {
				src = "\nf()\n"
			}
			require.Equal(t, []string{"2-2 f()"}, lines(t, q, lang, src))
		})
	}
}

// askAll asks everything of a file: nothing may panic, and what is not examined is
// an error of the known ones.
func askAll(ctx context.Context, t testing.TB, f syntax.File) {
	known := func(err error) {
		if err != nil {
			require.NotContains(t, err.Error(), "the parser failed", f.Path)
		}
	}
	for _, p := range []rubric.Probe{{Call: "a"}, {Base: "a"}, {Imports: "a"}} {
		known(compiled(t, p).Find(ctx, f).Err)
	}
	known(compiled(t, rubric.Probe{Lang: f.Lang, Query: "(_)"}).Find(ctx, f).Err)
	_, err := syntax.Wire(ctx, &rubric.Probe{}, []syntax.File{f})
	known(err)
	_, err = syntax.Strings(ctx, rubric.Strings{}, f)
	known(err)
	known(syntax.Errors(ctx, f).Err)
}
