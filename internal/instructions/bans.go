package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// beginsBan is a sentence that begins with a prohibition, so that nothing in front of it limits what
	// follows.
	beginsBan = lazy.Regexp{Source: `^(?i)[\s*_>-]*(?:never|do not|don['’]t|must not|avoid|no)\b`}
	// furtherBan is one more prohibition, of something that it names in code; alikeBan is one whose
	// condition may be that of both.
	furtherBan = lazy.Regexp{Source: "^(?i)[;,] (?:and |or |also )*((?:\\*\\*)?(?:never|do not|don['’]t|must not|no)\\b[^;.`]*`[^`]+`[^;.]*)"}
	alikeBan   = lazy.Regexp{Source: `(?i)\b(?:unless|except|if|when|while|until|without|outside|before|after|in|from|for)\b`}
	// pointsAtFirst is a word for what the first prohibition names.
	pointsAtFirst = lazy.Regexp{Source: `(?i)\b(?:it|its|them|they|these|those|this|that|either|both)\b`}
)

// nextBan is the end of the sign at at, where one prohibition ends there and another one begins:
// "never `a`; never `b`". It is 0 elsewhere.
func nextBan(s string, at int) int {
	if !beginsBan.Get().MatchString(s[:at]) {
		return 0
	}
	m := furtherBan.Get().FindStringSubmatch(s[at:])
	if m == nil || s[at] == ',' && strings.HasPrefix(strings.ToLower(m[1]), "no ") || pointsAtFirst.Get().MatchString(codeSpan.Get().ReplaceAllString(m[1], "")) || s[at] == ',' && alikeBan.Get().MatchString(codeSpan.Get().ReplaceAllString(m[1], "")) {
		return 0
	}
	return at + 1
}
