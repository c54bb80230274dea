// Package jsonscan reads JSON values in bounded memory.
//
// A [Scanner] goes through a value once and keeps only what the caller takes. It
// serves files of any size, whose lines may be of any length, and hostile input:
// it never recurses and never allocates more than the caller's bounds.
package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// windowSize is how much of a file is in memory at a time.
const windowSize = 128 << 10

// maxDepth is how deep a skipped value may nest, as in encoding/json.
const maxDepth = 10000

// maxKey is the length in bytes to which [Scanner.Key] cuts a key. Some objects have paths
// as keys.
const maxKey = 4096

// usualKey is the length of most keys.
const usualKey = 64

// A Scanner reads JSON values. A caller takes each value with one of the methods;
// [Scanner.Object] and [Scanner.Array] skip the values that the caller leaves. A
// Scanner is not safe for concurrent use.
//
// A line feed ends a line of JSON even inside a string, because JSON escapes it
// there. So a line that is not JSON ends where it ends.
type Scanner struct {
	// Document makes a line feed white space: the source is one value.
	Document bool

	src    io.ReaderAt
	end    int64 // nothing behind it is read
	buf    []byte
	r, w   int   // the bytes of the window that are not read yet: buf[r:w]
	base   int64 // offset of buf[0] in the file
	strict bool  // skipped values are checked too

	bad   bool  // something was not JSON since the last GoTo
	short bool  // the source ended inside a value
	err   error // reading failed

	fresh bool // a value begins here and was not taken
	stack []byte
	name  []byte // the last key
}

// New returns a Scanner of the lines in src from offset at up to offset end. It
// reads through a window. Of a value that is skipped it checks only as much as
// finding its end needs.
func New(src io.ReaderAt, at, end int64) *Scanner {
	return &Scanner{src: src, end: end, base: at, buf: make([]byte, min(windowSize, max(end-at, 0)))}
}

// Bytes returns a Scanner of one value in memory. It checks skipped values too.
func Bytes(b []byte) *Scanner {
	s := &Scanner{}
	s.Reset(b)
	return s
}

// Reset makes a Scanner read a value in memory, as one that [Bytes] returns.
func (s *Scanner) Reset(b []byte) {
	*s = Scanner{buf: b, w: len(b), end: int64(len(b)), Document: true, strict: true, fresh: true, stack: s.stack, name: s.name}
}

// Offset is the place of the next byte in the source.
func (s *Scanner) Offset() int64 { return s.base + int64(s.r) }

// GoTo continues at an offset and forgets that something was not JSON.
func (s *Scanner) GoTo(at int64) {
	if at >= s.base && at <= s.base+int64(s.w) {
		s.r = int(at - s.base)
	} else {
		s.base, s.r, s.w = at, 0, 0
	}
	s.bad, s.short, s.fresh = false, false, false
}

// OK reports whether reading can go on: all input was JSON and none is missing.
func (s *Scanner) OK() bool { return !s.bad && !s.short }

// Broken reports whether the input is not JSON. Input that ends early is not broken.
func (s *Scanner) Broken() bool { return s.bad }

// Err is the error of reading the source, nil if there was none.
func (s *Scanner) Err() error { return s.err }

// Fail makes the Scanner treat the line as not JSON.
func (s *Scanner) Fail() { s.bad = true }

// fill reads the next part of the file. It reports false at the end.
func (s *Scanner) fill() bool {
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
func (s *Scanner) more() bool { return s.r < s.w || s.fill() }

// Token returns the next byte that is not white space, without consuming it. It
// returns 0 if reading cannot go on.
func (s *Scanner) Token() byte {
	if s.bad {
		return 0
	}
	for s.more() {
		switch c := s.buf[s.r]; c {
		case ' ', '\t', '\r':
			s.r++
		case '\n':
			if !s.Document {
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

// Take consumes the byte c. Any other byte is a failure.
func (s *Scanner) Take(c byte) bool {
	if s.Token() != c {
		s.Fail()
		return false
	}
	s.r++
	return true
}

// Object calls member for each member of an object. It skips a value that member
// does not take, and a value that is not an object. key is valid until member
// reads on.
func (s *Scanner) Object(member func(key []byte)) {
	s.whole('{', '}', func() {
		key := s.Key()
		if !s.Take(':') {
			return
		}
		s.fresh = true
		member(key)
	})
}

// Array calls element for each element of an array. It skips an element that the
// function does not take, and a value that is not an array.
func (s *Scanner) Array(element func()) {
	s.whole('[', ']', func() {
		s.fresh = true
		element()
	})
}

// whole calls part for each member or element between two brackets.
func (s *Scanner) whole(open, end byte, part func()) {
	if s.Token() != open {
		s.Skip()
		return
	}
	s.fresh = false
	s.r++
	if s.Token() == end {
		s.r++
		return
	}
	for s.OK() {
		part()
		if s.fresh {
			s.Skip()
		}
		switch s.Token() {
		case ',':
			s.r++
		case end:
			s.r++
			return
		default:
			s.Fail()
		}
	}
}

// Key reads the key of a member. A key longer than 4 KB is cut. It is valid
// until the next call.
func (s *Scanner) Key() []byte {
	if s.Token() != '"' {
		s.Fail()
		return nil
	}
	if s.name == nil {
		s.name = make([]byte, 0, usualKey)
	}
	b := s.buf[s.r+1 : min(s.w, s.r+2+usualKey)]
	if n := plainRun(b); n < len(b) && b[n] == '"' {
		s.fresh = false
		s.r += n + 2
		s.name = append(s.name[:0], b[:n]...)
		return s.name
	}
	p := Piece{head: s.name[:0], Limit: maxKey}
	s.Piece(&p)
	s.name = p.head
	return s.name
}

// Null reports whether the next value is null, and consumes that.
func (s *Scanner) Null() bool {
	if s.Token() != 'n' {
		return false
	}
	s.Skip()
	return s.OK()
}

// Flag reads true or false. It skips any other value; ok is false then.
func (s *Scanner) Flag() (value, ok bool) {
	c := s.Token()
	s.Skip()
	return c == 't', s.OK() && (c == 't' || c == 'f')
}

// Integer reads a whole number. It skips any other value; ok is false then.
func (s *Scanner) Integer() (n int64, ok bool) {
	word, ok := s.number()
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(string(word), 10, 64)
	return n, err == nil
}

// Float reads a number. It skips any other value; ok is false then.
func (s *Scanner) Float() (v float64, ok bool) {
	word, ok := s.number()
	if !ok || !json.Valid(word) {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(word), 64)
	return v, err == nil
}

// number consumes the characters of a number. It cuts a long one that is not in memory.
func (s *Scanner) number() (word []byte, ok bool) {
	c := s.Token()
	if c != '-' && (c < '0' || c > '9') {
		s.Skip()
		return nil, false
	}
	s.fresh = false
	from := s.r
	word = s.name[:0]
	for (s.r < s.w || s.src != nil && s.fill()) && numeric(s.buf[s.r]) { // memory may end behind a number
		if s.src != nil && len(word) < cap(word) {
			word = append(word, s.buf[s.r])
		}
		s.r++
	}
	if s.src == nil {
		word = s.buf[from:s.r]
	}
	return word, true
}

// Skip consumes a value.
func (s *Scanner) Skip() {
	s.fresh = false
	s.stack = s.stack[:0]
	for s.OK() {
		switch s.Token() {
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

// open enters an object or array. It reports whether it has content.
func (s *Scanner) open(kind, end byte) bool {
	if len(s.stack) >= maxDepth {
		s.Fail()
		return false
	}
	s.r++
	if s.Token() == end {
		s.r++
		return false
	}
	s.stack = append(s.stack, kind)
	return true
}

// close continues behind a skipped value. It reports whether another value of the
// outermost one follows.
func (s *Scanner) close() bool {
	for s.OK() && len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		switch c := s.Token(); {
		case c == ',':
			s.r++
			if top == '{' {
				s.skipKey()
			}
			return s.OK()
		case c == '}' && top == '{', c == ']' && top == '[':
			s.r++
			s.stack = s.stack[:len(s.stack)-1]
		default:
			s.Fail()
		}
	}
	return false
}

func (s *Scanner) skipKey() {
	if s.Token() != '"' {
		s.Fail()
		return
	}
	s.skipString()
	s.Take(':')
}

// skipString consumes a string whose first quote is next. In a file it only looks
// for the closing quote, which is several times faster than decoding.
func (s *Scanner) skipString() {
	if s.strict {
		s.Piece(&Piece{})
		return
	}
	s.r++
	escaped := false // an odd number of backslashes precedes
	for s.more() {
		b := s.buf[s.r:s.w]
		quote := bytes.IndexByte(b, '"')
		end := quote
		if quote < 0 {
			end = len(b)
		}
		if i := bytes.IndexByte(b[:end], '\n'); i >= 0 {
			s.r += i
			s.Fail()
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

// skipWord consumes a number, true, false or null.
func (s *Scanner) skipWord() {
	word, n := "", 0
	switch c := s.Token(); {
	case c == 't':
		word = "true"
	case c == 'f':
		word = "false"
	case c == 'n':
		word = "null"
	case c == '-' || '0' <= c && c <= '9':
		if number, _ := s.number(); s.strict && !json.Valid(number) {
			s.Fail()
		}
		return
	default:
		s.Fail()
		return
	}
	for n < len(word) && s.more() && s.buf[s.r] == word[n] {
		s.r++
		n++
	}
	if n < len(word) {
		s.Fail()
	}
}

func numeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// End reports whether nothing but white space is left of a value in memory, and
// all of it was JSON.
func (s *Scanner) End() bool { return s.OK() && s.Token() == 0 && !s.bad }

// EndLine consumes the rest of the line. It reports whether the line is complete.
// Anything behind the value makes the line not JSON.
func (s *Scanner) EndLine() bool {
	for s.more() {
		b := s.buf[s.r:s.w]
		for i, c := range b {
			if c == '\n' {
				s.r += i + 1
				return true
			}
			if c != ' ' && c != '\t' && c != '\r' {
				s.bad = true
				if i = bytes.IndexByte(b, '\n'); i >= 0 {
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
