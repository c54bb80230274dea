package document

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/agentsentinel/sentinel/internal/audit/injection"
)

const inComment = "in a comment"

// htmlBlocks reads the visible text of HTML. Scripts and styles are dropped;
// comments and hidden elements are hidden text.
func htmlBlocks(source string) ([]Block, []Hidden, error) {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil, nil, err
	}
	p := &htmlPage{texts: htmlTexts(source)}
	p.children(root, frame{})
	p.end()
	return p.blocks, p.hidden, nil
}

// frame is the state that an element passes to its children.
type frame struct {
	kind  BlockKind
	level int
	why   string // hidden, and why
}

// htmlPage collects blocks: text until the next element that starts a line.
type htmlPage struct {
	texts  []htmlText
	blocks []Block
	hidden []Hidden

	now  Block
	why  string // of now
	text strings.Builder
}

func (p *htmlPage) children(n *html.Node, f frame) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.node(c, f)
	}
}

func (p *htmlPage) node(n *html.Node, f frame) {
	switch n.Type {
	case html.CommentNode:
		if t := strings.Join(strings.Fields(n.Data), " "); t != "" {
			p.hidden = append(p.hidden, Hidden{Text: t, Why: inComment, Line: p.line(n.Data)})
		}
	case html.TextNode:
		p.write(n.Data, f)
	case html.ElementNode:
		p.element(n, f)
	default:
		p.children(n, f)
	}
}

func (p *htmlPage) element(n *html.Node, f frame) {
	if f.why == "" {
		f.why = hiddenBy(n)
	}
	p.attributes(n)
	starts := true
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Head, atom.Noscript, atom.Iframe:
		p.skip(n)
		return
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		f.kind, f.level = Heading, int(n.Data[1]-'0')
	case atom.Li, atom.Dt, atom.Dd:
		f.kind, f.level = ListItem, 0
	case atom.Tr:
		f.kind, f.level = TableRow, 0
	case atom.Pre:
		f.kind, f.level = Code, 0
	case atom.Blockquote:
		f.kind, f.level = Quote, 0
	case atom.Br, atom.Td, atom.Th:
		if p.text.Len() > 0 {
			p.text.WriteByte(' ')
		}
		starts = false
	default:
		starts = startsLine(n.DataAtom)
	}
	if starts || f.why != p.why {
		p.end()
	}
	if n.DataAtom == atom.Code && f.kind != Code && f.why == "" {
		p.write("`", f)
		defer p.text.WriteByte('`')
	}
	p.children(n, f)
	if starts || f.why != "" {
		p.end()
	}
}

// attributes keeps prompt injection in attributes: a reader of the page rarely
// sees them, and a model that reads the source always does.
func (p *htmlPage) attributes(n *html.Node) {
	for _, a := range n.Attr {
		if injection.Has(a.Val) {
			p.hidden = append(p.hidden, Hidden{Text: a.Val, Why: "in an attribute", Line: p.near()})
		}
	}
}

// startsLine reports whether an element has lines of its own.
func startsLine(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Aside, atom.Nav, atom.Ul, atom.Ol,
		atom.Dl, atom.Table, atom.Thead, atom.Tbody, atom.Figure, atom.Figcaption, atom.Hr, atom.Body, atom.Form, atom.Details, atom.Summary:
		return true
	}
	return false
}

// skip drops an element, and goes on behind its texts.
func (p *htmlPage) skip(n *html.Node) {
	if n.Type == html.TextNode {
		p.line(n.Data)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.skip(c)
	}
}

// write adds text to the block that is open, or opens one.
func (p *htmlPage) write(data string, f frame) {
	line := p.line(data)
	if strings.TrimSpace(data) == "" && p.text.Len() == 0 {
		return
	}
	if p.text.Len() == 0 {
		p.now, p.why = Block{Kind: f.kind, Level: f.level, Page: 1, First: line}, f.why
	}
	if line > 0 {
		if p.now.First == 0 {
			p.now.First = line
		}
		p.now.Last = line + strings.Count(strings.TrimSpace(data), "\n")
	}
	p.text.WriteString(data)
}

// end closes the open block.
func (p *htmlPage) end() {
	text := p.text.String()
	p.text.Reset()
	if p.now.Kind == Code {
		text = strings.Trim(text, "\n")
	} else {
		text = strings.Join(strings.Fields(text), " ")
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	p.now.Text = text
	if p.why != "" {
		p.hidden = append(p.hidden, Hidden{Text: text, Why: p.why, Line: p.now.First})
		return
	}
	p.blocks = append(p.blocks, p.now)
}

// hiddenBy says what hides an element; "" if it is visible. Style sheets are not
// applied: only the element's own attributes count.
func hiddenBy(n *html.Node) string {
	for _, a := range n.Attr {
		switch strings.ToLower(a.Key) {
		case "hidden":
			return "hidden by an attribute"
		case "style":
			if hiddenStyle(a.Val) {
				return "hidden by its style"
			}
		}
	}
	return ""
}

func hiddenStyle(style string) bool {
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "opacity", "font-size":
			if n, ok := number(value); ok && n < tooSmall(name) {
				return true
			}
		case "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top":
			if n, ok := number(value); ok && n <= -500 {
				return true
			}
		}
	}
	return false
}

// tooSmall is the opacity, or the size in points or pixels, below which a text is
// not legible.
func tooSmall(property string) float64 {
	if strings.TrimSpace(property) == "opacity" {
		return 0.05
	}
	return minPoints
}

// number reads a CSS number in points or pixels, or without a unit.
func number(value string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimRight(value, "ptx")), 64)
	return n, err == nil
}

// htmlText is one run of text or one comment in the source.
type htmlText struct {
	text string
	line int
}

// htmlTexts returns the places of texts, because the parser does not keep them. Both give the
// texts in the same order.
func htmlTexts(source string) []htmlText {
	var all []htmlText
	z := html.NewTokenizer(strings.NewReader(source))
	for line := 1; ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return all
		}
		raw := string(z.Raw())
		if kind == html.TextToken || kind == html.CommentToken {
			blank := raw[:len(raw)-len(strings.TrimLeft(raw, " \t\n\r\f"))]
			if t := strings.TrimSpace(z.Token().Data); t != "" {
				all = append(all, htmlText{t, line + strings.Count(blank, "\n")})
			}
		}
		line += strings.Count(raw, "\n")
	}
}

// near is the line of the next text: that of an element is not known.
func (p *htmlPage) near() int {
	if len(p.texts) == 0 {
		return 0
	}
	return p.texts[0].line
}

// maxLost is how many texts the parser may leave out in a row.
const maxLost = 64

// line returns the line of a text, and goes on behind it; 0 when it is not known.
func (p *htmlPage) line(data string) int {
	data = strings.TrimSpace(data)
	if data == "" {
		return 0
	}
	for i := range min(len(p.texts), maxLost) {
		if t := p.texts[i]; strings.HasPrefix(data, t.text) {
			p.texts = p.texts[i+1:]
			return t.line
		}
	}
	return 0
}
