package syntax_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

func TestBrokenFilesAreSearchedAsFarAsTheyGo(t *testing.T) {
	t.Parallel()
	for lang, src := range map[string]string{
		"python": "f(1)\ndef (:\n", "go": "package p\nvar _ = f(1)\nfunc {\n", "typescript": "f(1);\nclass {{\n", "javascript": "f(1);\nclass {{\n",
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
	found, err := syntax.Strings(context.Background(), regexp.MustCompile(""), syntax.File{Path: "f", Lang: "python", Source: src})
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
		lang := q.Languages()[i%5]
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			src := map[string]string{"go": "package p\nvar x = f()\n"}[lang]
			if src == "" {
				src = "\nf()\n"
			}
			require.Equal(t, []string{"2-2 f()"}, lines(t, q, lang, src))
		})
	}
}

// askAll asks everything of a file: nothing may panic, and anything that is not examined
// gives one of the known errors.
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
	_, err = syntax.Strings(ctx, regexp.MustCompile(""), f)
	known(err)
}
