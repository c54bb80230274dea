package statement

import (
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// boldSentence is a first sentence in bold that others follow.
	boldSentence = lazy.Regexp{Source: `^(?:[\x{2600}-\x{27BF}\x{1F300}-\x{1FAFF}️]+ )?\*\*[^*]{12,160}(?:[.!]\*\*|\*\*[.!])(?: |$)`}
	// takesBack limits what the first sentence says, somewhere in the text behind it.
	takesBack = lazy.Regexp{Source: `(?i)\b(?:unless|except(?:ions?)?|apart from|only (?:if|when|for)|however|optional\w*|exempt\w*|allowed|acceptable|may|if you|when you|does not apply|doesn['’]t apply)\b`}
)

// Headline is the first sentence of a long text as a statement. It is nil if the sentence is not in bold, or
// if the text behind it limits it.
func (s *Statement) Headline() *Statement {
	first := boldSentence.Get().FindString(s.Text)
	if first == "" || takesBack.Get().MatchString(s.Text[len(first):]) {
		return nil
	}
	t := *s
	t.Text, t.Phrases = first, sentence.Phrases(first)
	return &t
}
