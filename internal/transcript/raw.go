package transcript

import "encoding/json"

// rawDepth is how deep kept arguments may nest. What lies deeper becomes null.
const rawDepth = 64

// A rawCopy keeps a JSON value within a bound and valid: a long string loses
// its end, members that have no room are left out, and whatever is open is
// closed again.
type rawCopy struct {
	s     *scanner
	out   []byte
	limit int
	depth int
	cut   bool
	mask  func(text string) string // nil, or what is done to every text
}

// raw reads the next value as JSON of at most about limit bytes. cut says that
// something is missing.
func (s *scanner) raw(limit int) (value json.RawMessage, cut bool) {
	c := rawCopy{s: s, limit: limit}
	c.value()
	return c.out, c.cut
}

// room is how much the next value may take. It is half of what is left, so that
// a long text does not push out the path that stands behind it.
func (c *rawCopy) room() int { return (c.limit - len(c.out)) / 2 }

func (c *rawCopy) value() {
	switch c.s.token() {
	case '"':
		c.text(c.room())
	case '{':
		c.whole('{', '}', c.member)
	case '[':
		c.whole('[', ']', func() bool { c.value(); return true })
	default:
		c.word()
	}
}

// whole copies an object or array. part copies one member or element.
func (c *rawCopy) whole(open, end byte, part func() bool) {
	if c.depth >= rawDepth || c.room() < 8 {
		c.s.skip()
		c.put("null")
		c.cut = true
		return
	}
	c.depth++
	defer func() { c.depth-- }()
	c.s.fresh = false
	c.s.r++
	c.out = append(c.out, open)
	defer func() { c.out = append(c.out, end) }()
	if c.s.token() == end {
		c.s.r++
		return
	}
	for first := true; c.s.live(); {
		mark := len(c.out)
		if !first {
			c.out = append(c.out, ',')
		}
		if c.room() < 16 || !part() {
			c.out = c.out[:mark]
			c.drop(open)
		} else {
			first = false
		}
		switch c.s.token() {
		case ',':
			c.s.r++
		case end:
			c.s.r++
			return
		default:
			c.s.fail()
		}
	}
	c.cut = true // the input ended in here
}

// drop leaves a part out that has no room.
func (c *rawCopy) drop(open byte) {
	c.cut = true
	if !c.s.live() {
		return
	}
	if open == '{' && c.s.token() == '"' {
		c.s.skipKey()
	}
	c.s.skip()
}

// member copies one member. It reports false where there is none to copy.
func (c *rawCopy) member() bool {
	if c.s.token() != '"' {
		c.s.fail()
		return false
	}
	if !c.text(c.limit) || !c.s.take(':') {
		return false
	}
	c.out = append(c.out, ':')
	c.value()
	return true
}

// text copies a string of which at most room bytes are kept. It reports whether
// the string came to its end.
func (c *rawCopy) text(room int) bool {
	room = max(room-2, 0)
	p := piece{limit: room}
	if c.mask != nil {
		p.limit += maskMargin // so that a secret at the cut is seen as a whole
	}
	done := c.s.piece(&p)
	text := p.text()
	if c.mask != nil {
		text = c.mask(text)
	}
	if !done || p.cut || len(text) > room {
		c.cut = true
		text = cutText(text, room)
	}
	c.out = appendString(c.out, text)
	return done
}

// word copies a number, true, false or null.
func (c *rawCopy) word() {
	var b [64]byte
	n := 0
	first := c.s.token()
	c.s.fresh = false
	for c.s.more() && n < len(b) {
		x := c.s.buf[c.s.r]
		if !numeric(x) && (x < 'a' || x > 'z') {
			break
		}
		b[n] = x
		n++
		c.s.r++
	}
	if first == 0 || !json.Valid(b[:n]) {
		c.put("null")
		if n == 0 || c.s.live() {
			c.s.fail()
		}
		return
	}
	c.put(string(b[:n]))
}

func (c *rawCopy) put(word string) { c.out = append(c.out, word...) }

// appendString appends text as a JSON string. Unlike encoding/json it leaves
// <, > and & as they are.
func appendString(out []byte, text string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out = append(out, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(out, text[from:]...), '"')
}
