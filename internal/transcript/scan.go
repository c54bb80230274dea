package transcript

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// windowSize is how much of a file is in memory at a time.
const windowSize = 128 << 10

// maxDepth is how deep a value may nest, as in encoding/json.
const maxDepth = 10000

// A scanner reads JSON values from a file through a window, so that a line of
// any length costs the same memory. A value is either taken by one of the
// methods or skipped; nothing is kept but what was asked for.
//
// Outside of documents a line feed ends a record whatever stands before it:
// JSON escapes it inside strings. So a line that is no JSON is left behind at
// its end.
type scanner struct {
	src  io.ReaderAt
	end  int64 // nothing behind it is read
	buf  []byte
	r, w int   // what is in the window and not read: buf[r:w]
	base int64 // offset of buf[0] in the file

	doc   bool  // one document: line feeds are white space
	bad   bool  // what was read since the last reset is no JSON
	short bool  // the end was met in the middle of a value
	err   error // reading failed

	fresh bool // a value begins here and nobody has taken it
	stack []byte
	name  [64]byte // the last key
}

// newScanner reads src from offset at up to end.
func newScanner(src io.ReaderAt, at, end int64) *scanner {
	return &scanner{src: src, end: end, base: at, buf: make([]byte, min(windowSize, max(end-at, 0)))}
}

// scanBytes reads a value that is in memory.
func scanBytes(b []byte) *scanner {
	return &scanner{buf: b, w: len(b), end: int64(len(b)), doc: true, fresh: true}
}

// offset is where the next byte stands in the file.
func (s *scanner) offset() int64 { return s.base + int64(s.r) }

// seek goes on reading at an offset.
func (s *scanner) seek(at int64) {
	if at >= s.base && at <= s.base+int64(s.w) {
		s.r = int(at - s.base)
	} else {
		s.base, s.r, s.w = at, 0, 0
	}
	s.bad, s.short, s.fresh = false, false, false
}

// live says whether reading can go on.
func (s *scanner) live() bool { return !s.bad && !s.short }

// fail marks the line as no JSON.
func (s *scanner) fail() { s.bad = true }

// fill gets the next piece of the file. At the end it reports false.
func (s *scanner) fill() bool {
	at := s.base + int64(s.w)
	if s.src == nil || s.err != nil || at >= s.end {
		s.short = true
		return false
	}
	n, err := s.src.ReadAt(s.buf[:min(int64(len(s.buf)), s.end-at)], at)
	s.base, s.r, s.w = at, 0, n
	if n == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			s.err = err
		}
		s.short = true
		return false
	}
	return true
}

// more makes sure that there is a byte to read.
func (s *scanner) more() bool { return s.r < s.w || s.fill() }

// token returns the next byte that is not white space, and leaves it there. It
// returns 0 where reading cannot go on.
func (s *scanner) token() byte {
	if s.bad {
		return 0
	}
	for s.more() {
		switch c := s.buf[s.r]; c {
		case ' ', '\t', '\r':
			s.r++
		case '\n':
			if !s.doc {
				s.bad = true
				return 0
			}
			s.r++
		case 0:
			s.bad = true
			return 0
		default:
			return c
		}
	}
	return 0
}

// take consumes the byte that token must be.
func (s *scanner) take(c byte) bool {
	if s.token() != c {
		s.fail()
		return false
	}
	s.r++
	return true
}

// object calls member for each member of an object. What member does not take
// is skipped, and so is a value that is no object.
func (s *scanner) object(member func(key []byte)) {
	if s.token() != '{' {
		s.skip()
		return
	}
	s.fresh = false
	s.r++
	if s.token() == '}' {
		s.r++
		return
	}
	for s.live() {
		key := s.key()
		if !s.take(':') {
			return
		}
		s.fresh = true
		member(key)
		if s.fresh {
			s.skip()
		}
		switch s.token() {
		case ',':
			s.r++
		case '}':
			s.r++
			return
		default:
			s.fail()
		}
	}
}

// array calls element for each element of an array. What element does not take
// is skipped, and so is a value that is no array.
func (s *scanner) array(element func()) {
	if s.token() != '[' {
		s.skip()
		return
	}
	s.fresh = false
	s.r++
	if s.token() == ']' {
		s.r++
		return
	}
	for s.live() {
		s.fresh = true
		element()
		if s.fresh {
			s.skip()
		}
		switch s.token() {
		case ',':
			s.r++
		case ']':
			s.r++
			return
		default:
			s.fail()
		}
	}
}

// key reads the key of a member. One that is longer than every key that
// matters comes back cut. It is valid up to the next call.
func (s *scanner) key() []byte {
	p := piece{head: s.name[:0], limit: len(s.name)}
	s.fresh = true
	s.piece(&p)
	return p.head
}

// flag reads true or false. ok is false for anything else, which is skipped.
func (s *scanner) flag() (value, ok bool) {
	c := s.token()
	s.skip()
	return c == 't', s.live() && (c == 't' || c == 'f')
}

// integer reads a whole number. ok is false for anything else, which is skipped.
func (s *scanner) integer() (n int64, ok bool) {
	c := s.token()
	if c != '-' && (c < '0' || c > '9') {
		s.skip()
		return 0, false
	}
	s.fresh = false
	var b [20]byte
	digits := 0
	for s.more() && numeric(s.buf[s.r]) {
		if digits < len(b) {
			b[digits] = s.buf[s.r]
			digits++
		}
		s.r++
	}
	n, err := strconv.ParseInt(string(b[:digits]), 10, 64)
	return n, err == nil
}

// skip leaves a value behind.
func (s *scanner) skip() {
	s.fresh = false
	s.stack = s.stack[:0]
	for s.live() {
		switch s.token() {
		case '"':
			s.skipString()
		case '{':
			if s.open('{', '}') {
				s.skipKey()
				continue
			}
		case '[':
			if s.open('[', ']') {
				continue
			}
		default:
			s.skipWord()
		}
		if !s.close() {
			return
		}
	}
}

// open enters an object or array. It reports whether there is something in it.
func (s *scanner) open(kind, end byte) bool {
	s.r++
	if s.token() == end {
		s.r++
		return false
	}
	if len(s.stack) >= maxDepth {
		s.fail()
		return false
	}
	s.stack = append(s.stack, kind)
	return true
}

// close goes on behind a value that was skipped. It reports whether another one
// of the same whole follows.
func (s *scanner) close() bool {
	for s.live() && len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		switch c := s.token(); {
		case c == ',':
			s.r++
			if top == '{' {
				s.skipKey()
			}
			return s.live()
		case c == '}' && top == '{', c == ']' && top == '[':
			s.r++
			s.stack = s.stack[:len(s.stack)-1]
		default:
			s.fail()
		}
	}
	return false
}

func (s *scanner) skipKey() {
	if s.token() != '"' {
		s.fail()
		return
	}
	s.skipString()
	s.take(':')
}

// skipString leaves a string behind whose first quote is next. What is in it is
// only looked at for its end.
func (s *scanner) skipString() {
	s.r++
	escaped := false // an odd number of backslashes stands right before
	for s.more() {
		b := s.buf[s.r:s.w]
		quote := bytes.IndexByte(b, '"')
		end := quote
		if quote < 0 {
			end = len(b)
		}
		if i := bytes.IndexByte(b[:end], '\n'); i >= 0 {
			s.r += i
			s.fail()
			return
		}
		n := 0
		for n < end && b[end-1-n] == '\\' {
			n++
		}
		escaped = (n%2 == 1) != (n == end && escaped)
		s.r += end
		if quote < 0 {
			continue
		}
		s.r++
		if !escaped {
			return
		}
		escaped = false
	}
}

// skipWord leaves a number, true, false or null behind.
func (s *scanner) skipWord() {
	word, n := "", 0
	switch c := s.token(); {
	case c == 't':
		word = "true"
	case c == 'f':
		word = "false"
	case c == 'n':
		word = "null"
	case c == '-' || '0' <= c && c <= '9':
		for s.more() && numeric(s.buf[s.r]) {
			s.r++
		}
		return
	default:
		s.fail()
		return
	}
	for n < len(word) && s.more() && s.buf[s.r] == word[n] {
		s.r++
		n++
	}
	if n < len(word) {
		s.fail()
	}
}

func numeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// plainRun is how many bytes from the beginning stand for themselves in a JSON
// string.
func plainRun(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(b)
}

// endLine leaves the rest of the line behind. It reports whether the line is
// complete; what stood after the value in it makes it no JSON.
func (s *scanner) endLine() bool {
	for s.more() {
		b := s.buf[s.r:s.w]
		for i, c := range b {
			if c == '\n' {
				s.r += i + 1
				return true
			}
			if c != ' ' && c != '\t' && c != '\r' {
				s.bad = true
				if i = indexLineFeed(b); i >= 0 {
					s.r += i + 1
					return true
				}
				break
			}
		}
		s.r = s.w
	}
	return false
}
