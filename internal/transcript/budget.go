package transcript

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
)

// A Selection keeps as much of a session as fits into a number of characters: its
// beginning, its end, and between them the lines with errors and corrections: failed
// or refused calls with the calls around them, and the words of the user. A line says
// how many lines are missing at its place. The memory is a few times the budget,
// however long the session is. A Selection is not safe for concurrent use.
type Selection struct {
	chars  int
	count  int // lines that were added
	total  int // characters of all of them
	head   share
	middle share // the newest lines about corrections
	tail   share

	last  picked // the last call, which an error belongs to
	after int    // how many of the next entries belong to an error
}

// picked is a line with its place.
type picked struct {
	index int
	text  string
	chars int // with the line feed
}

// share is a part of a session with its number of characters.
type share struct {
	lines []picked
	chars int
}

// noteRoom is kept free for the lines that name what is missing, in characters.
const noteRoom = 200

// NewSelection makes a Selection of at most chars characters, line feeds
// counted.
func NewSelection(chars int) *Selection { return &Selection{chars: max(chars, 0)} }

// Add offers the next entry.
func (s *Selection) Add(e Entry) {
	text := s.cut(e.Line())
	p := picked{index: s.count, text: text, chars: utf8.RuneCountInString(text) + 1}
	s.count++
	s.total += p.chars
	if s.head.chars <= s.chars { // a session that fits is kept whole
		s.head.add(p)
	}
	s.tail.add(p)
	s.tail.shrink(s.chars)
	s.weigh(e, p)
	s.middle.shrink(s.chars)
}

// cut shortens a line that would take more than a quarter of the budget.
func (s *Selection) cut(line string) string {
	return text.Cut(line, s.chars/4)
}

// weigh keeps a line about a correction.
func (s *Selection) weigh(e Entry, p picked) {
	switch {
	case e.Kind == Human && !e.Sub:
		s.middle.add(p)
	case e.Kind == Result && (e.Failed || e.Denied):
		if s.last.text != "" {
			s.middle.add(s.last)
		}
		s.middle.add(p)
		s.after = 2 // the agent's words about it, and its next call
	case s.after > 0 && e.Kind != Result:
		s.middle.add(p)
		s.after--
	}
	if e.Kind == Call {
		s.last = p
	}
}

// add appends a line, unless it is the last one already.
func (h *share) add(p picked) {
	if n := len(h.lines); n > 0 && h.lines[n-1].index >= p.index {
		return
	}
	h.lines = append(h.lines, p)
	h.chars += p.chars
}

// shrink drops the oldest lines beyond a number of characters.
func (h *share) shrink(chars int) {
	drop := 0
	for h.chars > chars && drop < len(h.lines) {
		h.chars -= h.lines[drop].chars
		drop++
	}
	h.lines = slices.Delete(h.lines, 0, drop)
}

// upTo drops the newest lines beyond a number of characters.
func (h *share) upTo(chars int) {
	for len(h.lines) > 0 && h.chars > chars {
		n := len(h.lines) - 1
		h.chars -= h.lines[n].chars
		h.lines = h.lines[:n]
	}
}

// Lines returns the kept lines in order. A quarter of the budget is for the
// beginning, half for the corrections, the rest for the end.
func (s *Selection) Lines() []string {
	if s.total <= s.chars {
		return s.render(s.head.lines)
	}
	room := max(s.chars-noteRoom, s.chars/2)
	head := share{slices.Clone(s.head.lines), s.head.chars}
	head.upTo(room / 4)
	var middle share
	for _, p := range s.middle.lines {
		if p.index >= len(head.lines) {
			middle.add(p)
		}
	}
	middle.shrink(room / 2)
	tail := share{slices.Clone(s.tail.lines), s.tail.chars}
	tail.shrink(room - head.chars - middle.chars)

	all := append(head.lines, middle.lines...)
	for _, p := range tail.lines {
		if len(all) == 0 || p.index > all[len(all)-1].index {
			all = append(all, p)
		}
	}
	return s.fit(all)
}

// fit renders the lines. If the notes about gaps need more than noteRoom, it drops
// lines from the middle outwards.
func (s *Selection) fit(all []picked) []string {
	for {
		lines := s.render(all)
		size := 0
		for _, l := range lines {
			size += utf8.RuneCountInString(l) + 1
		}
		if size <= s.chars {
			return lines
		}
		if len(all) == 0 {
			return nil // not even the note fits
		}
		i := len(all) / 2
		all = slices.Delete(all, i, i+1)
	}
}

// render writes the lines, with a note wherever some are missing.
func (s *Selection) render(all []picked) []string {
	lines := make([]string, 0, 2*len(all)+1)
	next := 0
	note := func(to int) {
		if to > next {
			lines = append(lines, fmt.Sprintf("[%d lines left out]", to-next))
		}
	}
	for _, p := range all {
		note(p.index)
		lines = append(lines, p.text)
		next = p.index + 1
	}
	note(s.count)
	return lines
}
