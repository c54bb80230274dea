package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func hasBrace(word *syntax.Word) bool {
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

// braces returns the alternatives of a word with {a,b} or {1..3} in it, each as
// the parts of a word.
func (w walker) braces(word *syntax.Word) [][]syntax.WordPart {
	copied := &syntax.Word{Parts: slices.Clone(word.Parts)}
	masked := mapLiterals(copied.Parts, maskDots)
	if !syntax.SplitBraces(copied) {
		return [][]syntax.WordPart{word.Parts}
	}
	all := w.braceProduct(copied.Parts)
	for _, parts := range all {
		if masked {
			mapLiterals(parts, func(s string) string { return strings.ReplaceAll(s, dots, "..") })
		}
	}
	return all
}

// dots replace two dots that are not part of a sequence, which the parser would take for
// one.
const dots = "\uE000\uE001"

// maskDots replaces the dots of {a,..} and leaves those of {1..3}.
func maskDots(s string) string {
	if !strings.Contains(s, "..") {
		return s
	}
	var b strings.Builder
	for s != "" {
		n := 1
		if s[0] == '{' {
			n = max(1, sequenceLength(s))
		}
		if n == 1 && strings.HasPrefix(s, "..") {
			b.WriteString(dots)
			s = s[2:]
			continue
		}
		b.WriteString(s[:n])
		s = s[n:]
	}
	return b.String()
}

// sequenceLength is the length of {x..y} or {x..y..step} at the start of a text, or 0.
func sequenceLength(s string) int {
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return 0
	}
	parts := strings.Split(s[1:end], "..")
	if len(parts) < 2 || len(parts) > 3 {
		return 0
	}
	for i, p := range parts {
		if _, err := strconv.Atoi(p); err != nil && (i == 2 || len(p) != 1 || !isLetter(p[0])) {
			return 0
		}
	}
	return end + 1
}

// mapLiterals changes the literal parts of a word in place, as copies, and reports whether
// any has changed.
func mapLiterals(parts []syntax.WordPart, change func(string) string) (changed bool) {
	for i, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			continue
		}
		if value := change(lit.Value); value != lit.Value {
			c := *lit
			c.Value, changed = value, true
			parts[i] = &c
		}
	}
	return changed
}

// braceProduct multiplies the alternatives of all braces out, up to maxWords.
func (w walker) braceProduct(parts []syntax.WordPart) [][]syntax.WordPart {
	all := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range all {
				all[i] = append(all[i], p)
			}
			continue
		}
		var alts [][]syntax.WordPart
		if b.Sequence {
			alts = w.braceSequence(b)
		} else {
			for _, e := range b.Elems {
				alts = append(alts, w.braceProduct(e.Parts)...)
			}
		}
		next := make([][]syntax.WordPart, 0, min(maxWords, len(all)*len(alts)))
		for _, head := range all {
			for _, tail := range alts {
				if len(next) == maxWords || !w.grow(len(head)+len(tail)) {
					w.bounded(tooBig)
					return next
				}
				next = append(next, slices.Concat(head, tail))
			}
		}
		all = next
	}
	return all
}

// braceSequence returns the elements of {1..5} and {a..e}.
func (w walker) braceSequence(b *syntax.BraceExp) [][]syntax.WordPart {
	text := make([]string, len(b.Elems))
	for i, e := range b.Elems {
		text[i] = e.Lit()
	}
	from, err1 := strconv.Atoi(text[0])
	to, err2 := strconv.Atoi(text[1])
	letter := err1 != nil || err2 != nil
	if letter {
		if len(text[0]) != 1 || len(text[1]) != 1 {
			return nil
		}
		from, to = int(text[0][0]), int(text[1][0])
	}
	step := 1
	if len(text) > 2 {
		if n, err := strconv.Atoi(text[2]); err == nil && n != 0 {
			step = max(n, -n)
		}
	}
	step = max(step, 1) // -n overflows for the smallest number
	var out [][]syntax.WordPart
	for n := from; ; {
		if len(out) == maxWords {
			w.bounded(tooBig)
			break
		}
		value := strconv.Itoa(n)
		if letter {
			value = string(rune(n))
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: value}})
		if from <= to {
			if n > to-step {
				break
			}
			n += step
		} else {
			if n < to+step {
				break
			}
			n -= step
		}
	}
	return out
}
