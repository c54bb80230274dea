package instructions

import (
	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// tailLimit limits a demand from behind what it names to a place or a case: "… in CI", "… if the
// parser changed", "(except for docs)".
var tailLimit = lazy.Regexp{Source: `\b(?:unless|except|only (?:if|when|whenever|for|on|in|after)|excluding|allowed|in ci|ci (?:does|runs|handles)|on (?:ci|windows|macos|linux)|(?:if|when) (?:the|an?|your?|possible|applicable|needed|necessary)\b)`}

// limitedBehind reports whether the words behind the last name of some slots limit what a
// sentence asks for.
func (b *builder) limitedBehind(slots ...string) bool {
	least, found := "", false
	for _, slot := range slots {
		if behind, ok := b.after(slot); ok && (!found || len(behind) < len(least)) {
			least, found = behind, true
		}
	}
	if end := forms.SentenceEnd.Get().FindStringIndex(least); end != nil {
		least = least[:end[0]]
	}
	return tailLimit.Get().MatchString(least)
}
