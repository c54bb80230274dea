package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A name behind "no" or "never" may be part of a description, an example with invented names, or
// a name of the project's own. A rule about the text of files has nothing to do with these.

var (
	// noneInRemark is "no ‹name›" at the beginning of a remark in parentheses, or behind a dash in one.
	noneInRemark = lazy.Regexp{Source: `\((?:[^()‹]|‹[acpft]\d+›)+?(?: —| –|;) no ‹|\(no ‹`}
	// composed tells of a thing, or what it is made of, whose name may be a verb: "request type
	// composed from …".
	composed = lazy.Regexp{Source: `^\W*[\w-]+ (?:\([^)]*\) )?(?:is|are|has|have|was|were) (?:now|already|still|currently|also|an?|the)\b|^\W*(?:[\w-]+ ){1,3}(?:composed|built|made|derived|assembled|generated|formed|backed) (?:from|of|by|on|with)\b`}
	// everySuch is a word that makes a noun phrase a rule: "strict types only (no ‹t›)".
	everySuch = lazy.Regexp{Source: `\b(?:only|strict(?:ly)?|all|always|exclusively|required|everywhere)\b`}
)

// descriptive is from how many words a text without an order is a description.
const descriptive = 5

// nearWords are how many words in front of a remark may make an order of it.
const nearWords = 20

// described reports whether a name is not wanted in a remark on a description: it tells what
// does not happen.
func described(words string) bool {
	at := noneInRemark.Get().FindStringIndex(words)
	if at == nil {
		return false
	}
	before := words[:at[0]]
	if composed.Get().MatchString(before) {
		return true
	}
	said := strings.Fields(before)
	n := len(said)
	near := strings.Join(said[max(0, n-nearWords):], " ")
	if forms.Imperative(before) || forms.Imperative(strings.TrimSpace(forms.SentenceFront.Get().FindString(before))) || statement.Binding.Get().MatchString(near) {
		return false
	}
	return n > 9 || n >= descriptive && !everySuch.Get().MatchString(before)
}

var (
	// habit is the beginning of an item in a list of bad habits.
	habit = lazy.Regexp{Source: `^\W*(?:skipp|ignor|forgett|neglect)ing\b`}
	// helpers are nouns for the project's own code behind names: "`ptr` wrappers".
	helpers = lazy.Regexp{Source: `^(?:, | or | and |‹t\d+›|,? (?:or|and) )*(?:(?:or|and|other|similar|equivalent|such|like|local|custom|own) )*(?:wrappers?|helpers?|functions?|utilit(?:y|ies)|utils|shims?|aliases|methods?|types|class(?:es)?|variables?|hooks|constants?|macros?|copies|variants|implementations?|names)\b`}
	// importFrom is about what code imports, and no run.
	importFrom = lazy.Regexp{Source: `\bimport(?:s|ing)? (?:[\w-]+ ){0,3}from ‹`}
	// ownScript is a script for a migration.
	ownScript = lazy.Regexp{Source: `(?i)\bmigrations? scripts?\b`}
	// ownPackage is about a new package of a repository with several.
	ownPackage = lazy.Regexp{Source: `(?i)\b(?:packages?|librar(?:y|ies)|crates?|modules?) (?:to|in|into|inside|within) (?:the |this |our |your |a )?(?:[\w-]+ )?(?:monorepo|workspace)\b|\b(?:package|dependency|library|crate)-\w`}
	// scaffold is a command that makes something new of the project's own.
	scaffold = lazy.Regexp{Source: ` (?:run )?(?:create|scaffold|generate|gen|new|plop)(?:$|[ :_-])`}
)

// ofHabit reports whether an item of a list of bad habits tells what an agent is not to do, and no
// text of files: "skipping tests because …".
func (b *builder) ofHabit() bool {
	return b.hit.Form.Act != "" && !b.has("deny") && habit.Get().MatchString(strings.ToLower(b.quote))
}

// ofHelpers reports whether names are those of code of the project itself, and of no package.
func (b *builder) ofHelpers() bool {
	behind, ok := b.after("deny")
	return ok && helpers.Get().MatchString(behind)
}

// inGuidance is a sentence about what documents say of commands, or why one is not counted with.
var inGuidance = lazy.Regexp{Source: `\b(?:instruct|recommend|suggest|mention|advertis|document)(?:e|ing)?\b[^.;‹]{0,60}(?:\([^)‹]*)?‹c|\b(?:in|from) (?:the |any |our )?(?:guidance|docs|documentation|examples|instructions)\b|\bnot ‹c\d+›, which\b|\b(?:goes|go|belongs?|lives?|stays?) (?:in|into|to|under) [^.;]*, not (?:in |into )?(?:the )?‹a`}

var (
	// component begins an item about a source file or what is made of it: "‹p› — reads the diff".
	component = lazy.Regexp{Source: `^\W*(?:[\w ‹›-]{1,40}\()?‹p\d+›\)?(?:'s [\w ]{1,30})?\W* ?(?:—|–|--?|:) `}
	// ofReader is a sentence to the agent that reads it.
	ofReader = lazy.Regexp{Source: `\b(?:you|your|agents? (?:must|should|may|can)|claude)\b`}
)

// ofComponent reports whether a ban of an act is what an item says of a source file that it begins with:
// the program does not do the act.
func (d *drafting) ofComponent(hit *forms.Found) bool {
	if d.s.Block != markdown.Item && d.s.Block != markdown.Row || len(d.s.Phrases) == 0 {
		return false
	}
	first := &d.s.Phrases[0]
	at := component.Get().FindString(first.Words)
	if at == "" || ofReader.Get().MatchString(hit.Phrase.Words) {
		return false
	}
	of := first.TermIn(at)
	return sentence.Endings.Get().MatchString(of.Text) && !repo.OfDocument(of.Text)
}
