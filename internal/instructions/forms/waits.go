package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// until begins what a prohibition waits for.
var until = lazy.Regexp{Source: `(?i)\b(?:until|till) `}

// UserDecides is something that a user decides or says.
var UserDecides = lazy.Regexp{Source: `(?i)\b(?:users?|me|i|we|us|humans?|maintainers?|owners?|team|operator|reviewers?|someone|they|told|asked|says?|said|instruct\w*|approv\w*|permission|permit\w*|allow\w*|confirm\w*|explicit\w*|sign(?:s|ed)?[- ]?off|requests? (?:it|this|that|them|so|otherwise)|(?:on|upon|by|special) request|requested|agree\w*|consent\w*|go-ahead)\b`}

// SayEnd is the end of what a sentence says of one thing.
var SayEnd = lazy.Regexp{Source: `[.;:!?,](?: |$)| ?[(—–]| - `}

// waitsFor is what a prohibition waits for: "" for nothing, and for what a user says.
func waitsFor(sentence string) string {
	at := until.Get().FindStringIndex(sentence)
	if at == nil {
		return ""
	}
	rest := sentence[at[1]:]
	if end := SayEnd.Get().FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	if rest = strings.Trim(rest, " *_."); UserDecides.Get().MatchString(rest) || len(rest) > MaxCase || strings.Count(rest, "`")%2 == 1 || !strings.Contains(rest, " ") {
		return ""
	}
	return strings.ReplaceAll(rest, "`", "")
}

// Waits is what the prohibition of a sentence waits for.
func (f *Found) Waits() string {
	if !Prohibits(f.Form) || f.Form.Severity != "" {
		return ""
	}
	return waitsFor(f.Phrase.Quote)
}

var (
	// onFiles names the files for a command, and does not say when it is to run.
	onFiles = lazy.Regexp{Source: `\bon (?:all |any |the |your |every )*(?:changed|modified|edited|touched|new)$`}
	// atGate is an occasion in front or behind.
	atGate = lazy.Regexp{Source: `\b(?:before|prior to|when|upon|on) (?:[a-z]+ ){0,3}‹a\d+›`}
)

// twice reports whether a form says once more what the sentence wants at another time: "before
// ‹a›, run ‹c› on all changed files" does not want it after each change.
func (f *Found) twice() bool {
	return f.Form.Name == "run-after" && !f.Clause && f.Has("generic") && onFiles.Get().MatchString("on "+f.Slots["generic"]) && atGate.Get().MatchString(f.Phrase.Words)
}

var (
	// choosesForm wishes for a command for one purpose, and maybe for another one.
	choosesForm = lazy.Regexp{Source: `\bprefer [^.;‹]*‹c\d+›[^.;‹]* (?:for|when|to|over|in)\b`}
	// eachFor has a purpose of its own for each of several commands.
	eachFor = lazy.Regexp{Source: `‹c\d+› for [^.;‹]*(?:,|\band\b|/|\bor\b|;) ?(?:use |run )?‹c\d+› for\b`}
)

// chooses reports whether a sentence says which command is for what: it demands none of them.
func (f *Found) chooses() bool {
	if f.Form.Rule != "requires" {
		return false
	}
	said := choosesForm.Get().FindString(f.Phrase.Words) + eachFor.Get().FindString(f.Phrase.Words)
	return slices.ContainsFunc(sentence.Mark.Get().FindAllString(f.Slots["run"], -1), func(m string) bool { return strings.Contains(said, m) })
}

// readBefore is about files that have to be read before others are written.
func readBefore(c, d *clause, add func(string, int, *clause, map[string]string)) {
	words := d.tail()
	switch write := d.of("p"); {
	case doubt.Get().MatchString(words):
	case write != "":
		add("read-first", 0, c, map[string]string{"read": c.Objects, "write": write})
	case gateIn(d) != "" && d.of("a") != "":
		add("read-first", 0, c, map[string]string{"read": c.Objects, "gate": gateIn(d)})
	case d.of("a") != "":
		add("remind-read", 0, c, map[string]string{"read": c.Objects, "gate": sentence.Mark.Get().FindString(d.Objects), "words": words})
	case d.Objects == "" && AllWork(words):
		add("read-first", 0, c, map[string]string{"read": c.Objects, "everything": words})
	case d.is("edit", "create", "delete", "work", "update") && d.of("t") == d.Objects && Tells(words):
		add("remind-read", 0, c, map[string]string{"read": c.Objects, "everything": words, "words": words})
	}
}

// gateIn is what a clause says that something has to happen before: "" for nothing that is known.
func gateIn(d *clause) string {
	if m := sentence.Mark.Get().FindString(d.Objects); m != "" {
		before, _, _ := strings.Cut(d.text, m)
		if (strings.HasPrefix(m, "‹a") || strings.HasPrefix(m, "‹c")) && gateWords.Get().MatchString(before) {
			return m
		}
		return ""
	}
	return sentence.Finishing.Get().FindString(d.text)
}

// byItself goes on with what an agent is not to do of its own accord: a user may ask for it.
var byItself = lazy.Regexp{Source: `^ ?(?:by yourself|on your own(?: initiative| accord)?|of your own accord|without being (?:asked|told)|(?:automatically|proactively|autonomously|unprompted|unasked)(?:$|[.,;)!]| (?:after|every|each|for|when|on|at)\b))`}
