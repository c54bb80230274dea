package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	markdowntext "github.com/yuin/goldmark/text"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/text"
)

var (
	colours   = regexp.MustCompile("\x1b\\[[0-9]+m")
	tag       = regexp.MustCompile(`</?[a-zA-Z!][a-zA-Z0-9]*`)
	bracket   = regexp.MustCompile(`(^|[^\\])(\\\\)*[\[\]]`)
	reference = regexp.MustCompile(`@|(^|[^&])#[0-9]|(?i:www\.)`)
)

// hostileTexts are what a repository, a document or a model may say to be more
// than text in a report.
func hostileTexts() []string {
	return []string{
		"plain",
		"[x](javascript:alert(1)) [y][z] [^1] [ ]\n\n[z]: https://evil.example",
		"![i](https://evil.example/p.png)",
		"<img src=x onerror=alert(1)> <https://evil.example> <!-- c --> <?p?> <![CDATA[x]]> </td></table></section>",
		"</style></script><script>alert(1)</script>",
		"https://evil.example http://evil.example ftp://evil.example www.evil.example WWW.evil.example a@b.example mailto:a@b.example",
		"@team #12 repo#1 GH-12 acme/x#3 @repo#1@ `@` \\@ \\`#`",
		"`code` ``two`` ``` three\n```\nout\n```\n~~~\n~~~",
		"| a | b |\n| --- | --- |\n\\| \\\\| `|` `\\|`",
		"\n# Heading\n## Another #\nTitle\n=====\nTitle\n-----\n***\n___\n- item\n+ item\n* item\n1. item\n2) item\n> quote\n    code\n\ttab",
		"# one", "- one", "1. one", "12) one", "+ one", "=== one", "--- ", ": one", "> one", "    one", "~~~ one",
		"*em* **strong** _em_ __strong__ __init__ ~~strike~~ a_b_c $x$ $$y$$ :smile: &lt;b&gt; &#60; &copy;",
		"\x1b[31mred\x1b[0m\x1b]8;;https://evil.example\x07link\x1b]8;;\x07\x9b31m\u009b31m\r\b\x00\x7f",
		"\u202egnp.exe\u2066 \u200bz\u200dw\ufeff\u00ad\U000e0041\u2028\u2029",
		"\xff\xfe\xc3(",
		"back\\slash \\", "`", "``", "\\`", "|", "\\", " ", "\n", "",
		"{{.}} {{printf \"%s\" .}} %s %d %!s(MISSING)",
		"src/a\nb\tc.py", " lead and trail ",
		strings.Repeat("`", 300), strings.Repeat("[", 300), strings.Repeat("*a ", 300),
	}
}

// FuzzHostileText holds that hostile text is text in every format. Its seeds say
// everything at once; how Markdown takes each by itself is for FuzzMarkdownText.
func FuzzHostileText(f *testing.F) {
	const all = "[x](javascript:alert(1)) ![i](https://evil.example) <img src=x onerror=1></style></td><script>a</script> www.evil.example a@b.example @team #12 `c` ``` | a | " +
		"*b* _c_ ~~d~~ &lt; $e$ \x1b[31m\u202e\u200b\u009b \xff \\ {{.}} %s\n# H\n- i\n1. n\n===\n```\n~~~\n"
	for _, says := range []string{all, "- one", "|", ""} {
		f.Add(says)
	}
	f.Fuzz(requireTame)
}

// requireTame writes a record that says text everywhere, and holds every format
// against one that says something harmless.
func requireTame(t *testing.T, says string) {
	if strings.TrimSpace(text.Clean(says)) == "" {
		says = "x" + says // empty text takes parts of a report away, and a longer one does not
	}
	for of, like := range harmless() {
		requireTameRecord(t, like, of.record(says))
	}
}

// poison is how a record is made hostile: names too, and without results.
type poison struct{ names, facts bool }

func (p poison) record(says string) *audit.Record {
	r := poisoned(says, p.names)
	if p.facts {
		r.Results, r.Overall = nil, audit.Overall{}
	}
	return r
}

// shape is what hostile text must not change.
type shape struct {
	record *audit.Record
	kinds  []string // of the parts of the Markdown
	tags   []string // of the page
}

// harmless are the shapes of reports that say something harmless everywhere.
var harmless = sync.OnceValue(func() map[poison]*shape {
	all := map[poison]*shape{}
	for _, of := range []poison{{}, {names: true}, {facts: true}, {names: true, facts: true}} {
		all[of] = shapeOf(of.record("xharmless"))
	}
	return all
})

func shapeOf(r *audit.Record) *shape {
	var markdown, page strings.Builder
	if err := errors.Join(report.Markdown(&markdown, r), report.HTML(&page, r)); err != nil {
		panic(err)
	}
	blocks, err := kinds(markdown.String())
	if err != nil {
		panic(err)
	}
	return &shape{r, blocks, tags(page.String())}
}

func requireTameRecord(t *testing.T, like *shape, hostile *audit.Record) {
	t.Helper()
	markdown := written(t, report.Markdown, hostile)
	blocks, err := kinds(markdown)
	require.NoError(t, err)
	require.Equal(t, like.kinds, blocks)
	requireSeen(t, markdown)

	page := written(t, report.HTML, hostile)
	require.Equal(t, like.tags, tags(page), "no markup but the page's own")
	requireSeen(t, page)

	for _, write := range []func(io.Writer, *audit.Record) error{report.JSON, report.SARIF} {
		out := written(t, write, hostile)
		require.True(t, json.Valid([]byte(out)))
		requireSeen(t, out)
	}
	requireSARIFWithoutLinks(t, written(t, report.SARIF, hostile))

	comparison := report.Compare(like.record, hostile)
	for _, terminal := range []report.Terminal{{Width: 40}, {Width: 200, Colour: true}} {
		var out strings.Builder
		require.NoError(t, report.Text(&out, hostile, terminal))
		require.NoError(t, comparison.Text(&out, terminal))
		for _, line := range strings.Split(out.String(), "\n") {
			if ansi.StringWidth(line) > terminal.Width {
				require.Fail(t, "too wide", "%q", line)
			}
		}
		requireSeen(t, colours.ReplaceAllString(out.String(), ""))
		require.True(t, terminal.Colour || !strings.Contains(out.String(), "\x1b"))
	}
}

// requireSeen holds that a person can see every character of a text, and that no
// terminal obeys one.
func requireSeen(t *testing.T, text string) {
	t.Helper()
	hidden := func(c rune) bool {
		return c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
	}
	at := strings.IndexFunc(text, hidden)
	require.Negative(t, at, "%q", text[max(at, 0):min(len(text), max(at, 0)+20)])
}

// tags are the names of a page's elements, in order.
func tags(page string) []string {
	return tag.FindAllString(page, -1)
}

// requireSARIFWithoutLinks looks for the square brackets that are links in
// messages.
func requireSARIFWithoutLinks(t *testing.T, out string) {
	t.Helper()
	var log struct {
		Runs []struct {
			Results []struct{ Message struct{ Text string } }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &log))
	for _, r := range log.Runs[0].Results {
		require.NotRegexp(t, bracket, r.Message.Text)
	}
}

// kinds are what a parser of GitHub's dialect makes of a report: the kind of each
// block and of each part of a line, without text and code spans, which hostile text
// may be. Links, images and markup are an error: reports have none.
func kinds(markdown string) (all []string, err error) {
	source := []byte(markdown)
	err = ast.Walk(dialect().Parse(markdowntext.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if plain := string(n.Value(source)); reference.MatchString(plain) {
				return ast.WalkStop, fmt.Errorf("a host makes a reference of %q", plain)
			}
			return ast.WalkContinue, nil
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *ast.HTMLBlock:
			return ast.WalkStop, fmt.Errorf("there is a %s", n.Kind())
		}
		all = append(all, n.Kind().String())
		return ast.WalkContinue, nil
	})
	return append(all, rows(markdown)...), err
}

// rows are the bars of every row of a table: parsers drop what is too much in one,
// and with it everything to the right.
func rows(markdown string) (all []string) {
	fence := ""
	for _, line := range strings.Split(markdown, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "" && line == ticks && len(ticks) >= len(fence):
			fence = ""
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence == "" && strings.HasPrefix(line, "|"):
			all = append(all, fmt.Sprintf("row of %d", strings.Count(line, "|")))
		}
	}
	return all
}

// dialect is CommonMark with everything that hosts add to it.
func dialect() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList)).Parser()
}

// FuzzMarkdownText holds the same of the three ways in which text gets into
// Markdown, wherever they stand.
func FuzzMarkdownText(f *testing.F) {
	for _, says := range hostileTexts() {
		f.Add(says)
	}
	inPlaces := func(says string) string {
		inline, code := report.Inline(says), report.Code(says)
		return "# " + inline + "\n\n### 1. " + inline + ": " + code + "\n\n| a | b |\n| --- | --- |\n| " + inline + " | " + code + " |\n| " + code + " | " + inline + " |\n\n" +
			"- " + inline + "\n- **a** (" + code + " " + code + "): " + inline + " *(" + inline + ")* *" + code + ".*\n\n" + inline + "\n\n" + code + ":\n\n" + report.CodeBlock(says) + "\n" + inline + "\n"
	}
	want, err := kinds(inPlaces("xharmless"))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, says string) {
		if strings.TrimSpace(text.Clean(says)) == "" {
			says = "x" + says
		}
		markdown := inPlaces(says)
		got, err := kinds(markdown)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s", markdown)
		requireSeen(t, markdown)
	})
}
