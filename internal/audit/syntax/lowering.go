package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	ts "github.com/odvcencio/gotreesitter"
)

// lowering turns a syntax tree into code.
type lowering struct {
	*tree
	depth int
	node  func(*ts.Node) *code // of the language; nil for a node without a meaning of its own
}

// lower lowers n; a node without a meaning of its own is the sum of its parts.
func (l *lowering) lower(n *ts.Node) *code {
	if n == nil {
		return nil
	}
	l.depth++
	defer func() { l.depth-- }()
	if l.depth > maxDepth {
		panic(errDepth{})
	}
	c := l.node(n)
	if c == nil {
		c = &code{kids: l.all(n)}
	}
	if c.first == 0 {
		l.at(c, n)
	}
	return c
}

// at gives c the place of n.
func (l *lowering) at(c *code, n *ts.Node) *code {
	c.first, c.last = int(n.StartPoint().Row)+1, int(n.EndPoint().Row)+1
	c.start, c.end = int(n.StartByte()), int(n.EndByte())
	if c.last > c.first && n.EndPoint().Column == 0 {
		c.last--
	}
	return c
}

// all lowers the named children, without comments and the listed ones.
func (l *lowering) all(n *ts.Node, without ...*ts.Node) []*code {
	var kids []*code
children:
	for i := range n.ChildCount() { // NamedChild counts from the first one each time
		k := n.Child(i)
		if k == nil || !k.IsNamed() || k.IsExtra() {
			continue
		}
		for _, w := range without {
			if same(k, w) {
				continue children
			}
		}
		if c := l.lower(k); c != nil {
			kids = append(kids, c)
		}
	}
	return kids
}

// named lists the named children of n without comments.
func named(n *ts.Node) []*ts.Node {
	if n == nil {
		return nil
	}
	var kids []*ts.Node
	for i := range n.ChildCount() {
		if k := n.Child(i); k != nil && k.IsNamed() && !k.IsExtra() {
			kids = append(kids, k)
		}
	}
	return kids
}

func same(a, b *ts.Node) bool {
	return b != nil && a.Symbol() == b.Symbol() && a.StartByte() == b.StartByte() && a.EndByte() == b.EndByte()
}

func (l *lowering) field(n *ts.Node, name string) *ts.Node { return n.ChildByFieldName(name, l.lang) }

func (l *lowering) kind(n *ts.Node) string {
	if n == nil {
		return ""
	}
	return n.Type(l.lang)
}

func (l *lowering) text(n *ts.Node) string {
	if n == nil {
		return ""
	}
	return n.Text(l.src)
}

// leaf is a name at n.
func (l *lowering) leaf(n *ts.Node) *code { return l.at(&code{kind: name, name: l.text(n)}, n) }

// two makes a piece of two parts; the second may be missing.
func (l *lowering) two(k kind, a, b *ts.Node) *code {
	second := l.lower(b)
	if second == nil {
		second = &code{}
	}
	return &code{kind: k, kids: []*code{l.lower(a), second}}
}

// calls makes a call of the callee and the nodes of its argument list.
func (l *lowering) calls(callee, arguments *ts.Node) *code {
	c := &code{kind: call, kids: []*code{l.lower(callee)}}
	if arguments == nil {
		return c
	}
	c.kids = append(c.kids, l.all(arguments)...)
	return c
}

// patternNames lists the names that a target or parameter gives values to.
func patternNames(c *code) []string {
	switch {
	case c == nil:
		return nil
	case c.kind == name:
		return []string{c.name}
	case c.kind == attr, c.kind == index, c.kind == call:
		return nil
	case c.kind == pair, c.kind == keyword:
		return patternNames(c.kid(len(c.kids) - 1))
	}
	var names []string
	for _, k := range c.kids {
		names = append(names, patternNames(k)...)
	}
	return names
}

// unescape decodes the escapes of a string literal's inner text; other backslashes
// stay.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if s[0] != '\\' || len(s) == 1 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		decoded, width := escape(s)
		b.WriteString(decoded)
		s = s[width:]
	}
	return b.String()
}

// escape decodes the escape that s begins with, and says how long it is.
func escape(s string) (decoded string, width int) {
	const simple = "n\nt\tr\r0\x00a\ab\bf\fv\v\\\\''\"\"``$$"
	c := s[1]
	if i := strings.IndexByte(simple, c); i >= 0 && i%2 == 0 {
		return simple[i+1 : i+2], 2
	}
	switch c {
	case '\n':
		return "", 2
	case 'x':
		return number(s, 2, 2)
	case 'u':
		if strings.HasPrefix(s, `\u{`) {
			end := strings.IndexByte(s, '}')
			if end < 0 || end > 10 {
				return s[:2], 2
			}
			r, _ := number(s[:end], 3, end-3)
			return r, end + 1
		}
		return number(s, 2, 4)
	case 'U':
		return number(s, 2, 8)
	}
	_, width = utf8.DecodeRuneInString(s[1:])
	return s[:1+width], 1 + width
}

// number decodes hexadecimal digits of s into a character.
func number(s string, from, digits int) (decoded string, width int) {
	if len(s) < from+digits {
		return s[:2], 2
	}
	v, err := strconv.ParseUint(s[from:from+digits], 16, 32)
	if err != nil {
		return s[:2], 2
	}
	return string(rune(v)), from + digits
}
