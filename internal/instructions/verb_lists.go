package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Several verbs may have one object, and one verb several objects.

// leftOut begins an item about what is not done.
var leftOut = lazy.Regexp{Source: `^(?:missing|not|mixing|forget|forgetting|without|omitting|neglecting)$`}

// maxThing bounds the words of an item that only names a thing.
const maxThing = 4

// underBan is an item as what is above it forbids it. One without a verb is a thing that must not
// be: "default exports".
func underBan(s *statement.Statement, verb string) []sentence.Phrase {
	first := &s.Phrases[0]
	under := sentence.NewPhrase(verb + first.Quote)
	under.Quote = first.Quote
	word, rest, _ := strings.Cut(first.Words, " ")
	if verb == "never " && leftOut.Get().MatchString(word) {
		return nil // it is to be done
	}
	acts := sentence.Gerunds()[word] && !(sentence.NounVerb.Get().MatchString(word) && !strings.HasPrefix(rest, "‹") && !sentence.CertainObject.Get().MatchString(rest))
	bare := slices.ContainsFunc([]string{s.Lead, s.Heading()}, statement.Negative.Get().MatchString)
	if verb != "never " || !bare || acts || strings.HasPrefix(word, "‹") || len(strings.Fields(first.Words)) > maxThing {
		return []sentence.Phrase{under}
	}
	thing := sentence.NewPhrase("No " + first.Quote)
	thing.Quote = first.Quote
	return []sentence.Phrase{under, thing}
}
