package jsonscan

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Piece keeps the beginning of a string, and its end too where Keep is set: an
// exit code, for example, is at the end of a command's output.
type Piece struct {
	Limit int  // bytes to keep of the beginning
	Keep  int  // bytes to keep of the end
	Cut   bool // the string was longer than Limit

	head, tail []byte
}

// Reset forgets the text and keeps the memory and the bounds.
func (p *Piece) Reset() { p.head, p.tail, p.Cut = p.head[:0], p.tail[:0], false }

// Size is the number of bytes that are kept.
func (p *Piece) Size() int { return len(p.head) + len(p.tail) }

// Add takes decoded bytes.
func (p *Piece) Add(b []byte) {
	if room := p.Limit - len(p.head); room >= len(b) {
		p.head = append(p.head, b...)
		return
	} else if room > 0 {
		p.head = append(p.head, b[:room]...)
		b = b[room:]
	}
	p.Cut = true
	if p.Keep == 0 {
		return
	}
	if len(b) >= p.Keep {
		p.tail = append(p.tail[:0], b[len(b)-p.Keep:]...)
		return
	}
	if len(p.tail)+len(b) > 4*p.Keep {
		n := copy(p.tail, p.tail[len(p.tail)-p.Keep:])
		p.tail = p.tail[:n]
	}
	p.tail = append(p.tail, b...)
}

// Text is the beginning as valid UTF-8, without a character that was cut.
func (p *Piece) Text() string {
	b := p.head
	if p.Cut {
		b = wholeRunes(b)
	}
	return valid(b)
}

// Last is the end as valid UTF-8; of a short text it is the end of the beginning.
func (p *Piece) Last() string {
	b := p.tail
	if len(b) < p.Keep {
		b = append(append([]byte(nil), p.head[max(0, len(p.head)-p.Keep):]...), b...)
	}
	return valid(b[max(0, len(b)-p.Keep):])
}

// Cut returns at most limit bytes of the beginning of text, as valid UTF-8.
func Cut(text string, limit int) string {
	p := Piece{Limit: limit}
	p.Add([]byte(text[:min(len(text), limit+1)]))
	return p.Text()
}

func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
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

// Text reads a string of at most limit bytes. It skips any other value and
// returns "" for it.
func (s *Scanner) Text(limit int) string {
	if s.Token() == '"' { // most strings have no escapes and are in the window
		b := s.buf[s.r+1 : s.w]
		if n := plainRun(b); n < len(b) && b[n] == '"' && n <= limit {
			s.fresh = false
			s.r += n + 2
			return valid(b[:n])
		}
	}
	p := Piece{Limit: limit}
	if !s.Piece(&p) {
		return ""
	}
	return p.Text()
}

// Piece reads a string and adds it to p. It skips any other value; ok is false
// then, and when the string has no end.
func (s *Scanner) Piece(p *Piece) (ok bool) {
	if s.Token() != '"' {
		s.Skip()
		return false
	}
	s.fresh = false
	s.r++
	for s.more() {
		i := plainRun(s.buf[s.r:s.w])
		p.Add(s.buf[s.r : s.r+i])
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
			s.Fail()
		}
		if !s.OK() {
			return false
		}
	}
	return false
}

// plainRun counts the bytes from the beginning that a JSON string holds unescaped.
func plainRun(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(b)
}

// escaped maps the letter of an escape to its byte, 0 for any other letter.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape decodes the rest of an escape behind its backslash.
func (s *Scanner) escape(p *Piece) {
	if !s.more() {
		return
	}
	c := s.buf[s.r]
	s.r++
	if c == 'u' {
		s.unicode(p)
		return
	}
	if c = escaped[c]; c == 0 {
		s.Fail()
		return
	}
	p.Add([]byte{c})
}

// unicode decodes the rest of a \u escape, and the second half of a surrogate
// pair. A half without the other becomes the replacement character.
func (s *Scanner) unicode(p *Piece) {
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
			p.Add([]byte("\uFFFD"))
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
		p.Add([]byte("\uFFFD"))
		r = second
	}
	p.Add(utf8.AppendRune(nil, r))
}

func (s *Scanner) hex4() (r rune, ok bool) {
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
			s.Fail()
			return 0, false
		}
		r = r<<4 | rune(c)
		s.r++
	}
	return r, true
}
