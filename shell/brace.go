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
	if !syntax.SplitBraces(copied) {
		return [][]syntax.WordPart{word.Parts}
	}
	return w.braceProduct(copied.Parts)
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
