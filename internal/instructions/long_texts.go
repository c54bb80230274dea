package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A text of many sentences tells a story, in which most sentences depend on others. A strict ban may
// be clear without them.

var (
	// strictBan is the beginning of a sentence that forbids something itself.
	strictBan = lazy.Regexp{Source: `^\W*(?:(?:‹a\d+›|[a-z][\w -]{2,30}): )?(?:never|do not|don't) (?:manually |directly |ever )*[a-z-]+`}
	// pointing is a word for something that another sentence names, or for a case.
	pointing = lazy.Regexp{Source: `\b(?:it|its|them|their|this|that|these|those|they|such|here|there|above|below|otherwise|either|both|same|then|so|also|too|again|else|if|when|while|until|unless|another|other|yet|just|only|simply|back)\b`}
	// softens limits a sentence behind its last name, and limitsFront is the next sentence if it limits that one.
	softens     = lazy.Regexp{Source: `\b(?:unless|except(?:ions?)?|apart from|only|however|but|optional\w*|exempt\w*|allowed|acceptable|fine|ok|may|can|if|when|instead|otherwise)\b`}
	limitsFront = lazy.Regexp{Source: `^\W*(?:however|but|only|otherwise|if|when|unless)\b|\b(?:unless|except\w*|apart from|exempt\w*|optional\w*|allowed|acceptable|may|can)\b`}
	// ofThat goes on with what a sentence in front is about.
	ofThat = lazy.Regexp{Source: `^\W*(?:it|they|this|that|these|those|both|exceptions?|the (?:only |one )?exceptions?)\b`}
	// setsCase is a sentence that says what those behind it are about.
	setsCase = lazy.Regexp{Source: `^\W*(?:if|when|whenever|for|in|on|during|while|once|after|before|under|with|inside|within|as)\b`}
)

// bansAlone are the sentences of a long text that forbid something by themselves, each as a statement.
func bansAlone(s *statement.Statement) (list []*statement.Statement) {
	for i, p := range s.Phrases {
		if setsCase.Get().MatchString(p.Words) {
			return list // the sentences behind it are about that
		}
		ban := strictBan.Get().FindString(p.Words)
		before, behind, named := strings.Cut(p.Words[len(ban):], "‹")
		if ban == "" || !named || len(p.Quote) > tooMuchText || pointing.Get().MatchString(before) || softens.Get().MatchString(behind) || limitedLater(s.Phrases[i+1:]) {
			continue
		}
		one := *s
		one.Text, one.Phrases = p.Quote, []sentence.Phrase{p}
		list = append(list, &one)
	}
	return list
}

// limitedLater reports whether the sentences behind a ban limit it: the next one, or one about the same.
func limitedLater(behind []sentence.Phrase) bool {
	for i, p := range behind {
		if (i == 0 || ofThat.Get().MatchString(p.Words)) && limitsFront.Get().MatchString(p.Words) {
			return true
		}
	}
	return false
}

// ofLongText makes the drafts of a long text: of its first sentence, where that is in bold, and of its
// bans that are clear without the rest.
func ofLongText(s *statement.Statement, p *survey.Project) (list []Draft, against obstacle) {
	parts := bansAlone(s)
	if first := s.Headline(); first != nil {
		list, against = drafts(first, p)
	}
	for _, part := range parts {
		made, _ := drafts(part, p)
		for _, d := range made {
			if strings.Contains(d.YAML, "addsMatch(") {
				continue // which uses of a name are meant, the text around tells
			}
			if !slices.ContainsFunc(list, func(o Draft) bool { return o.ID == d.ID || SameRule(o.YAML, d.YAML) }) {
				list = append(list, d)
			}
		}
	}
	for i := range list {
		list[i].Statement = *s
	}
	return list, against
}
