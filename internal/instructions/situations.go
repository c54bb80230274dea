package instructions

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A label in front of a sentence may name the situation that the sentence is about, a place behind
// a file the place where it is not to be, and another line of the file who does what one asks for.

var (
	// situation is a label that names one: "tests in a linked checkout:".
	situation = lazy.Regexp{Source: `^((?:[\w'-]+ ){1,4}(?:in|on|inside|under|within|during) (?:an? |the |any |your )(?:[\w'/, -]|‹a\d+›){3,90}): ?(?:please |always )?(?:never|not|don't|do not|avoid|no)\b`}
	// oneTry is a label that names a kind of try-out, which also limits the sentences behind the first:
	// "simulator permission testing: …".
	oneTry = lazy.Regexp{Source: `^(?:[\w'/+-]+ ){2,5}(?:testing|debugging|profiling|benchmarking|demos?|verification|troubleshooting)$`}
	// ofChance is a call that gives another value each time, and sameAgain what must not have one.
	ofChance  = lazy.Regexp{Source: `(?i)^(?:new )?(?:\w+(?:\.|::))*(?:date|time|datetime|clock|instant|systemtime|math|random|rand|performance|crypto|uuid|secrets|guid|timeprovider)\b|random|uuid`}
	sameAgain = lazy.Regexp{Source: `(?i)\b(?:non-?)?determinis\w+|\breproducib\w+|\breplay\w*`}
	// headWord is what the head of a file is called.
	headWord = lazy.Regexp{Source: `(?i)\b(?:licen[sc]e|copyright|spdx)\b`}
)

// situation is the situation that a label in front of a sentence names: "" for none.
func (b *builder) situation() string {
	if !forms.Reminds(b.hit.Form) { // a list of files
		return ""
	}
	if m := situation.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil && len(m[1]) <= forms.MaxCase {
		return b.asWritten(b.hit.Phrase.InWords(m[1]))
	}
	if label := strings.Trim(ownLabel(b.s.Text), "*_: "); oneTry.Get().MatchString(label) && len(label) <= forms.MaxCase {
		return label
	}
	return b.repeatable()
}

// bundle is a heading about things that have folders of their own, each with the same places.
var bundle = lazy.Regexp{Source: `(?i)\b(?:skill|plug-?in|extension|add-?on|theme|chart|recipe)s?\b`}

// ofBundle makes a rule about places warn whose line is about the folders of such things, and not of
// the project.
func (b *builder) ofBundle(r *ruletext.Rule) {
	for _, above := range append(b.s.Section[min(1, len(b.s.Section)):len(b.s.Section):len(b.s.Section)], b.s.Lead) {
		if of := bundle.Get().FindString(above); of != "" {
			of = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(of, "s"), "S"))
			if strings.HasPrefix(of, "e") || strings.HasPrefix(of, "a") {
				of = "n " + of
			} else {
				of = " " + of
			}
			r.Warns, r.Message = true, "If this is part of a"+of+", "+statement.Lowered(r.Message)
			return
		}
	}
}

// makesThing is the heading of steps that make one kind of things, and oneThing the file of a step: "place
// the script in ‹p›".
var (
	makesThing = lazy.Regexp{Source: `(?i)^[\W\d_]*((?:adding|creating|writing|making) (?:an? |the )?[\w '/-]{3,50}?)\W*$`}
	oneThing   = lazy.Regexp{Source: `\b(?:place|put|save|create|store|add|write) (?:the|your|its|this) `}
)

// ofStep makes a rule about the place of a file warn whose line is a step of what a heading names: other
// files of the kind have other places.
func (b *builder) ofStep(r *ruletext.Rule) {
	m := makesThing.Get().FindStringSubmatch(b.s.Heading())
	if m == nil {
		m = makesThing.Get().FindStringSubmatch(b.s.Lead)
	}
	if m != nil && oneThing.Get().MatchString(b.hit.Phrase.Words) && !r.Warns {
		r.Warns, r.Message = true, statement.IfAbout(strings.ToLower(m[1]))+statement.Lowered(r.Message)
	}
}

// repeatable is the label or the heading that forbids the clock and chance only where a run has
// to give the same again; "" if there is none.
func (b *builder) repeatable() string {
	denied := b.hit.Terms("deny")
	if len(denied) == 0 || slices.ContainsFunc(denied, func(t sentence.Term) bool { return !ofChance.Get().MatchString(t.Text) }) {
		return ""
	}
	for _, above := range []string{ownLabel(b.s.Text), b.s.Lead, b.s.Heading()} {
		if above = strings.Trim(above, "*_: "); sameAgain.Get().MatchString(above) && len(above) <= forms.MaxCase {
			return strings.ToLower(above[:1]) + above[1:]
		}
	}
	return ""
}

// asWritten are words of the sentence with their upper-case letters, but the first.
func (b *builder) asWritten(said string) string {
	at := strings.Index(strings.ToLower(b.quote), said)
	if at < 0 || said == "" || at+len(said) > len(b.quote) {
		return said
	}
	if len(said) > 1 && unicode.IsUpper(rune(b.quote[at+1])) { // an abbreviation
		return b.quote[at : at+len(said)]
	}
	return said[:1] + b.quote[at+1:at+len(said)]
}

// headAdded reports whether the file says that a program adds the heads with the licence.
func (b *builder) headAdded() bool {
	if shown, ok := b.shows(); ok && slices.ContainsFunc(shown.Added(), headWord.Get().MatchString) {
		return true
	}
	return headWord.Get().MatchString(b.s.Text) && survey.AddedByHook.Get().MatchString(b.s.Text)
}
