package sentence

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// verbsOf and objectsOf are several verbs with one object, and one verb with several.
	verbsOf   = lazy.Regexp{Source: `\b(` + objectVerb + `)(,? (?:or|and) )(` + objectVerb + `) (` + objectNoun + `)\b`}
	objectsOf = lazy.Regexp{Source: `\b(` + objectVerb + `) (` + objectNoun + `)(,? (?:or|and) )(` + objectNoun + `)\b`}
	// ofProhibition is a sentence about what is not to be done, or not unasked.
	ofProhibition = lazy.Regexp{Source: `\b(?:never|not|don't|avoid|ask|without|unless)\b`}
)

const (
	objectVerb = `(?:add|remov|install|upgrad|updat|open|creat|merg|clos|delet|push|reopen|approv|publish)(?:e|ing)?`
	objectNoun = `(?:(?:any|the|new|existing|remote) )*(?:pull requests?|prs|issues?|branch(?:es)?|tags?|releases?|dependenc(?:y|ies)|packages?)`
)

// ShareObjects writes out what several verbs or objects share: "merge or close pull requests" is
// "merge pull requests or close pull requests".
func (p *Phrase) ShareObjects() {
	if ofProhibition.Get().MatchString(p.Words) {
		p.Words = verbsOf.Get().ReplaceAllString(p.Words, "$1 $4$2$3 $4")
		p.Words = objectsOf.Get().ReplaceAllString(p.Words, "$1 $2$3$1 $4")
	}
}

// twoProhibitions forbids something, and an act of its own besides. One of them has a branch.
var twoProhibitions = lazy.Regexp{Source: `^(.*\b(?:never|not|don't|avoid) )([^.;]*‹\w\d+›) or (‹a\d+›)( to (?:‹t\d+›|main|master|develop))?((?:[.,;!]| (?:directly|yourself|without|unless)\b).*|)$`}

// actTo is an act on what is named. What is added to a commit is none.
var actTo = lazy.Regexp{Source: `‹[ac]\d+› (?:\w+ )?to ‹`}

// ForbidsName is a part of a sentence that forbids what it names, as others of it do.
var ForbidsName = lazy.Regexp{Source: `^(?:(?:in|inside|within|under) (?:the )?‹p\d+›,? ?)?(?:[\w ]{0,20}: )?(?:never|do not|don't|no|avoid) [^;]*‹[tcpa]`}

// limitOfAll is a limit in words in front of several prohibitions, which may be that of all of them.
var limitOfAll = lazy.Regexp{Source: `^(?:for|in|when|if|on) [^‹]`}

// samePlace is the folder that several prohibitions begin with.
var samePlace = lazy.Regexp{Source: `^(?:in|inside|within|under) (?:the )?‹p\d+›,? ?`}

// Prohibitions splits "never use ‹t›; never use ‹t›" and "never run ‹c› or ‹push› to ‹main›" into a phrase for each of the two.
func (p *Phrase) Prohibitions() (list []Phrase) {
	if m := eachNever.Get().FindStringSubmatch(p.Words); m != nil {
		for _, w := range strings.Split(m[2], ", never ") {
			list = append(list, p.saying(m[1]+"never "+w))
		}
		return list
	}
	if parts := strings.Split(p.Words, "; "); len(parts) > 1 && !slices.ContainsFunc(parts, func(w string) bool { return !ForbidsName.Get().MatchString(w) || limitOfAll.Get().MatchString(w) }) {
		front := samePlace.Get().FindString(parts[0])
		for i, w := range parts {
			if i > 0 { // the place is that of all
				w = front + w
			}
			list = append(list, p.saying(w))
		}
		return list
	}
	m := twoProhibitions.Get().FindStringSubmatch(p.Words)
	if m == nil || m[4] == "" && !actTo.Get().MatchString(m[2]) || strings.HasPrefix(m[4], " ") && p.allOnBranches(m[2]+m[3]) {
		return []Phrase{*p}
	}
	return []Phrase{p.saying(m[1] + m[2] + m[5]), p.saying(m[1] + m[3] + m[4] + m[5])}
}

// allOnBranches reports whether all that is named is done to a branch in the same way, so that a branch
// behind the last is that of each: "never ‹commit› or ‹push› to ‹main›".
func (p *Phrase) allOnBranches(words string) bool {
	return !slices.ContainsFunc(p.TermsIn(words), func(t Term) bool {
		return t.Kind != 'a' || !slices.Contains([]string{"commit", "push"}, t.Text)
	})
}

// eachNever is a list of acts with a "never" in front of each.
var eachNever = lazy.Regexp{Source: `^((?:(?:in|inside|within|under) (?:the )?‹p\d+›,? ?)?(?:[\w ]{0,20}[:—–] ?)?)never (‹a\d+›[^,;:.]*(?:, never ‹[ac]\d+›[^,;:.]*)+[.!]?)$`}

// saying returns a copy of a phrase with other words about the same names.
func (p *Phrase) saying(words string) Phrase {
	said := *p
	said.Words, said.Terms = words, slices.Clone(p.Terms)
	return said
}

// pair begins with one thing instead of another, and goes on with a further pair.
var pair = lazy.Regexp{Source: `(‹\w\d+› (?:instead of|over|rather than) ‹\w\d+›)(?:,? and |, |; )(‹\w\d+› (?:instead of|over|rather than) ‹)`}

// pairs splits "use ‹a› instead of ‹b› and ‹c› instead of ‹d›" into a phrase for each pair.
func (p *Phrase) pairs() []Phrase {
	at := pair.Get().FindStringSubmatchIndex(p.Words)
	if at == nil {
		return []Phrase{*p}
	}
	rest := p.saying(p.Words[:at[0]] + p.Words[at[4]:])
	return append([]Phrase{p.saying(p.Words[:at[3]])}, rest.pairs()...)
}

// twoDemands matches a demand for two commands, each with its own condition.
var twoDemands = lazy.Regexp{Source: `^(.*\b(?:run|use|execute) ‹c\d+›[^‹,;.]*? before [^‹,;.]*?),? and (‹c\d+›[^‹,;.]*? (?:when|if|whenever|after) .*)$`}

// Demands splits "run ‹c› before ‹words› and ‹c› when ‹words›" into a phrase for each of the two.
func (p *Phrase) Demands() []Phrase {
	m := twoDemands.Get().FindStringSubmatch(p.Words)
	if m == nil || Denies.Get().MatchString(m[1]) {
		return p.pairs()
	}
	return []Phrase{p.saying(m[1]), p.saying("run " + m[2])}
}

// furtherRun is a name in a list behind a command.
var furtherRun = lazy.Regexp{Source: `‹c\d+›(?:,? (?:or|and|nor) |, ?|/)‹t\d+›`}

// alsoRun makes a command of a name that begins as the command in front of it.
func (p *Phrase) alsoRun(s string) string {
	marks := Mark.Get().FindAllString(s, 2)
	first, next := p.TermIn(marks[0]), p.TermIn(marks[1])
	if Program(next.Text) != Program(first.Text) || !programs.Get().MatchString(next.Text) {
		return s
	}
	next.Kind = Command
	return strings.Replace(s, "‹t", "‹c", 1)
}

// ActOnBranch puts the act of a command of Git, such as a push, in the place of its mark.
func (p *Phrase) ActOnBranch(s string) string {
	name := map[string]string{"git push --force": "force-push", "git push -f": "force-push", "git push --force-with-lease": "force-push", "git push": "push", "git commit": "commit", "git merge": "merge"}[p.TermIn(s).Text]
	if name == "" {
		return s
	}
	act := p.Add('a', name, false)
	if !strings.HasPrefix(s, "‹") {
		return act
	}
	return strings.Replace(s, Mark.Get().FindString(s), act, 1)
}
