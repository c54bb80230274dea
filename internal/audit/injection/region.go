package injection

import "strings"

// A region is a part of a text with anchors that are close to each other.
type region struct {
	start, end int
	groups     group
}

// reach is how far a pattern goes from its anchor, in bytes.
const reach = 400

// regions finds where the patterns are to be tried. They do not overlap.
func regions(text string) []region {
	table := starts()
	var found []region
	word := false // the byte before is part of a word
	for i := 0; i < len(text); i++ {
		c := text[i]
		inside := word
		word = isWord(c)
		candidates := table[c]
		if len(candidates) == 0 || inside && word {
			continue
		}
		var groups group
		for _, a := range candidates {
			if hasAnchor(text, i, a.text) {
				groups |= a.group
			}
		}
		if groups == 0 {
			continue
		}
		if n := len(found); n > 0 && i-reach <= found[n-1].end {
			found[n-1].end = min(i+reach, len(text))
			found[n-1].groups |= groups
			continue
		}
		found = append(found, region{max(i-reach, 0), min(i+reach, len(text)), groups})
	}
	return found
}

// isWord tells letters and digits; what separates the words of a name does not
// belong to them.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// attempts tries the patterns of the region's groups. offsets lead from the folded
// text to the one that was given; nil means that they are the same.
func (r region) attempts(folded string, offsets []int) []Attempt {
	part := folded[r.start:r.end]
	lower, words := lowered(part), wording{}
	var found []Attempt
	for _, p := range patterns() {
		if p.group&r.groups == 0 {
			continue
		}
		text := lower
		if !p.raw {
			if words.at == nil {
				words = wordsOf(part)
			}
			text = words.text
		}
		for _, m := range p.expr.FindAllStringIndex(text, MaxAttempts) {
			start, end := m[0], m[1]
			if !p.raw {
				start, end = words.at[start], words.at[end-1]+1
			}
			start, end = r.start+start, r.start+end
			if offsets != nil {
				start, end = offsets[start], offsets[end]
			}
			found = append(found, Attempt{start, end, p.kind})
		}
	}
	return found
}

// lowered makes ASCII letters small: the length stays.
func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// wording is the words of a text alone.
type wording struct {
	text string
	at   []int // of each byte of text: where it stood
}

// wordsOf leaves out everything between words, marks of emphasis and of comments too, so
// that a sentence continues over the end of a line. What tells numbers and sentences apart
// stays.
func wordsOf(s string) wording {
	var b strings.Builder
	b.Grow(len(s))
	at := make([]int, 0, len(s))
	put := func(c byte, i int) {
		b.WriteByte(c)
		at = append(at, i)
	}
	lineStart, last := true, byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c == '\n':
			lineStart, c = true, ' '
		case c == '*' || c == '`' || c == '~' || c == '"' || c == '\\':
			continue // emphasis and quotes do not separate
		case strings.IndexByte(".,:/'?!", c) >= 0:
			if lineStart {
				c = ' ' // of a comment
			}
		case c < 0x80 && !isWord(c):
			c = ' '
		}
		if c == ' ' {
			if last != ' ' {
				put(' ', i)
			}
			last = ' '
			continue
		}
		lineStart, last = false, c
		put(c, i)
	}
	return wording{b.String(), at}
}
