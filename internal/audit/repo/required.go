package repo

import (
	regexps "regexp/syntax"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// required returns texts in small letters. A text that contains none of them, in any case,
// has no match of the regular expression. nil means that it found none.
func required(expr string) []string { return syntax.RegexNeeds(expr, requiredLiteral) }

// requiredLiteral returns a literal that is worth looking for, without s and k:
// other letters than S and K are their capitals too (ſ, the Kelvin sign).
func requiredLiteral(re *regexps.Regexp) []string {
	const worth = 2
	var best string
	for part := range strings.FieldsFuncSeq(strings.ToLower(string(re.Rune)), func(r rune) bool { return r > unicode.MaxASCII || r == 's' || r == 'k' }) {
		if len(part) > len(best) {
			best = part
		}
	}
	if len(best) < worth {
		return nil
	}
	return []string{best}
}
