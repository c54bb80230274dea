package document

import (
	"bytes"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdownBlocks reads CommonMark with tables. Code keeps its backticks and a
// link its target, because both name paths. Comments, hidden elements and titles of
// link definitions are hidden text.
func markdownBlocks(source string) ([]Block, []Hidden) {
	m := &markdown{source: []byte(source)}
	m.newlines = lineStarts(source)
	definitions := parser.NewContext()
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(m.source), parser.WithContext(definitions))
	m.children(root, Paragraph)
	for _, ref := range definitions.References() {
		m.title(ref.Title(), "in a link definition")
	}
	return m.blocks, m.hidden
}

type markdown struct {
	source   []byte
	newlines []int
	blocks   []Block
	hidden   []Hidden
}

// children reads the blocks in n; kind is that of their paragraphs.
func (m *markdown) children(n ast.Node, kind BlockKind) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.block(c, kind)
	}
}

func (m *markdown) block(n ast.Node, kind BlockKind) {
	switch n := n.(type) {
	case *ast.Heading:
		m.add(n, Block{Kind: Heading, Text: m.inline(n)})
	case *ast.Paragraph, *ast.TextBlock:
		m.add(n, Block{Kind: kind, Text: m.inline(n)})
	case *ast.Blockquote:
		m.children(n, Quote)
	case *ast.ListItem:
		m.children(n, ListItem)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		m.add(n, Block{Kind: Code, Text: strings.TrimRight(string(n.Lines().Value(m.source)), "\n")})
	case *ast.HTMLBlock:
		m.rawBlock(n)
	case *extast.TableHeader, *extast.TableRow:
		m.row(n)
	default: // lists and tables
		m.children(n, kind)
	}
}

// add adds a block with its lines.
func (m *markdown) add(n ast.Node, b Block) {
	b.Page = 1
	if lines := n.Lines(); lines != nil && lines.Len() > 0 {
		b.First = lineAt(m.newlines, lines.At(0).Start)
		b.Last = lineAt(m.newlines, max(lines.At(lines.Len()-1).Stop-1, lines.At(0).Start))
	}
	if strings.TrimSpace(b.Text) != "" {
		m.blocks = append(m.blocks, b)
	}
}

// row reads one row of a table; its cells have the lines.
func (m *markdown) row(n ast.Node) {
	var cells []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		cells = append(cells, m.inline(c))
	}
	if first := n.FirstChild(); first != nil {
		m.add(first, Block{Kind: TableRow, Text: strings.Join(cells, " | ")})
	}
}

// rawBlock reads a block of raw HTML.
func (m *markdown) rawBlock(n *ast.HTMLBlock) {
	if n.Lines().Len() == 0 {
		return
	}
	raw := n.Lines().Value(m.source)
	if n.HasClosure() {
		raw = append(bytes.Clone(raw), n.ClosureLine.Value(m.source)...)
	}
	m.html(raw, lineAt(m.newlines, n.Lines().At(0).Start))
}

// inline is the text of a block, its lines joined by spaces.
func (m *markdown) inline(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		switch c := c.(type) {
		case *ast.Text:
			if entering {
				b.Write(c.Segment.Value(m.source))
				if c.SoftLineBreak() || c.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(c.Value)
			}
		case *ast.CodeSpan:
			b.WriteByte('`')
		case *ast.AutoLink:
			if entering {
				b.Write(c.URL(m.source))
			}
		case *ast.Link:
			if !entering {
				b.WriteString(target(b.String(), c.Destination))
				m.title(c.Title, "in a link's title")
			}
		case *ast.Image:
			if !entering {
				m.title(c.Title, "in a link's title")
			}
		case *ast.RawHTML:
			if entering && c.Segments.Len() > 0 { // a tag or a comment
				m.html(c.Segments.Value(m.source), lineAt(m.newlines, c.Segments.At(0).Start))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// title keeps the title of a link, an image or a definition, which is visible only
// under a pointer, or never. The search for its line takes time.
func (m *markdown) title(title []byte, why string) {
	t := strings.TrimSpace(string(title))
	if t != "" && len(m.hidden) < maxHidden {
		m.hidden = append(m.hidden, Hidden{Text: t, Why: why, Line: m.find(t)})
	}
}

// target returns a link's target in brackets, unless the text before ends with it.
// A target with spaces gets backticks, as other paths with spaces have.
func target(before string, destination []byte) string {
	d := string(destination)
	if plain, err := url.PathUnescape(d); err == nil && !strings.Contains(d, "://") && utf8.ValidString(plain) && !strings.ContainsFunc(plain, unicode.IsControl) {
		d = plain
	}
	if strings.Contains(d, " ") {
		d = "`" + d + "`"
	}
	if d == "" || strings.HasPrefix(d, "#") || strings.HasSuffix(strings.TrimRight(before, "`"), d) {
		return ""
	}
	return " (" + d + ")"
}

// find returns the first line with a text, or 0.
func (m *markdown) find(s string) int {
	if i := bytes.Index(m.source, []byte(s)); i >= 0 {
		return lineAt(m.newlines, i)
	}
	return 0
}
