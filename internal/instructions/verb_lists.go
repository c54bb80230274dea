package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Several verbs may have one object, and one verb several objects.

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

// shareObjects writes out what several verbs or objects share: "merge or close pull requests" is
// "merge pull requests or close pull requests".
func (p *phrase) shareObjects() {
	if ofProhibition.Get().MatchString(p.words) {
		p.words = verbsOf.Get().ReplaceAllString(p.words, "$1 $4$2$3 $4")
		p.words = objectsOf.Get().ReplaceAllString(p.words, "$1 $2$3$1 $4")
	}
}

// explained is an act with an option in parentheses that says how it is done.
var explained = lazy.Regexp{Source: `(‹a\d+›) \(‹f\d+›\)( or |, | and )`}

// deleteFiles names the act of deleting any file. Deleting files in a folder is another act.
const deleteFiles = "delete-files"

var actInFolder = lazy.Regexp{Source: `‹a\d+› (?:in|from|under|below|inside|within|of) (?:the |any )?‹p\d+›`}

// twoProhibitions forbids something, and an act of its own besides. One of them has a branch.
var twoProhibitions = lazy.Regexp{Source: `^(.*\b(?:never|not|don't|avoid) )([^.;]*‹\w\d+›) or (‹a\d+›)( to (?:‹t\d+›|main|master|develop))?((?:[.,;!]| (?:directly|yourself|without|unless)\b).*|)$`}

// actTo is an act on what is named. What is added to a commit is none.
var actTo = lazy.Regexp{Source: `‹[ac]\d+› (?:\w+ )?to ‹`}

// forbidsName is a part of a sentence that forbids what it names, as others of it do.
var forbidsName = lazy.Regexp{Source: `^(?:(?:in|inside|within|under) (?:the )?‹p\d+›,? ?)?(?:[\w ]{0,20}: )?(?:never|do not|don't|no|avoid) [^;]*‹[tcpa]`}

// limitOfAll is a limit in words in front of such a list, which may be that of all parts.
var limitOfAll = lazy.Regexp{Source: `^(?:for|in|when|if|on) [^‹]`}

// samePlace is the place that such a sentence begins with.
var samePlace = lazy.Regexp{Source: `^(?:in|inside|within|under) (?:the )?‹p\d+›,? ?`}

// prohibitions splits "never use ‹t›; never use ‹t›" and "never run ‹c› or ‹push› to ‹main›" into a phrase for each of the two.
func (p *phrase) prohibitions() (list []phrase) {
	if m := eachNever.Get().FindStringSubmatch(p.words); m != nil {
		for _, w := range strings.Split(m[2], ", never ") {
			list = append(list, p.saying(m[1]+"never "+w))
		}
		return list
	}
	if parts := strings.Split(p.words, "; "); len(parts) > 1 && !slices.ContainsFunc(parts, func(w string) bool { return !forbidsName.Get().MatchString(w) || limitOfAll.Get().MatchString(w) }) {
		front := samePlace.Get().FindString(parts[0])
		for i, w := range parts {
			if i > 0 { // the place is that of all
				w = front + w
			}
			list = append(list, p.saying(w))
		}
		return list
	}
	m := twoProhibitions.Get().FindStringSubmatch(p.words)
	if m == nil || m[4] == "" && !actTo.Get().MatchString(m[2]) || strings.HasPrefix(m[4], " ") && p.allOnBranches(m[2]+m[3]) {
		return []phrase{*p}
	}
	return []phrase{p.saying(m[1] + m[2] + m[5]), p.saying(m[1] + m[3] + m[4] + m[5])}
}

// allOnBranches reports whether all that is named is done to a branch in the same way, so that a branch
// behind the last is that of each: "never ‹commit› or ‹push› to ‹main›".
func (p *phrase) allOnBranches(words string) bool {
	return !slices.ContainsFunc(p.termsIn(words), func(t term) bool {
		return t.kind != 'a' || !slices.Contains([]string{"commit", "push"}, t.text)
	})
}

// eachNever is a list of acts with a "never" in front of each.
var eachNever = lazy.Regexp{Source: `^((?:(?:in|inside|within|under) (?:the )?‹p\d+›,? ?)?(?:[\w ]{0,20}[:—–] ?)?)never (‹a\d+›[^,;:.]*(?:, never ‹[ac]\d+›[^,;:.]*)+[.!]?)$`}

// saying returns a copy of a phrase with other words about the same names.
func (p *phrase) saying(words string) phrase {
	said := *p
	said.words, said.terms = words, slices.Clone(p.terms)
	return said
}

// actsAsVerb reports whether the mark of an act goes on with a list of verbs about a file: "never
// edit or ‹commit› ‹p›".
func (p *parser) actsAsVerb(i int) bool {
	c, was := p.last(), p.text(i-1)
	if !strings.HasPrefix(p.text(i), "‹a") || !c.not || len(c.verbs) == 0 || c.objects != "" || was != "or" && was != "nor" && was != "," {
		return false
	}
	for k := i + 1; k <= i+3; k++ {
		if strings.HasPrefix(p.text(k), "‹") {
			return strings.HasPrefix(p.text(k), "‹p")
		}
	}
	return false
}

// listed reports whether a verb goes on with a list of verbs that have one object: only commas and
// conjunctions are in front of it.
func (p *parser) listed(i int) bool {
	was, gap := p.text(i-1), p.last().gap
	if was == "or" || was == "nor" {
		return gap == 1 || gap == 2 && p.text(i-2) == ","
	}
	return was == "," && gap == 1
}

// instead reports whether the verb behind a comma begins what to do instead, as in "never edit ‹p›,
// run ‹c›". In "never run ‹c›, run ‹c› or push" it goes on with a list.
func (p *parser) instead(i int) bool {
	if c := p.last(); c.objects == "" && c.gap < 2 || !slices.Contains(p.verbs[p.text(i)], "run") {
		return false
	}
	if w := p.text(i - 2); w == "hand" || w == "manually" || w == "directly" { // the clause in front is complete
		return true
	}
	for k := i + 1; k < len(p.at) && !strings.Contains(".;—–", p.text(k)); k++ {
		if w := p.text(k); (w == "or" || w == "nor" || w == "and") && len(p.verbs[p.text(k+1)]) > 0 {
			return false
		}
	}
	return true
}

// pair begins with one thing instead of another, and goes on with a further pair.
var pair = lazy.Regexp{Source: `(‹\w\d+› (?:instead of|over|rather than) ‹\w\d+›)(?:,? and |, |; )(‹\w\d+› (?:instead of|over|rather than) ‹)`}

// pairs splits "use ‹a› instead of ‹b› and ‹c› instead of ‹d›" into a phrase for each pair.
func (p *phrase) pairs() []phrase {
	at := pair.Get().FindStringSubmatchIndex(p.words)
	if at == nil {
		return []phrase{*p}
	}
	rest := p.saying(p.words[:at[0]] + p.words[at[4]:])
	return append([]phrase{p.saying(p.words[:at[3]])}, rest.pairs()...)
}

// twoDemands matches a demand for two commands, each with its own condition.
var twoDemands = lazy.Regexp{Source: `^(.*\b(?:run|use|execute) ‹c\d+›[^‹,;.]*? before [^‹,;.]*?),? and (‹c\d+›[^‹,;.]*? (?:when|if|whenever|after) .*)$`}

// demands splits "run ‹c› before ‹words› and ‹c› when ‹words›" into a phrase for each of the two.
func (p *phrase) demands() []phrase {
	m := twoDemands.Get().FindStringSubmatch(p.words)
	if m == nil || denies.Get().MatchString(m[1]) {
		return p.pairs()
	}
	return []phrase{p.saying(m[1]), p.saying("run " + m[2])}
}

// furtherRun is a name in a list behind a command.
var furtherRun = lazy.Regexp{Source: `‹c\d+›(?:,? (?:or|and|nor) |, ?|/)‹t\d+›`}

// alsoRun makes a command of a name that begins as the command in front of it.
func (p *phrase) alsoRun(s string) string {
	marks := mark.Get().FindAllString(s, 2)
	first, next := p.termIn(marks[0]), p.termIn(marks[1])
	if program(next.text) != program(first.text) || !programs.Get().MatchString(next.text) {
		return s
	}
	next.kind = command
	return strings.Replace(s, "‹t", "‹c", 1)
}

// codeOnBranch is a command and the branch that it is done to, or a commit that is made.
var codeOnBranch = lazy.Regexp{Source: `\b(?:creat|mak)(?:e|ing) (?:an?|any|the|each|every|new) ‹c\d+›|‹c\d+› (?:on|to|onto|into|against) (?:the |your )?(?:‹t|main\b|master\b|develop\b|trunk\b|production\b)`}

// actOnBranch names the act of such a command.
func (p *phrase) actOnBranch(s string) string {
	name := map[string]string{"git push --force": "force-push", "git push -f": "force-push", "git push --force-with-lease": "force-push", "git push": "push", "git commit": "commit", "git merge": "merge"}[p.termIn(s).text]
	if name == "" {
		return s
	}
	act := p.add('a', name, false)
	if !strings.HasPrefix(s, "‹") {
		return act
	}
	return strings.Replace(s, mark.Get().FindString(s), act, 1)
}

// leftOut begins an item about what is not done.
var leftOut = lazy.Regexp{Source: `^(?:missing|not|mixing|forget|forgetting|without|omitting|neglecting)$`}

// maxThing bounds the words of an item that only names a thing.
const maxThing = 4

// underBan is an item as what is above it forbids it. One without a verb is a thing that must not
// be: "default exports".
func underBan(s *Statement, verb string) []phrase {
	first := &s.phrases[0]
	under := newPhrase(verb + first.quote)
	under.quote = first.quote
	word, rest, _ := strings.Cut(first.words, " ")
	if verb == "never " && leftOut.Get().MatchString(word) {
		return nil // it is to be done
	}
	acts := gerunds()[word] && !(nounVerb.Get().MatchString(word) && !strings.HasPrefix(rest, "‹") && !certainObject.Get().MatchString(rest))
	bare := slices.ContainsFunc([]string{s.Lead, s.heading()}, negative.Get().MatchString)
	if verb != "never " || !bare || acts || strings.HasPrefix(word, "‹") || len(strings.Fields(first.words)) > maxThing {
		return []phrase{under}
	}
	thing := newPhrase("No " + first.quote)
	thing.quote = first.quote
	return []phrase{under, thing}
}
