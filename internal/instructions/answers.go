package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A line may name its case by a question: "Working on the parser? Read `docs/parser.md` first."

var (
	// asking is a question in front of what is to be done then.
	asking = lazy.Regexp{Source: `\?[*_"”')]*$`}
	// asksOfWork is one about the work that is done.
	asksOfWork = lazy.Regexp{Source: `(?i)^\W*((?:working|editing|changing|touching|modifying|adding|writing|creating|updating|implementing|extending|refactoring) (?:[^?.;:]{2,60}))\?[*_"”')]*$`}
)

// answers are the sentences of a statement, and in the place of each that follows a question about the
// work, one with that case.
func answers(s *statement.Statement) (said, asked []sentence.Phrase) {
	for i := range s.Phrases {
		p := &s.Phrases[i]
		if i > 0 {
			if m := asksOfWork.Get().FindStringSubmatch(s.Phrases[i-1].Quote); m != nil {
				joined := sentence.NewPhrase("When " + strings.ToLower(m[1][:1]) + m[1][1:] + ", " + statement.Lowered(p.Quote))
				joined.Quote = p.Quote
				asked = append(asked, joined)
				continue
			}
		}
		said = append(said, *p)
	}
	return said, asked
}

// asksOther reports whether a sentence is a question, and not one that the next sentence has for its case.
func asksOther(said string) bool {
	return asking.Get().MatchString(said) && !asksOfWork.Get().MatchString(said)
}
