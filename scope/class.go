package scope

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// set is the content of a class such as [a-z0-9] or [!abc].
type set struct {
	negated bool
	ranges  []runeRange // sorted, without overlap
}

// runeRange holds the characters from lo to hi, both included.
type runeRange struct{ lo, hi rune }

// class reads a class. Its forms are [abc], [a-z], both mixed, and [!abc].
func (p *parser) class() (node, error) {
	open := p.pos
	end := open + classEnd(p.src[open:])
	if end == open {
		return node{}, p.fault(open, `the [ is never closed; write ], or \[ for a bracket`)
	}
	body := p.src[open+1 : end]
	s := &set{}
	switch {
	case strings.HasPrefix(body, "^"):
		return node{}, p.fault(open+1, "[^…] is not negation here; write [!%s]", body[1:])
	case strings.HasPrefix(body, "[:") || strings.HasPrefix(body, "![:"):
		return node{}, p.fault(open+1, "classes such as [:alpha:] are not known; write the ranges, as in [a-zA-Z]")
	case strings.HasPrefix(body, "!"):
		s.negated = true
		body = body[1:]
	}
	if body == "" {
		return node{}, p.fault(open, `nothing stands between the brackets; write the characters, or \[ for a bracket`)
	}
	if err := p.classRanges(s, body, end-len(body)); err != nil {
		return node{}, err
	}
	p.pos = end + 1
	if p.fold {
		s.ranges = append(s.ranges, foldedRanges(s.ranges)...)
	}
	if p.paths {
		s.withoutSlash()
	}
	s.normalize()
	if len(s.ranges) == 0 {
		return node{}, p.fault(open, "a class never matches /; write the / outside the brackets")
	}
	return node{kind: class, set: s}, nil
}

// classRanges reads the characters and ranges of a class. body begins at offset
// in the pattern.
func (p *parser) classRanges(s *set, body string, offset int) error {
	var runes []rune
	var escaped []bool
	for i := 0; i < len(body); {
		esc := body[i] == '\\' && i+1 < len(body)
		if esc {
			i++
		}
		r, n := utf8.DecodeRuneInString(body[i:])
		runes, escaped = append(runes, r), append(escaped, esc)
		i += n
	}
	for i := 0; i < len(runes); i++ {
		lo, hi := runes[i], runes[i]
		if i+2 < len(runes) && runes[i+1] == '-' && !escaped[i+1] {
			hi = runes[i+2]
			i += 2
		}
		if hi < lo {
			return p.fault(offset, "the range %c-%c runs backwards; write %c-%c", lo, hi, hi, lo)
		}
		s.ranges = append(s.ranges, runeRange{lo, hi})
	}
	return nil
}

// withoutSlash takes / out of what the class matches.
func (s *set) withoutSlash() {
	if s.negated {
		s.ranges = append(s.ranges, runeRange{'/', '/'})
		return
	}
	var out []runeRange
	for _, r := range s.ranges {
		if r.lo > '/' || r.hi < '/' {
			out = append(out, r)
			continue
		}
		if r.lo < '/' {
			out = append(out, runeRange{r.lo, '/' - 1})
		}
		if r.hi > '/' {
			out = append(out, runeRange{'/' + 1, r.hi})
		}
	}
	s.ranges = out
}

// normalize sorts the ranges and joins those that touch.
func (s *set) normalize() {
	slices.SortFunc(s.ranges, func(a, b runeRange) int { return int(a.lo - b.lo) })
	out := s.ranges[:0]
	for _, r := range s.ranges {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	s.ranges = out
}

// size returns how many characters the ranges hold.
func (s *set) size() int {
	n := 0
	for _, r := range s.ranges {
		n += int(r.hi-r.lo) + 1
	}
	return n
}

// foldedRanges returns the compared forms of the characters in ranges. A range
// too large to go through is one of a script without case, or means all of it.
func foldedRanges(ranges []runeRange) []runeRange {
	var out []runeRange
	for _, r := range ranges {
		if r.hi-r.lo > 4*maxClass {
			if r.lo <= 'Z' && r.hi >= 'A' {
				out = append(out, runeRange{'a', 'z'})
			}
			continue
		}
		for c := r.lo; c <= r.hi; c++ {
			if f := foldRune(c); f != c {
				out = append(out, runeRange{f, f})
			}
		}
	}
	return out
}
