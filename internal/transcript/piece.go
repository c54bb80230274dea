package transcript

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func indexLineFeed(b []byte) int { return bytes.IndexByte(b, '\n') }

// A piece keeps the beginning of a string, and its end where tail has room: an
// exit code stands at the end of what a command wrote.
type piece struct {
	head  []byte
	limit int // of head, in bytes
	tail  []byte
	keep  int  // of tail, in bytes
	cut   bool // there was more than head
}

// reset forgets what is kept, not the memory.
func (p *piece) reset() { p.head, p.tail, p.cut = p.head[:0], p.tail[:0], false }

// add takes decoded bytes.
func (p *piece) add(b []byte) {
	if room := p.limit - len(p.head); room >= len(b) {
		p.head = append(p.head, b...)
		return
	} else if room > 0 {
		p.head = append(p.head, b[:room]...)
		b = b[room:]
	}
	p.cut = true
	if p.keep == 0 {
		return
	}
	if len(b) >= p.keep {
		p.tail = append(p.tail[:0], b[len(b)-p.keep:]...)
		return
	}
	if len(p.tail)+len(b) > 4*p.keep {
		n := copy(p.tail, p.tail[len(p.tail)-p.keep:])
		p.tail = p.tail[:n]
	}
	p.tail = append(p.tail, b...)
}

// text is the beginning as valid UTF-8.
func (p *piece) text() string {
	b := p.head
	if p.cut {
		b = wholeRunes(b)
	}
	return valid(b)
}

// valid makes a text of bytes, with a replacement character for what is no UTF-8.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "�")
}

// last is the end: that of head where all of it fitted.
func (p *piece) last() string {
	b := p.tail
	if len(b) < p.keep {
		b = append(append([]byte(nil), p.head[max(0, len(p.head)-p.keep):]...), b...)
	}
	return valid(b[max(0, len(b)-p.keep):])
}

// wholeRunes drops a character that was cut at the end.
func wholeRunes(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(b)); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// piece reads a string into p, adding to what it holds. Anything else is
// skipped; ok is false then.
func (s *scanner) piece(p *piece) (ok bool) {
	if s.token() != '"' {
		s.skip()
		return false
	}
	s.fresh = false
	s.r++
	for s.more() {
		i := plainRun(s.buf[s.r:s.w])
		p.add(s.buf[s.r : s.r+i])
		s.r += i
		if s.r == s.w {
			continue
		}
		switch s.buf[s.r] {
		case '"':
			s.r++
			return true
		case '\\':
			s.r++
			s.escape(p)
		default:
			s.fail()
		}
		if !s.live() {
			return false
		}
	}
	return false
}

// escape decodes what follows a backslash.
func (s *scanner) escape(p *piece) {
	if !s.more() {
		return
	}
	c := s.buf[s.r]
	s.r++
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		s.unicode(p)
		return
	default:
		s.fail()
		return
	}
	p.add([]byte{c})
}

// unicode decodes what follows \u, and the second half of a pair.
func (s *scanner) unicode(p *piece) {
	r, ok := s.hex4()
	if !ok {
		return
	}
	for utf16.IsSurrogate(r) {
		if !s.more() {
			return
		}
		if s.buf[s.r] != '\\' {
			r = utf8.RuneError
			break
		}
		s.r++
		if !s.more() {
			return
		}
		if s.buf[s.r] != 'u' {
			p.add([]byte("�"))
			s.escape(p)
			return
		}
		s.r++
		second, ok := s.hex4()
		if !ok {
			return
		}
		if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
			r = pair
			break
		}
		p.add([]byte("�"))
		r = second
	}
	p.add(utf8.AppendRune(nil, r))
}

func (s *scanner) hex4() (r rune, ok bool) {
	for range 4 {
		if !s.more() {
			return 0, false
		}
		c := s.buf[s.r]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			s.fail()
			return 0, false
		}
		r = r<<4 | rune(c)
		s.r++
	}
	return r, true
}

// text reads a string of at most limit bytes; "" for anything else.
func (s *scanner) text(limit int) string {
	p := piece{limit: limit}
	if !s.piece(&p) {
		return ""
	}
	return p.text()
}
