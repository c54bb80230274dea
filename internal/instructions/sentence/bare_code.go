package sentence

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Some lines name code without marking it as such. A name with a capital letter within it is one
// where a line forbids its use, unless a product has that name.

var (
	// unmarkedName is a name with several capital letters behind what forbids it, or what wants another one.
	unmarkedName = lazy.Regexp{Source: `((?i:\b(?:never|do not|don't|avoid|not to|must not|should not)(?: ever)? (?:us(?:e|ing)|add(?:ing)?|introduc(?:e|ing)|throw(?:ing)?|rais(?:e|ing)|catch(?:ing)?|switch(?:ing)? to|instantiat(?:e|ing))|(?:^|[,;:(—–-] ?|\band |\bor )no) (?:(?:a|an|any|the|new|generic|bare|raw|direct) )*)([A-Z][a-z]+(?:[A-Z]+[a-z\d]*)+(?:\.\w+)*(?:\(\))?|[A-Z]{2,}[a-z]+[A-Z]\w*(?:\(\))?)([\s.,;:)!]|$)`}
	// limitedInWords limits what is forbidden in words.
	limitedInWords = lazy.Regexp{Source: `(?i)\b(?:only|when|where|while|unless|except|if|for|in|on|code)\b`}
	// inTestsOnly are limits that a rule knows.
	inTestsOnly = lazy.Regexp{Source: `(?i)\b(?:allowed |except |but not |not |outside )?(?:in|of) (?:the |unit )*tests?\b|\b(?:in|inside|within|under) (?:the )?\x60[^\x60]+\x60`}
	firstClause = lazy.Regexp{Source: `^[^—–;(]*`}
	// unmarkedPair finds an unmarked name to use and the one that it replaces.
	unmarkedPair = lazy.Regexp{Source: `((?i:\b(?:use|prefer|always use) ))([A-Z][a-z]+(?:[A-Z]+[a-z\d]*)+)((?i:,? (?:instead of|rather than|over|not|never)) )([A-Z][a-z]+(?:[A-Z]+[a-z\d]*)+)([\s.,;:)!]|$)`}
)

// withMarks is a sentence with marks of code around the names that can only be code.
func withMarks(sentence string) string {
	if strings.Count(sentence, "`")%2 == 1 || limitedInWords.Get().MatchString(inTestsOnly.Get().ReplaceAllString(firstClause.Get().FindString(sentence), "")) {
		return sentence
	}
	parts := strings.Split(sentence, "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		s := unmarkedPair.Get().ReplaceAllStringFunc(parts[i], func(all string) string {
			m := unmarkedPair.Get().FindStringSubmatch(all)
			if product().MatchString(m[2]) || product().MatchString(m[4]) {
				return all
			}
			return m[1] + "`" + m[2] + "`" + m[3] + "`" + m[4] + "`" + m[5]
		})
		if s == parts[i] {
			s = unmarkedName.Get().ReplaceAllStringFunc(s, func(all string) string {
				m := unmarkedName.Get().FindStringSubmatch(all)
				if product().MatchString(m[2]) {
					return all
				}
				return m[1] + "`" + m[2] + "`" + m[3]
			})
		}
		parts[i] = s
	}
	return strings.Join(parts, "`")
}

// product matches names of products that look like code, such as GitHub.
var product = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:` + strings.Join(Words().Products, "|") + `)$`)
})
