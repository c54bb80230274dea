package statement

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A file of instructions may also have logs, reports and descriptions. What they tell of asks
// for nothing.

const (
	months  = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	dayForm = `(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|` + months + ` \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{1,2}\.? ` + months + `(?: \d{4})?)`
	logWord = `(?:logs?|journal|diary|history|changelog|release notes|worklog|changes made|accomplish(?:ed|ments)|hand-?offs?|retro(?:spective)?s?)`
	didWord = `(?:done|completed?(?: (?:work|tasks|items|features|steps|phases?|milestones?))?|finished|shipped|status(?: (?:report|update|summary))?|progress(?: (?:report|log|summary|notes))?|recent(?:ly)? (?:changes|work|completed|updates|done)|(?:what )?(?:was|has been|is|we) (?:done|changed|built|completed|shipped)|what['’]s (?:done|changed|new|been done)|work done|session (?:notes|summary|recap)|last session)`
)

var (
	// recordTitle is the heading of a log or a report.
	recordTitle = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:(?:session|work|dev|development|daily|weekly|project|agent|change|update|activity|build|implementation|migration|current|version|decision|sprint|phase|task|the|this|our|latest|previous|past) )*(?:` + logWord + `|` + didWord + `)|(?:session|sprint|week of|day|update|status|notes?|log|entry|progress)?[\W_]*(?:\d+[\W_]+)?` + dayForm + `(?:[\W_]+[^.]{0,60})?)[\W_\d]*(?:\([^)]*\)|[:—–-] ?` + dayForm + `.*)?[\W_]*$`}
	// stackTitle is the heading of what features are built with, and featureTag the end of an entry.
	stackTitle = lazy.Regexp{Source: `(?i)\b(?:technologies|tech(?:nology)? stack|recent changes|stack|features)\b`}
	featureTag = lazy.Regexp{Source: `\(\d{2,4}-[a-z][a-z0-9]*(?:-[a-z0-9]+)*\)\W*$`}
	// counts is a line of numbers of what was done, or of what is there.
	counts = lazy.Regexp{Source: `(?i)^[\W_]*(?:[\w /-]{2,40}: ?[\W_]*)?(?:none|nothing|nil|n/a|zero)\b[^.;]{0,10}(?:$|[.;,(—–-])|\b(?:[a-z]{3,}ed|rewrote|wrote) (?:0\b|\d+\b[^.;]*, (?:and )?[a-z]+ \d+\b)`}
)

// Records reports whether a statement is part of a log or a report, and asks for nothing.
func (s *Statement) Records() bool {
	if featureTag.Get().MatchString(s.Text) && slices.ContainsFunc(s.Section, stackTitle.Get().MatchString) {
		return true
	}
	if slices.ContainsFunc(s.Phrases, func(p sentence.Phrase) bool { return forms.AsksFor.Get().MatchString(p.Words) }) {
		return false
	}
	if counts.Get().MatchString(s.Text) && noWord.Get().MatchString(s.Text) {
		return true
	}
	if len(s.Phrases) > 0 && forms.Imperative(s.Phrases[0].Words) {
		return false
	}
	return slices.ContainsFunc(s.Section[min(1, max(0, len(s.Section)-1)):], recordTitle.Get().MatchString)
}

// noWord is a word of a report that has found nothing.
var noWord = lazy.Regexp{Source: `(?i)\b(?:no|none)\b`}
