package repo

import (
	"bytes"
	"sort"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/audit/syntax"
	"github.com/agentsentinel/sentinel/secret"
)

// source is a file that is being examined. It is used by one goroutine.
type source struct {
	file    *File
	content []byte
	text    string // content
	binary  bool   // it holds no text
	memo    syntax.Memo

	starts func() []int          // offsets at which lines begin
	masker func() *secret.Masker // of the secrets that stand in it
}

func newSource(f *File, content []byte) *source {
	s := &source{file: f, content: content, text: string(content)}
	s.binary = bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
	s.starts = sync.OnceValue(s.findLines)
	s.masker = sync.OnceValue(func() *secret.Masker { return secret.NewMasker(s.text) })
	return s
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

// place is where the bytes start to end stand, with the lines that hold them, and
// secrets masked.
func (s *source) place(start, end int) place {
	first := s.line(start)
	last := max(first, s.line(max(start, end-1)))
	return place{path: s.file.Path, first: first, last: last, snippet: s.lines(first, last)}
}

// lines are lines first to last without the last line feed, cut and masked.
func (s *source) lines(first, last int) string {
	starts := s.starts()
	from, to := starts[first-1], len(s.text)
	if last < len(starts) {
		to = starts[last] - 1
	}
	const around = 4 * maxSnippet // so that a secret at the cut is seen whole
	masked := s.masker().Mask(cut(s.text[from:to], around))
	return cut(strings.TrimRight(masked, "\r\n"), maxSnippet)
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
