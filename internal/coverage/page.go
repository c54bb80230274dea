package coverage

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/text"
)

//go:embed page.css
var style string

// marks are the classes of the page and the words of the legend, in its order. A
// description has no mark.
var marks = []struct {
	state  instructions.State
	shadow bool
	class  string
	name   string
}{
	{instructions.InForce, false, "holds", "in force"},
	{instructions.InForce, true, "shadow", "in shadow mode"},
	{instructions.CanBe, false, "can", "can be"},
	{instructions.Dropped, false, "dropped", "dropped"},
	{instructions.ByLinter, false, "linter", "a linter's"},
	{instructions.NeedsModel, false, "model", "needs a model"},
	{instructions.Never, false, "never", "cannot be enforced"},
}

// Mark is the class and the name of what becomes of the statement; "" for a description.
func (s *Statement) Mark() (class, name string) {
	for _, m := range marks {
		if m.state == s.State && m.shadow == s.Shadow {
			return m.class, m.name
		}
	}
	return "", ""
}

// WritePage writes the report as one file of HTML that needs no network and no script:
// each file with its lines marked. All text of the files is text in the page.
func (r *Report) WritePage(w io.Writer, project string) error {
	var b strings.Builder
	title := "Coverage of the instructions"
	if project != "" {
		title = project + ": coverage of the instructions"
	}
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<main>
<h1>%[2]s</h1>
<p class="share">%[4]s</p>
`, digest.CSP(style), shown(title), style, shown(r.Share()))
	b.WriteString("<ul class=\"legend\">\n")
	for _, m := range marks {
		fmt.Fprintf(&b, "<li><span class=\"mark %s\">%s</span> <span class=\"soft\">%d</span></li>\n", m.class, m.name, r.count(m.state, m.shadow))
	}
	b.WriteString("</ul>\n")
	for i := range r.Files {
		r.Files[i].page(&b)
	}
	page{&b}.list("Rules whose line has changed", len(r.Stale), func(i int) string { return r.Stale[i].String() })
	page{&b}.list("Rules whose line has moved", len(r.Moved), func(i int) string { return r.Moved[i].String() })
	page{&b}.list("Not read", len(r.Problems), func(i int) string { return r.Problems[i].String() })
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// page writes parts of the page.
type page struct{ *strings.Builder }

func (p page) list(title string, n int, of func(int) string) {
	if n == 0 {
		return
	}
	fmt.Fprintf(p, "<h2>%s</h2>\n<ul>\n", shown(title))
	for i := range n {
		fmt.Fprintf(p, "<li>%s</li>\n", shown(of(i)))
	}
	p.WriteString("</ul>\n")
}

// page writes a file, line by line.
func (f *File) page(b *strings.Builder) {
	fmt.Fprintf(b, "<h2>%s</h2>\n<p class=\"soft\">%s%s</p>\n", shown(f.Path), shown(f.Share()), shown(text.After("; imported by ", f.ImportedBy)))
	b.WriteString("<table>\n<colgroup><col class=\"number\"><col class=\"words\"><col></colgroup>\n" +
		"<thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Text</th><th scope=\"col\">What becomes of it</th></tr></thead>\n<tbody>\n")
	first, class := map[int][]*Statement{}, map[int]string{}
	for i := range f.Statements {
		s := &f.Statements[i]
		c, _ := s.Mark()
		if c == "" {
			continue
		}
		first[s.Line] = append(first[s.Line], s)
		for line := s.Line; line <= max(s.EndLine, s.Line); line++ {
			class[line] = c
		}
	}
	number := 0
	for line := range strings.Lines(f.Text) {
		number++
		fmt.Fprintf(b, "<tr class=\"%s%s\"><th scope=\"row\">%d</th><td class=\"words\">%s</td><td>",
			class[number], text.When(len(first[number]) > 0, " first"), number, shown(strings.TrimRight(line, "\r\n")))
		for _, s := range first[number] {
			class, name := s.Mark()
			fmt.Fprintf(b, "<p class=\"%s\"><span class=\"mark\">%s</span> <span class=\"soft\">%s</span></p>", class, name, shown(s.Said()))
		}
		b.WriteString("</td></tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
}

// shown is a text in the page: nothing in it is markup, and nothing is hidden.
func shown(s string) string { return html.EscapeString(text.Clean(s)) }
