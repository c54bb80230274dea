package jsonscan

import "encoding/json"

// rawDepth is how deep a copied value may nest. A deeper value becomes null.
const rawDepth = 64

// MaskMargin is how many bytes are read beyond a cut when secrets are masked: a
// secret that the cut divides has to be recognised as a whole.
const MaskMargin = 4 << 10

// A rawCopy makes a valid JSON value within a bound: a long string loses its end,
// members without room are left out, and open brackets are closed.
type rawCopy struct {
	s     *Scanner
	out   []byte
	limit int
	depth int
	cut   bool
	mask  func(text string) string // may be nil
}

// Raw reads the next value as valid JSON of about limit bytes or fewer. cut
// reports that something is missing. mask, if it is not nil, changes every text,
// keys included.
func (s *Scanner) Raw(limit int, mask func(text string) string) (value json.RawMessage, cut bool) {
	c := rawCopy{s: s, limit: limit, mask: mask}
	c.value()
	return c.out, c.cut
}

// room is how many bytes the next value may take. It is half of the rest, so that
// a long text does not push out the path behind it.
func (c *rawCopy) room() int { return (c.limit - len(c.out)) / 2 }

func (c *rawCopy) value() {
	switch c.s.Token() {
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
		c.s.Skip()
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
	if c.s.Token() == end {
		c.s.r++
		return
	}
	for first := true; c.s.OK(); {
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
		switch c.s.Token() {
		case ',':
			c.s.r++
		case end:
			c.s.r++
			return
		default:
			c.s.Fail()
		}
	}
	c.cut = true // the input ended inside
}

// drop skips a part that has no room.
func (c *rawCopy) drop(open byte) {
	c.cut = true
	if !c.s.OK() {
		return
	}
	if open == '{' && c.s.Token() == '"' {
		c.s.skipKey()
	}
	c.s.Skip()
}

// member copies one member. It reports false if the input has none.
func (c *rawCopy) member() bool {
	if c.s.Token() != '"' {
		c.s.Fail()
		return false
	}
	if !c.text(c.limit) || !c.s.Take(':') {
		return false
	}
	c.out = append(c.out, ':')
	c.value()
	return true
}

// text copies at most room bytes of a string. It reports whether the string has
// an end.
func (c *rawCopy) text(room int) bool {
	room = max(room-2, 0)
	p := Piece{Limit: room}
	if c.mask != nil {
		p.Limit += MaskMargin
	}
	done := c.s.Piece(&p)
	text := p.Text()
	if c.mask != nil {
		text = c.mask(text)
	}
	if !done || p.Cut || len(text) > room {
		c.cut = true
		text = Cut(text, room)
	}
	c.out = AppendString(c.out, text)
	return done
}

// word copies a number, true, false or null.
func (c *rawCopy) word() {
	var b [64]byte
	n := 0
	first := c.s.Token()
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
		if n == 0 || c.s.OK() {
			c.s.Fail()
		}
		return
	}
	c.put(string(b[:n]))
}

func (c *rawCopy) put(word string) { c.out = append(c.out, word...) }

// AppendString appends text as a JSON string. Unlike encoding/json it leaves
// <, > and & as they are.
func AppendString(out []byte, text string) []byte {
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

// Kind names the type of a JSON value, for messages.
func Kind(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
