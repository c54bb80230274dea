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

// actTo is an act on what is named, and not what is added to it: "add to a commit".
var actTo = lazy.Regexp{Source: `‹[ac]\d+› (?:\w+ )?to ‹`}

// ForbidsName is a part of a sentence that forbids what it names, as others of it do.
var ForbidsName = lazy.Regexp{Source: `^(?:(?:in|inside|within|under) (?:the )?‹p\d+›,? ?)?(?:[\w ]{0,20}: )?(?:never|do not|don't|no|avoid) [^;]*‹[tcpa]`}

// limitOfAll is a limit in words in front of several prohibitions, which may be that of all of them.
var limitOfAll = lazy.Regexp{Source: `^(?:for|in|when|if|on) [^‹]`}

// samePlace is the folder that several prohibitions begin with.
var samePlace = lazy.Regexp{Source: `^(?:in|inside|within|under) (?:the )?‹p\d+›[,:]? ?`}

// Prohibitions splits "never use ‹t›; never use ‹t›" and "never run ‹c› or ‹push› to ‹main›" into a phrase for each of the two,
// and the list of a prohibition by the kinds of its names.
func (p *Phrase) Prohibitions() (list []Phrase) {
	for _, said := range p.eachDenial() {
		for _, of := range said.EachKind() {
			list = append(list, of.otherAct()...)
		}
	}
	return list
}

// eachDenial splits a sentence in front of each further prohibition of it. A limit of one may be that of all of
// them.
func (p *Phrase) eachDenial() (list []Phrase) {
	var parts []string
	from, alike := 0, true
	for _, m := range nextDenial.Get().FindAllStringSubmatchIndex(p.Words, -1) {
		if said := p.Words[from:m[0]]; m[2] >= 0 {
			parts, from = append(parts, said), m[1]
		} else if Denies.Get().MatchString(said) {
			parts, from, alike = append(parts, said), m[4], false
		}
	}
	parts = append(parts, p.Words[from:])
	if len(parts) < 2 || slices.ContainsFunc(parts, func(w string) bool {
		return !ForbidsName.Get().MatchString(w) || limitOfAll.Get().MatchString(w) || !alike && (limits.Get().MatchString(w) || strings.Count(w, "(") != strings.Count(w, ")"))
	}) {
		return []Phrase{*p}
	}
	front := samePlace.Get().FindString(parts[0])
	for i, w := range parts {
		if i > 0 { // the place is that of all
			w = front + w
		}
		list = append(list, p.saying(w))
	}
	return list
}

// otherAct splits "never run ‹c› or ‹push› to ‹main›" in two.
func (p *Phrase) otherAct() []Phrase {
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

// nextDenial is in front of a further prohibition of a sentence.
var nextDenial = lazy.Regexp{Source: `(; )|(?:,? (?:and|or|but|nor)|,) ((?:never|do not|don't|avoid) )`}

// limits is a word that limits what is forbidden.
var limits = lazy.Regexp{Source: `\b(?:unless|without|except|until|if|when|while|before|after|only)\b`}

// saying returns a copy of a phrase with other words about the same names.
func (p *Phrase) saying(words string) Phrase {
	said := *p
	said.Words, said.Terms = words, slices.Clone(p.Terms)
	return said
}

// pair begins with one thing instead of another, and goes on with a further pair.
var pair = lazy.Regexp{Source: `(‹\w\d+› (?:instead of|over|rather than) ` + listed + `)(?:,? and |, |; )(‹\w\d+› (?:instead of|over|rather than) ‹)`}

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

var (
	// furtherRun is a name in a list behind a command, and runList one in a list of what is to be run.
	furtherRun = lazy.Regexp{Source: `‹c\d+›(?:,? (?:or|and|nor) |, ?|/)‹t\d+›`}
	runList    = lazy.Regexp{Source: `\b(?:re-?)?(?:run|running|execute|executing) (?:the )?(?:‹c\d+›(?:,? (?:or|and|nor|then) |, ?|/))+‹t\d+›(?: (?:skill|agent|sub-?agent|workflow|job|action|task|playbook)\b)?`}
	// fileList is a name in a list with a file.
	fileList = lazy.Regexp{Source: `‹p\d+›(?:,? (?:or|and|nor) |, ?|/)‹t\d+›|‹t\d+›(?:,? (?:or|and|nor) |, ?|/)‹p\d+›`}
	// dotName is the name of a file in a list of files, and of a method elsewhere.
	dotName = lazy.Regexp{Source: `^\.[a-z][\w-]*$`}
)

// alsoRun makes a command of the last name of a list that begins as the command in front of it, or that reads
// as a command in a list of what is run.
func (p *Phrase) alsoRun(s string) string {
	marks := Mark.Get().FindAllString(s, -1)
	last := marks[len(marks)-1]
	before, next := p.TermIn(marks[len(marks)-2]), p.TermIn(last)
	alike := Program(next.Text) == Program(before.Text) && programs.Get().MatchString(next.Text)
	first, _, _ := strings.Cut(next.Text, " ")
	if !alike && (strings.HasPrefix(s, "‹") || !strings.HasSuffix(s, "›") || !commandLine.Get().MatchString(next.Text) || Words().IsVerb[first]) {
		return s
	}
	next.Kind = Command
	return strings.Replace(s, last, strings.Replace(last, "‹t", "‹c", 1), 1)
}

// alsoFile makes a file of a name with a dot in front, in a list with a file whose name is more than an ending.
func (p *Phrase) alsoFile(s string) string {
	of := p.TermIn(s[strings.Index(s, "‹p"):])
	t := p.TermIn(s[strings.Index(s, "‹t"):])
	if !t.Code || !dotName.Get().MatchString(t.Text) || strings.HasPrefix(of.Text, "**/*.") {
		return s
	}
	t.Kind = File
	return strings.Replace(s, "‹t", "‹p", 1)
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
