package forms

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// A file has hundreds of sentences, and there are more than a thousand patterns. A pattern is only
// tried on a sentence that has the texts without which it cannot match: a literal of each part that
// the pattern always has.

// Bounds of what is noted of a pattern: texts of a choice, and choices.
const (
	maxTexts   = 400
	maxChoices = 8
)

// A sieve has the choices of a pattern: of each one, a match has at least one text. Texts are
// numbers of a [literals]. An empty sieve lets everything pass.
type sieve [][]int

// literals numbers the texts of sieves.
type literals struct {
	ids   map[string]int
	texts []string
}

// sieve makes that of a pattern.
func (l *literals) sieve(src string) sieve {
	re, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return nil
	}
	choices := choicesOf(re)
	slices.SortStableFunc(choices, func(a, b []string) int { return len(a) - len(b) })
	var s sieve
	for _, texts := range choices[:min(len(choices), maxChoices)] {
		var ids []int
		for _, t := range texts {
			id, ok := l.ids[t]
			if !ok {
				id = len(l.texts)
				l.ids[t], l.texts = id, append(l.texts, t)
			}
			ids = append(ids, id)
		}
		s = append(s, ids)
	}
	return s
}

// choicesOf are sets of texts: each match of a pattern has a text of each set, in lower case.
func choicesOf(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpLiteral:
		if len(string(re.Rune)) < 2 {
			return nil
		}
		return [][]string{{strings.ToLower(string(re.Rune))}}
	case syntax.OpCapture, syntax.OpPlus:
		return choicesOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return choicesOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var all [][]string
		for _, sub := range re.Sub {
			all = append(all, choicesOf(sub)...)
		}
		return all
	case syntax.OpAlternate:
		var union []string
		for _, sub := range re.Sub {
			of := choicesOf(sub)
			if len(of) == 0 {
				return nil
			}
			best := slices.MinFunc(of, func(a, b []string) int { return len(a) - len(b) })
			union = append(union, best...)
		}
		slices.Sort(union)
		if union = slices.Compact(union); len(union) <= maxTexts {
			return [][]string{union}
		}
	}
	return nil
}

// sifted says which texts a sentence has. It looks for each of them once.
type sifted struct {
	of    *literals
	words string
	found []int8 // 1 or -1 by the number of a text; 0 where it was not looked for
}

// Sift prepares a sentence, in lower case.
func (l *literals) Sift(words string) *sifted {
	return &sifted{l, words, make([]int8, len(l.texts))}
}

// Passes reports whether the sentence may have what a pattern matches.
func (s *sifted) Passes(of sieve) bool {
	return !slices.ContainsFunc(of, func(texts []int) bool { return !slices.ContainsFunc(texts, s.has) })
}

func (s *sifted) has(id int) bool {
	if s.found[id] == 0 {
		s.found[id] = -1
		if strings.Contains(s.words, s.of.texts[id]) {
			s.found[id] = 1
		}
	}
	return s.found[id] > 0
}
