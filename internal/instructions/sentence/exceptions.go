package sentence

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// exceptedBehind is an exception whose verb is behind it: "(tests excepted)".
var exceptedBehind = lazy.Regexp{Source: `\((?:([\w ]{2,25}?) (?:are )?excepted(\)|,)|[\w ]{2,25} excepted:)`}

var (
	// permittedIn is an exception that says where something may be: "never use x (allowed in y)", and
	// permittedFirst one that names the place first: "never use x; in y it is fine".
	permittedIn    = lazy.Regexp{Source: `(?i)(\b(?:never|not|no|don['’]t|avoid|banned|forbidden)\b(?:[^.]|\.[\w\x60])*?)(\(|, |; |[—–] )(?:(?:(?:only|but|it['’]s|it is|they are) )*(?:allowed|fine|ok(?:ay)?|permitted|acceptable)(?: only)?|only) (in|inside|within|under) `}
	permittedFirst = lazy.Regexp{Source: `(?i)(\b(?:never|not|no|don['’]t|avoid|banned|forbidden)\b(?:[^.]|\.[\w\x60])*?)(\(|, |; |[—–] )(?:but )?(in|inside|within|under) ([^;,()]{2,60}?),? (?:it|this|that|they)(?:['’]s| is| are) (?:(?:also|always|of course) )?(?:fine|ok(?:ay)?|allowed|permitted|acceptable)\b`}
)

// exceptionWords are words of these exceptions: each has one.
var exceptionWords = []string{"excepted", "allowed", "fine", "ok", "permitted", "acceptable", "only"}

// withExceptions is a sentence whose exceptions begin with "except".
func withExceptions(sentence string) string {
	low := strings.ToLower(sentence)
	if !slices.ContainsFunc(exceptionWords, func(w string) bool { return strings.Contains(low, w) }) {
		return sentence // most have none, and the patterns try every place
	}
	s := exceptedBehind.Get().ReplaceAllString(sentence, "(except $1$2")
	s = permittedIn.Get().ReplaceAllString(s, "${1}${2}except $3 ")
	return permittedFirst.Get().ReplaceAllString(s, "${1}${2}except $3 $4")
}
