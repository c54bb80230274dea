package repo

import (
	regexps "regexp/syntax"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// needs are texts, and every text that a regular expression matches has one of them:
// as they are, or else in small letters and in any case. Without either nothing is known.
type needs struct{ exact, folded []string }

func required(expr string) needs {
	if exact := syntax.RegexNeeds(expr, exactLiteral); exact != nil {
		return needs{exact: exact}
	}
	return needs{folded: syntax.RegexNeeds(expr, requiredLiteral)}
}

// in reports whether the expression may match the text; small is it in small letters.
func (n needs) in(text string, small func() string) bool {
	switch {
	case n.exact != nil:
		return containsAny(text, n.exact)
	case n.folded != nil:
		return containsAny(small(), n.folded)
	}
	return true
}

// minLiteral is the length, in bytes, from which a literal is worth looking for.
const minLiteral = 2

// exactLiteral returns a literal that is matched in its own case.
func exactLiteral(re *regexps.Regexp) []string {
	if text := string(re.Rune); re.Flags&regexps.FoldCase == 0 && len(text) >= minLiteral {
		return []string{text}
	}
	return nil
}

// requiredLiteral returns a literal that is worth looking for, without s and k:
// other letters than S and K are their capitals too (ſ, the Kelvin sign).
func requiredLiteral(re *regexps.Regexp) []string {
	var best string
	for part := range strings.FieldsFuncSeq(strings.ToLower(string(re.Rune)), func(r rune) bool { return r > unicode.MaxASCII || r == 's' || r == 'k' }) {
		if len(part) > len(best) {
			best = part
		}
	}
	if len(best) < minLiteral {
		return nil
	}
	return []string{best}
}
