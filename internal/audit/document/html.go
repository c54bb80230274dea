package document

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/agentsentinel/sentinel/internal/audit/injection"
)

const inComment = "in a comment"

// html reads HTML that begins on that line: its headings, other text as one block, and
// what a reader of the page does not see. Which element hides its text, and where lines end, is left
// to browsers: all text counts as visible.
func (m *markdown) html(source []byte, line int) {
	var words []string
	z, skipped := html.NewTokenizer(bytes.NewReader(source)), false
	first, last := 0, 0
	end := func(kind BlockKind) {
		if words != nil {
			m.blocks = append(m.blocks, Block{Kind: kind, Text: strings.Join(words, " "), Page: 1, First: first, Last: last})
		}
		words = nil
	}
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		lines := bytes.Count(z.Raw(), []byte("\n"))
		switch token := z.Token(); kind {
		case html.CommentToken:
			blank := token.Data[:len(token.Data)-len(strings.TrimLeft(token.Data, " \t\n"))]
			m.hide(token.Data, inComment, line+strings.Count(blank, "\n"))
		case html.TextToken:
			found := strings.Fields(token.Data)
			if skipped || len(found) == 0 {
				break
			}
			if words == nil {
				first = line + strings.Count(token.Data[:strings.Index(token.Data, found[0])], "\n")
			}
			words, last = append(words, found...), line+strings.Count(strings.TrimRight(token.Data, " \t\n"), "\n")
		default:
			switch {
			case !headingTag(token.Data):
			case kind == html.EndTagToken:
				end(Heading)
			default:
				end(Paragraph)
			}
			skipped = kind == html.StartTagToken && (token.DataAtom == atom.Script || token.DataAtom == atom.Style)
			for _, a := range token.Attr {
				if injection.Has(a.Val) { // a model that reads the source sees it
					m.hide(a.Val, "in an attribute", line)
				}
			}
		}
		line += lines
	}
	end(Paragraph)
}

// headingTag reports whether a tag is one of h1 to h6.
func headingTag(name string) bool {
	return len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
}

// hide keeps text that a person does not see.
func (m *markdown) hide(text, why string, line int) {
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		m.hidden = append(m.hidden, Hidden{Text: text, Why: why, Line: line})
	}
}
