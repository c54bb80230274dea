package install

import (
	"bytes"
	"strings"
)

// A Dialect says what a settings file may hold apart from JSON.
type Dialect uint8

const (
	StrictJSON   Dialect = iota
	WithComments         // // and /* */
)

// A span is a range of bytes.
type span struct{ start, end int }

// plain returns text with blanks in place of comments, so that it is JSON in
// which every byte keeps its position. Text that the dialect does not allow is left,
// for the JSON parser to refuse.
func (d Dialect) plain(text []byte) (plain []byte, comments []span) {
	if d == StrictJSON {
		return text, nil
	}
	plain = bytes.Clone(text)
	for pos := 0; pos < len(text); pos++ {
		switch text[pos] {
		case '"':
			pos = endOfString(text, pos)
		case '/':
			end := endOfComment(text, pos)
			if end < 0 {
				return plain, comments
			}
			comments = append(comments, span{pos, end})
			blank(plain[pos:end])
			pos = end - 1
		}
	}
	return plain, comments
}

// WithoutComments returns a text of JSON with blanks in place of comments.
func WithoutComments(text []byte) []byte {
	plain, _ := WithComments.plain(text)
	return plain
}

// endOfString returns the position of the closing quote, or the end of the text.
func endOfString(text []byte, pos int) int {
	for pos++; pos < len(text) && text[pos] != '"'; pos++ {
		if text[pos] == '\\' {
			pos++
		}
	}
	return pos
}

// endOfComment returns where a comment that begins at pos is over, -1 if none
// begins there or it does not end.
func endOfComment(text []byte, pos int) int {
	rest := text[pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end := bytes.IndexAny(rest, "\r\n")
		if end < 0 {
			return len(text)
		}
		return pos + end
	case bytes.HasPrefix(rest, []byte("/*")):
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			return pos + 2 + end + 2
		}
	}
	return -1
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// noted reports whether a comment is in [start, end).
func (d *document) noted(start, end int) bool {
	for _, n := range d.notes {
		if n.start < end && start < n.end {
			return true
		}
	}
	return false
}

// afterNote returns the end of the comments that follow pos on the same line, or
// pos if none does.
func (d *document) afterNote(pos int) int {
	for _, n := range d.notes {
		if n.start >= pos && len(bytes.Trim(d.text[pos:n.start], " \t")) == 0 && bytes.IndexByte(d.text[n.start:n.end], '\n') < 0 {
			pos = n.end
		}
	}
	return pos
}

// blanksBefore returns where the white space that ends at pos begins.
func (d *document) blanksBefore(pos int) int {
	return len(bytes.TrimRight(d.text[:pos], " \t\r\n"))
}

// allNotes returns the comments of the document, joined.
func (d *document) allNotes() string {
	var b strings.Builder
	for _, n := range d.notes {
		b.Write(d.text[n.start:n.end])
		b.WriteByte('\n')
	}
	return b.String()
}
