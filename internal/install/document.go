package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/rule"
)

// A node is a JSON value and its position in the document.
type node struct {
	kind       byte // first byte: { [ " t f n, or 0 for a number
	start, end int
	keys       []string // of an object, decoded
	keyStart   []int    // of an object: where each key's quote is
	items      []node   // of an object or array
}

// A document is a settings file whose bytes are edited in place, so that
// everything that is not ours keeps its order, spacing, comments and line ends.
type document struct {
	text    []byte
	plain   []byte // text with blanks for comments: JSON, every byte in its place
	notes   []span // the comments of text
	root    node
	newline string
	unit    string // one level of indentation
	flat    bool   // the whole document is one line
}

// parseDocument refuses what is not one JSON object, with the line and column.
func parseDocument(text []byte, dialect Dialect) (*document, error) {
	plain, notes := dialect.plain(text)
	body := bytes.TrimPrefix(plain, []byte("\xef\xbb\xbf"))
	bom := len(text) - len(body)
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, problemAt(text, bom+faultAt(body, syntax), syntaxMessage(body, syntax, dialect))
	} else if err != nil {
		return nil, problemAt(text, bom, err.Error())
	}
	s := scanner{text: plain, pos: bom}
	d := &document{text: text, plain: plain, notes: notes, root: s.value()}
	if d.root.kind != '{' {
		return nil, problemAt(text, d.root.start, "the file must hold one JSON object")
	}
	d.style()
	return d, nil
}

// faultAt returns the index of the byte that is wrong, or the end of a text that
// breaks off. The error's offset is the number of bytes read.
func faultAt(body []byte, err *json.SyntaxError) int {
	if at := int(err.Offset); at < len(body) || err.Error() != "unexpected end of JSON input" {
		return at - 1
	}
	return len(body)
}

// syntaxMessage adds what a person most likely did.
func syntaxMessage(body []byte, err *json.SyntaxError, dialect Dialect) string {
	if at := faultAt(body, err); at >= 0 && at < len(body) {
		switch rest := body[at:]; {
		case dialect != StrictJSON && bytes.HasPrefix(rest, []byte("/*")):
			return "this comment does not end"
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), rest[0] == '#':
			return "comments are not allowed in this file; take it out"
		case rest[0] == '}' || rest[0] == ']':
			return fmt.Sprintf("broken JSON: %v; is there a comma too many before it?", err)
		}
	}
	return fmt.Sprintf("broken JSON: %v", err)
}

// style finds out how the document is laid out, from its first member.
func (d *document) style() {
	d.newline, d.unit = "\n", "  "
	if bytes.Contains(d.text, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	inside := d.text[d.root.start:d.root.end]
	if len(d.root.items) == 0 {
		return
	}
	d.flat = !bytes.Contains(inside, []byte("\n"))
	if l := d.layoutOf(d.root.keyStart[0]); !l.flat && l.indent != "" {
		d.unit = l.indent
	}
}

// lineIndent returns the white space that the line of pos begins with.
func (d *document) lineIndent(pos int) string {
	line := d.text[bytes.LastIndexByte(d.text[:pos], '\n')+1 : pos]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// replace returns the text with bytes [start, end) exchanged.
func (d *document) replace(start, end int, with string) []byte {
	out := make([]byte, 0, len(d.text)+len(with))
	out = append(out, d.text[:start]...)
	out = append(out, with...)
	return append(out, d.text[end:]...)
}

// A change exchanges bytes [start, end) of a text.
type change struct {
	start, end int
	with       string
}

// edit returns the text with changes made that are in order and do not touch
// each other.
func (d *document) edit(changes ...change) []byte {
	var out []byte
	pos := 0
	for _, c := range changes {
		out = append(append(out, d.text[pos:c.start]...), c.with...)
		pos = c.end
	}
	return append(out, d.text[pos:]...)
}

// member returns the value of a key of an object. A key that occurs twice is a
// problem: which one counts depends on the reader.
func (d *document) member(obj node, key string) (value node, ok bool, err error) {
	for i, k := range obj.keys {
		if k != key {
			continue
		}
		if ok {
			return node{}, false, problemAt(d.text, obj.keyStart[i], fmt.Sprintf("the key %q stands twice in the same object; keep one", key))
		}
		value, ok = obj.items[i], true
	}
	return value, ok, nil
}

// appendTo inserts a member or an element at the end of an object or array, in
// the layout that its siblings have. A comment behind the last one stays there.
func (d *document) appendTo(parent node, write func(layout) string) []byte {
	n := len(parent.items)
	if n == 0 {
		return d.fill(parent, write)
	}
	l := d.layoutOf(d.itemStart(parent, 0))
	last := parent.items[n-1].end
	if l.flat {
		return d.replace(last, last, ", "+write(l))
	}
	at := d.afterNote(last)
	return d.edit(change{last, last, ","}, change{at, at, l.newline + l.indent + write(l)})
}

// fill writes the only item of an object or array that has none yet.
func (d *document) fill(parent node, write func(layout) string) []byte {
	outer := layout{flat: d.flat, indent: d.lineIndent(parent.start), unit: d.unit, newline: d.newline}
	text := write(outer.deeper())
	if !d.noted(parent.start, parent.end) {
		return d.replace(parent.start, parent.end, outer.wrap(d.open(parent), d.closing(parent), []string{text}))
	}
	at := d.blanksBefore(parent.end - 1)
	if outer.flat {
		return d.replace(at, at, " "+text)
	}
	text = outer.newline + outer.deeper().indent + text
	if !bytes.Contains(d.text[at:parent.end-1], []byte("\n")) {
		text += outer.newline + outer.indent
	}
	return d.replace(at, at, text)
}

func (d *document) open(n node) string    { return string(d.text[n.start]) }
func (d *document) closing(n node) string { return string(d.text[n.end-1]) }

// layoutOf says how a value that begins at pos is laid out: on one line with
// others when it does not begin its own.
func (d *document) layoutOf(pos int) layout {
	line := d.text[bytes.LastIndexByte(d.text[:pos], '\n')+1 : pos]
	return layout{
		flat:    d.flat || len(bytes.TrimLeft(line, " \t")) > 0,
		indent:  d.lineIndent(pos),
		unit:    d.unit,
		newline: d.newline,
	}
}

func (d *document) itemStart(parent node, i int) int {
	if parent.kind == '{' {
		return parent.keyStart[i]
	}
	return parent.items[i].start
}

// remove takes an item out of an object or array with the comma that belongs to
// it. The last item of all leaves an empty pair of brackets. Comments stay.
func (d *document) remove(parent node, i int) []byte {
	n, item := len(parent.items), parent.items[i]
	from, start := d.blanksBefore(d.itemStart(parent, i)), d.itemStart(parent, i)
	switch {
	case n == 1 && d.noted(parent.start, start) || n == 1 && d.noted(item.end, parent.end):
		return d.replace(from, item.end, "")
	case n == 1:
		return d.replace(parent.start+1, parent.end-1, "")
	case i == n-1:
		comma := parent.items[i-1].end + bytes.IndexByte(d.plain[parent.items[i-1].end:], ',')
		if !d.noted(comma, start) {
			return d.replace(parent.items[i-1].end, item.end, "")
		}
		return d.edit(change{comma, comma + 1, ""}, change{from, item.end, ""})
	case d.noted(item.end, d.itemStart(parent, i+1)):
		comma := item.end + bytes.IndexByte(d.plain[item.end:], ',')
		return d.replace(from, comma+1, "")
	}
	return d.replace(start, d.itemStart(parent, i+1), "")
}

// raw returns the bytes of a value, and meant the same without comments.
func (d *document) raw(n node) string   { return string(d.text[n.start:n.end]) }
func (d *document) meant(n node) string { return string(d.plain[n.start:n.end]) }

// str returns a string value, or "" for any other kind.
func (d *document) str(n node) string {
	var s string
	if n.kind == '"' && json.Unmarshal(d.text[n.start:n.end], &s) == nil {
		return s
	}
	return ""
}

// A scanner walks over a text that is known to be valid JSON. It is not that of
// internal/jsonscan, which reads in bounded memory and so cuts long keys and keeps no
// places of keys: an edit that leaves all other bytes alone needs both.
type scanner struct {
	text []byte
	pos  int
}

func (s *scanner) space() {
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
}

func (s *scanner) value() node {
	s.space()
	n := node{kind: s.text[s.pos], start: s.pos}
	switch n.kind {
	case '{', '[':
		s.container(&n)
	case '"':
		s.quoted()
	default:
		for s.pos < len(s.text) && strings.IndexByte(" \t\r\n,]}", s.text[s.pos]) < 0 {
			s.pos++
		}
		if strings.IndexByte("tfn", n.kind) < 0 {
			n.kind = 0
		}
	}
	n.end = s.pos
	return n
}

func (s *scanner) container(n *node) {
	closing := n.kind + 2 // '{'+2 is '}', '['+2 is ']'
	for s.pos++; ; {
		s.space()
		if s.text[s.pos] == ',' {
			s.pos++
			s.space()
		}
		if s.text[s.pos] == closing {
			s.pos++
			return
		}
		if n.kind == '{' {
			n.keyStart = append(n.keyStart, s.pos)
			n.keys = append(n.keys, s.quoted())
			s.space()
			s.pos++ // the colon
		}
		n.items = append(n.items, s.value())
	}
}

// quoted passes a string and returns what it says.
func (s *scanner) quoted() string {
	start := s.pos
	for s.pos++; s.text[s.pos] != '"'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
	var text string
	_ = json.Unmarshal(s.text[start:s.pos], &text) // valid, as all of the document
	return text
}

// problemAt names the place of a fault. The caller that knows the file's name
// puts it in.
func problemAt(text []byte, pos int, message string) error {
	pos = min(max(pos, 0), len(text))
	before := text[:pos]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return rule.Problem{
		File:    "settings.json",
		Line:    bytes.Count(before, []byte("\n")) + 1,
		Column:  utf8.RuneCount(before[lineStart:]) + 1,
		Message: message,
	}
}
