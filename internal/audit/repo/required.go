package repo

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// required are texts, in small letters, of which a text has to contain at least one
// in whatever case, or the regular expression matches nothing in it. nil means that
// nothing can be said.
func required(expr string) []string {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return requiredOf(parsed.Simplify())
}

func requiredOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return requiredLiteral(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredOf(re.Sub[0])
	case syntax.OpConcat: // each part is needed: the longest texts say most
		var best []string
		for _, sub := range re.Sub {
			if texts := requiredOf(sub); shortest(texts) > shortest(best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate: // one of them is needed
		var all []string
		for _, sub := range re.Sub {
			texts := requiredOf(sub)
			if texts == nil {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// requiredLiteral is a literal that is worth looking for. s and k are left to the
// expression: other letters than S and K are their capitals too (ſ, the Kelvin sign).
func requiredLiteral(runes []rune) []string {
	const worth = 2
	var best string
	for part := range strings.FieldsFuncSeq(strings.ToLower(string(runes)), func(r rune) bool { return r > unicode.MaxASCII || r == 's' || r == 'k' }) {
		if len(part) > len(best) {
			best = part
		}
	}
	if len(best) < worth {
		return nil
	}
	return []string{best}
}

// shortest is the length of the shortest text, 0 where there is none.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}
