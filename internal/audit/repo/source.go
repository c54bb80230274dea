package repo

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
)

// source is a file that is being examined. It is used by one goroutine.
type source struct {
	file    *File
	content []byte
	text    string // content
	binary  bool   // it holds no text
	memo    syntax.Memo

	small    func() string              // text in small letters
	starts   func() []int               // offsets at which lines begin
	secrets  func() []secret.Found      // in their order
	masker   func() *secret.Masker      // of those secrets
	attempts func() []injection.Attempt // at prompt injection
	yaml     func() (*yaml.Node, error)
}

func newSource(f *File, content []byte) *source {
	content = decoded(content)
	s := &source{file: f, content: content, text: string(content)}
	s.binary = !isText(f.Path) && bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
	s.small = sync.OnceValue(func() string { return strings.ToLower(s.text) })
	s.starts = sync.OnceValue(s.findLines)
	s.secrets = sync.OnceValue(func() []secret.Found { return secret.Find(s.text) })
	s.attempts = sync.OnceValue(func() []injection.Attempt { return injection.AttemptsIn(s.text, s.small) })
	s.yaml = sync.OnceValues(func() (*yaml.Node, error) { return parseYAML(s.content) })
	s.masker = sync.OnceValue(func() *secret.Masker { return secret.NewMasker(s.text) })
	return s
}

// decoded is the content in UTF-8 without a byte order mark: that of a file which
// begins with one in UTF-16 is not read as binary, and hides nothing.
func decoded(content []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		return content[3:]
	case bytes.HasPrefix(content, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(content, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return content
	}
	units := make([]uint16, 0, len(content)/2)
	for rest := content[2:]; len(rest) > 1; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	return []byte(string(utf16.Decode(units)))
}

func (s *source) findLines() []int {
	starts := []int{0}
	for i := 0; ; {
		next := strings.IndexByte(s.text[i:], '\n')
		if next < 0 {
			return starts
		}
		i += next + 1
		starts = append(starts, i)
	}
}

// line is the number of the line that holds the byte at offset, from 1.
func (s *source) line(offset int) int {
	starts := s.starts()
	return sort.Search(len(starts), func(i int) bool { return starts[i] > offset })
}

// place is the place of the bytes start to end, with the lines that hold them, and secrets
// masked.
func (s *source) place(start, end int) place {
	first := s.line(start)
	last := max(first, s.line(max(start, end-1)))
	from, to := s.starts()[first-1], len(s.text)
	if last < len(s.starts()) {
		to = s.starts()[last] - 1
	}
	if start-from > maxSnippet/2 { // far into a long line
		from = start - maxSnippet/4
		for from < start && !utf8.RuneStart(s.text[from]) {
			from++
		}
	}
	return place{path: s.file.Path, first: first, last: last, snippet: s.quote(from, to), withheld: s.injected(from, to)}
}

// quote is the text from start to end, cut, without white space around it, and with secrets
// masked, also those that are only partly in it.
func (s *source) quote(start, end int) string {
	end = min(end, start+maxSnippet)
	for _, found := range s.secrets() {
		if found.Start < start && start < found.End {
			start = found.Start
		}
		if found.Start < end && end < found.End {
			end = found.End
		}
	}
	return text.CutBytes(strings.TrimSpace(s.masker().Mask(s.text[start:end])), maxSnippet)
}

// injected reports whether the text from start to end has a part of prompt
// injection.
func (s *source) injected(start, end int) bool {
	return slices.ContainsFunc(s.attempts(), func(a injection.Attempt) bool { return a.Start < end && start < a.End })
}

// countLines is how many lines hold more than white space.
func (s *source) countLines() int {
	n, blank := 0, true
	for _, c := range s.content {
		switch c {
		case '\n':
			if !blank {
				n++
			}
			blank = true
		case ' ', '\t', '\r':
		default:
			blank = false
		}
	}
	if !blank {
		n++
	}
	return n
}
