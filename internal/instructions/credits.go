package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// writers are names of those that write commits.
const writers = `(claude|codex|copilot|cursor|gemini|anthropic|openai)`

var (
	// trailer is the name of a line at the end of a message.
	trailer = lazy.Regexp{Source: `(?i)^([a-z]+(?:-[a-z]+)*-by):?$`}
	// coAuthors are those of a commit.
	coAuthors = lazy.Regexp{Source: `(?i)\bco-?author`}
	// withName limits lines at the end of messages to those that name an agent.
	withName = lazy.Regexp{Source: `(?i)\b(?:agent|model|assistant|tool)(?:['’]?s)?['’]? names?\b|\byour (?:own )?names?\b|\b(?:trailers?|lines?|footers?|tags?) (?:for|of|by|naming|with|from|that (?:name|credit|mention)) (?:the |an? |any |your |all )*(?:agents?|assistants?|models?)\b`}
	// ofAnybody matches a line that forbids a trailer and also the trailers of programs: it holds for everybody.
	ofAnybody = lazy.Regexp{Source: `‹t\d+›(?: (?:trailers?|lines?|footers?|tags?))?,? (?:or|and|nor) (?:any |other )?(?:ai|claude|bot|llm|agent|copilot|codex)[\w-]* (?:trailers?|lines?|footers?|tags?|signatures?|attribution)`}
	// lastNot is a text up to its last prohibition.
	lastNot = lazy.Regexp{Source: `^.*\b(?:never|not|don't|no|without)\b`}
)

// trailers are the lines about authors that a sentence is about, as a pattern with one that it
// finds. They are the only thing that it forbids where it names them, and whose name they have.
func (b *builder) trailers() (by, line string, only bool) {
	var names []string
	said := b.hit.Phrase.Words
	if at := lastNot.Get().FindStringIndex(said); at != nil && sentence.Mark.Get().MatchString(said[at[1]:]) { // what is in front may be welcome
		said = said[at[1]:]
	}
	for _, t := range b.hit.Phrase.TermsIn(said) {
		if m := trailer.Get().FindStringSubmatch(t.Text); m != nil && !slices.Contains(names, strings.ToLower(m[1])) {
			names = append(names, strings.ToLower(m[1]))
		}
	}
	told := len(names) > 0
	if !told || coAuthors.Get().MatchString(b.quote) && !slices.Contains(names, "co-authored-by") {
		names = append(names, "co-authored-by")
	}
	by, name := strings.Join(pathglob.Each(names, regexp.QuoteMeta), "|")+":", names[0]
	if len(names) > 1 {
		by = "(" + strings.TrimSuffix(by, ":") + "):"
	}
	if plain := ofAnybody.Get().MatchString(said); plain && told {
		return by, name + ": A <a@example.com>", false
	}
	named := withName.Get().MatchString(b.quote)
	if named || machine.Get().MatchString(b.quote) { // the line is about a machine only
		return by + `[^\n]*` + writers, name + ": Claude <noreply@anthropic.com>", named && told
	}
	return by, name + ": A <a@example.com>", false
}
