package instructions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// someKind is a word for some dependencies in front of them, someThat one behind them.
	someKind = lazy.Regexp{Source: `(?i)\b((?:heavy|heavyweight|large|big|native|optional|transitive|copyleft|unmaintained|unvetted|duplicate|overlapping|unnecessary|unneeded|needless|circular|platform-specific) (?:[\w-]+ )?(?:dependenc(?:y|ies)|packages|librar(?:y|ies)))\b`}
	someThat = lazy.Regexp{Source: `(?i)\b((?:an? )?(?:new )?(?:dependenc(?:y|ies)|packages?|librar(?:y|ies)) (?:that|which|for an?|whose|already|not (?:already|yet|in)) [^.,;:()—–]{3,70}?)(?: (?:without|unless|if|when)\b|[.,;:—–(]|$)`}
)

// ofSomeDependencies says in a message about dependencies which of them a line means. What a
// command adds does not tell it.
func (b *builder) ofSomeDependencies(message string) string {
	if !slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return t.Kind == 'a' && t.Text == "dependencies" }) {
		return message
	}
	for _, re := range []*lazy.Regexp{&someKind, &someThat} {
		m := re.Get().FindStringSubmatch(survey.Plain(b.quote))
		if m == nil {
			continue
		}
		if b.hit.Severity == "block" || b.hit.Severity == forms.Reminder {
			b.hit.Severity = "warn"
		}
		return statement.IfAbout(strings.TrimSpace(m[1])) + statement.Lowered(message)
	}
	return message
}

// ofTitle reports whether a sentence is about the option for a title.
func (b *builder) ofTitle() bool {
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return strings.Contains(t.Text, "--title") })
}

// bareSecrets is a sentence that says no more than that there are none.
var bareSecrets = lazy.Regexp{Source: `^(?:no [\w ]{2,30}, (?:and )?)*no (?:secrets|credentials|api[- ]keys)\W*$`}

// tellsOfSecrets reports whether a sentence goes on with what the one in front tells of.
func (b *builder) tellsOfSecrets() bool {
	if secretsIn.Get().MatchString(b.hit.Phrase.Words) && !inSources.Get().MatchString(b.hit.Phrase.Words) {
		return true
	}
	if ofPrograms.Get().MatchString(b.hit.Phrase.Words) && !inSources.Get().MatchString(b.hit.Phrase.Words) {
		return true
	}
	i := slices.IndexFunc(b.s.Phrases, func(p sentence.Phrase) bool { return p.Quote == b.quote })
	return i > 0 && bareSecrets.Get().MatchString(b.hit.Phrase.Words) && !forms.Imperative(b.s.Phrases[i-1].Words)
}

// ofPrograms is a line about what a program does with the secrets of its users, or shows them.
var ofPrograms = lazy.Regexp{Source: `\b(?:stor|sav|persist)(?:e|ing)\b[^.;‹]{0,40}\bpasswords?\b|\b(?:secrets?|credentials|keys?|tokens?|variables)\b[^.;‹]{0,30} (?:(?:to|on) (?:the )?(?:clients?|browsers?|front-?end|end users?|public)|in (?:the |a )?(?:databases?|local ?storage|session ?storage|cookies?|caches?|redis|memory))\b`}

// inSources is a line about what is written or committed, too.
var inSources = lazy.Regexp{Source: `\b(?:code|sources?|files?|repo\w*|commit\w*|hard-?cod\w*)\b|‹a`}

// secretsIn is a line about secrets in what a program shows or passes on.
var secretsIn = lazy.Regexp{Source: `\b(?:secrets?|credentials|keys?|tokens?|passwords?)\b[^.;‹]{0,30} in (?:any |the |your |api |http |error |command |test |ci |build |deployment )*(?:outputs?|responses?|urls?|query (?:strings?|parameters?)|screenshots?|messages?|replies|answers|chats?|prompts?|headers?)\b`}

// ofOtherAct reports whether files are named behind an act that is not about commits.
func (b *builder) ofOtherAct() bool {
	before, _, _ := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["path"]))
	acts := b.hit.Phrase.TermsIn(before)
	return b.hit.Form.Name == "never-commit-file" && len(acts) > 0 && acts[len(acts)-1].Kind == 'a' && !slices.Contains([]string{"commit", "push", "stage-all"}, acts[len(acts)-1].Text)
}

var (
	// ownCase is the case of an item among others that are always done.
	ownCase = lazy.Regexp{Source: `\((?:only )?(?:if|when|whenever|for|on)\b[^)]*\b(?:chang\w*|touch\w*|modif\w*|add\w*|updat\w*|edit\w*|renam\w*|remov\w*|affect\w*|only)\b[^)]*\)`}
	// ofTouched is about a job of each part that changed.
	ofTouched = lazy.Regexp{Source: `\b(?:for|in|on|of) (?:every|each|any|all|the) (?:[\w-]+ ){1,3}(?:you |that |were |was )*(?:touch|chang|modif|edit|affect)\w*`}
	// invents is a command with an invented name, such as my_test, which no call has.
	invents = lazy.Regexp{Source: `(?:^|[\s/_.=:-])(?:my|your|foo|xxx)(?:[_-]\w+|$|[\s/.])|[_-](?:my|your)[_-]|\bTest(?:Name|Foo|X+|Something)\b`}
)

// reasonBehind is why something is forbidden, behind it.
var reasonBehind = lazy.Regexp{Source: `,? (?:because|since|so that|as (?:it|its|this|that|they|these|those|the|an?|there|doing)) .*$`}

var (
	// partName goes on with what a name is one of.
	partName = lazy.Regexp{Source: `^ (?:flags?|options?|parameters?|arguments?|switch(?:es)?|fields?|columns?|labels?|keys?|attributes?|props?|commands?|scripts?|endpoints?|routes?|jobs?|tags?)\b`}
)

// namesPart reports whether a name is that of a part of something, and no package.
func (b *builder) namesPart(t string) bool {
	for i, of := range b.hit.Phrase.Terms {
		if _, behind, _ := strings.Cut(b.hit.Phrase.Words, "‹t"+strconv.Itoa(i)+"›"); of.Text == t && partName.Get().MatchString(behind) {
			return true
		}
	}
	return false
}

var (
	// ofBoth is about a change of two kinds of files at once.
	ofBoth = lazy.Regexp{Source: `\b(?:if|when|whenever|after)\b[^,‹]*\b(?:spans?|touch(?:es)?|affects?|changed?|modif(?:y|ied)|involves?) both\b`}
)
