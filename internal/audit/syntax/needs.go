package syntax

import (
	"regexp/syntax"
	"slices"
)

// RegexNeeds returns texts such that every text that the expression matches contains one of
// them, or nil if it finds none. literal returns the texts of a literal in the expression,
// which are never empty, or nil.
func RegexNeeds(expr string, literal func(*syntax.Regexp) []string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return reNeeds(re.Simplify(), literal)
}

func reNeeds(re *syntax.Regexp, literal func(*syntax.Regexp) []string) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCapture, syntax.OpPlus:
		return reNeeds(re.Sub[0], literal)
	case syntax.OpConcat: // every part is needed: the longest texts say most
		var best []string
		for i := 0; i < len(re.Sub); i++ {
			sub := *re.Sub[i]
			for sub.Op == syntax.OpLiteral && i+1 < len(re.Sub) && re.Sub[i+1].Op == syntax.OpLiteral && re.Sub[i+1].Flags == sub.Flags { // as x{7}
				i++
				sub.Rune = slices.Concat(sub.Rune, re.Sub[i].Rune)
			}
			if texts := reNeeds(&sub, literal); worth(texts) > worth(best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate: // one part is needed
		var all []string
		for _, sub := range re.Sub {
			texts := reNeeds(sub, literal)
			if len(texts) == 0 {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// caseSensitive returns a literal that is matched in its own case.
func caseSensitive(re *syntax.Regexp) []string {
	if re.Flags&syntax.FoldCase != 0 {
		return nil
	}
	return []string{string(re.Rune)}
}

// worth is the length of the shortest text, 0 without any.
func worth(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}
