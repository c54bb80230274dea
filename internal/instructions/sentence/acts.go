package sentence

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// One sentence often forbids several acts: "Never commit secrets, edit `vendor/`, or run `x`". A
// form sees one act, so the sentence is read once for each of them.

var (
	// actsLead is what forbids the acts of a list, or asks about them.
	actsLead = lazy.Regexp{Source: `(?i)^[^\pL\x60]*(?:(never)(?: do| ever)?|(do not|don['’]t|must not|you must never)|(ask)(?: the user)? (?:first|before)(?: doing)?|(requires?|needs?) (?:\w+ )?(?:approval|permission|confirmation))\b(\W*? )`}
	// actsEnd is where the list ends.
	actsEnd = lazy.Regexp{Source: ` (?:[—–-]|--|→|->|=>) |[;:!?] |\. `}
	// actsUnless says when the acts are not forbidden.
	actsUnless = lazy.Regexp{Source: `(?i)[,—–(-]* (?:unless|without|except|when|if|while|until|only|outside|before|in the same)\b.*$|, (?:for|where|as|in|on|during|to) .*$`}
	// notInList says what to do instead, or begins a prohibition of its own.
	notInList = lazy.Regexp{Source: `(?i)\b(?:instead|but|rather|please|do not|don['’]t|never|always|prefer)\b`}
	// turned begins words that turn a prohibition round, or that name no act: "do not forget to".
	turned = lazy.Regexp{Source: `(?i)^(?:ever |even )?(?:forget|fail|hesitate|neglect|omit|miss|be|worry|need|have|just|only|simply|merely|assume|expect|ask|wait|let|make|require|tell|guess|bother)\b`}
	// advice begins what to do instead, behind a comma alone.
	advice  = lazy.Regexp{Source: `(?i)^(?:use|run|call|try|check|read|create|open|stage|work|get|go|write|change|add|put)\b`}
	andWord = lazy.Regexp{Source: `\band ([A-Za-z]+) `}
	// nextAct is in front of an act or of a further object.
	nextAct = lazy.Regexp{Source: `,? (?:or|and|nor) |, `}
	// NounVerb is a verb that is more often a noun in a list: "no mocks, test doubles or log files".
	NounVerb = lazy.Regexp{Source: `(?i)^(?:access|build|cache|code|comment|default|design|document|export|format|group|import|index|inline|link|list|lock|log|map|mark|mock|name|order|output|patch|pin|plan|record|release|research|review|set|stage|stub|target|test|type|use)s?$`}
	// nounOfTwo is a noun whose first word alone is a verb.
	nounOfTwo = lazy.Regexp{Source: `(?i)^(?:(?:pull|merge|push|change)[- ]requests?|merge[- ](?:commits?|conflicts?)|commit (?:messages?|history|hash(?:es)?|bod(?:y|ies)|subjects?|titles?|trailers?|descriptions?)|push notifications?|deploy(?:ment)? (?:keys?|tokens?))\b`}
	// CertainObject begins the object of a verb.
	CertainObject = lazy.Regexp{Source: `(?i)^(?:\x60|the |an? |any |all |your |to |on |new |existing |failing )`}
	// askedAbout is what a user is asked about, as a noun.
	askedAbout = lazy.Regexp{Source: `(?i)^(?:new|changes? (?:to|in|of)|edits? (?:to|of|in)|deletions? of|removals? of|any|(?:\w+ ){1,3}changes?\b)`}
)

// Gerunds are the verbs of words.yaml with their forms in -ing.
var Gerunds = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for v := range Words().IsVerb {
		for _, f := range Inflected(v) {
			all[f] = all[f] || f == v || strings.HasSuffix(f, "ing")
		}
	}
	return all
})

// Acts splits a sentence that forbids several acts into a phrase for each of them. The
// exceptions of the sentence apply to each.
func (p *Phrase) Acts() []Phrase {
	said := emphasis.Get().ReplaceAllString(p.Quote, "$1$2$3$4")
	m := actsLead.Get().FindStringSubmatchIndex(said)
	if m == nil {
		return nil
	}
	asks, label := m[6] >= 0 || m[8] >= 0, strings.Contains(said[m[10]:m[11]], ":")
	if m[8] >= 0 && !label {
		return nil
	}
	lead, rest := "never ", strings.TrimRight(said[m[1]:], ". ")
	if asks {
		lead = "ask before "
	}
	unless := ""
	if at := outsideCode(actsUnless.Get(), rest); at != nil {
		rest, unless = rest[:at[0][0]], rest[at[0][0]:]
	}
	if at := outsideCode(actsEnd.Get(), rest); at != nil {
		rest = rest[:at[0][0]]
	}
	if notInList.Get().MatchString(rest) || !asks && turned.Get().MatchString(rest) || !asks && !label && addsAct(rest) {
		return nil
	}
	list, joined := actsIn(rest, asks && label, label)
	if len(list) < 2 || len(list) > MaxDrafts || !label && !joined {
		return nil
	}
	return p.each(lead, list, unless)
}

// each makes a phrase of each act.
func (p *Phrase) each(lead string, acts []string, unless string) (list []Phrase) {
	for _, act := range acts {
		one := NewPhrase(lead + act + unless)
		one.Quote = p.Quote
		list = append(list, one)
	}
	return list
}

// actsIn cuts a list in front of each verb. Other parts belong to the act in front of them, and so
// does a verb behind one that has no object yet. A list is joined if there is an "or" in front of
// its last act: "never edit A, run B" says what to do instead, as "use B" does behind a comma and all
// that is behind an "and". The items of a label are all acts.
func actsIn(list string, nouns, label bool) (acts []string, joined bool) {
	from := 0
	for _, at := range outsideCode(nextAct.Get(), list) {
		if at[0] < from {
			continue
		}
		if hasObject(list[from:at[0]]) && beginsAct(list[at[1]:], nouns) {
			sep := list[at[0]:at[1]]
			if !label && (sep == ", " && advice.Get().MatchString(list[at[1]:]) || strings.HasSuffix(sep, "and ")) {
				return nil, false
			}
			acts, from = append(acts, list[from:at[0]]), at[1]
			joined = strings.HasSuffix(sep, "or ")
		}
	}
	return append(acts, list[from:]), joined
}

// addsAct reports whether an "and" goes on with a verb, which may be what to do instead.
func addsAct(rest string) bool {
	for _, m := range andWord.Get().FindAllStringSubmatch(rest, -1) {
		if Gerunds()[strings.ToLower(m[1])] {
			return true
		}
	}
	return false
}

// hasObject reports whether a part of a list has more than verbs.
func hasObject(part string) bool {
	return slices.ContainsFunc(nextAct.Get().Split(part, -1), func(one string) bool {
		_, object, _ := strings.Cut(one, " ")
		return object != "" && (!Gerunds()[strings.ToLower(object)] || NounVerb.Get().MatchString(object))
	})
}

// beginsAct reports whether a part of a list begins with a verb that has an object.
func beginsAct(part string, nouns bool) bool {
	verb, object, _ := strings.Cut(part, " ")
	switch verb = strings.ToLower(verb); {
	case nounOfTwo.Get().MatchString(part):
		return false
	case nouns && askedAbout.Get().MatchString(part):
		return true
	case !Gerunds()[verb] || object == "":
		return false
	}
	return CertainObject.Get().MatchString(object) || !NounVerb.Get().MatchString(verb)
}

// outsideCode are the places where a pattern matches outside of `code` and of parentheses.
func outsideCode(re *regexp.Regexp, s string) (list [][]int) {
	for _, at := range re.FindAllStringIndex(s, -1) {
		before := s[:at[0]]
		if strings.Count(before, "`")%2 == 0 && strings.Count(before, "(") == strings.Count(before, ")") {
			list = append(list, at)
		}
	}
	return list
}

var (
	// colonObjects is a prohibition with its objects behind a colon.
	colonObjects = lazy.Regexp{Source: `\b((?:never|do not|don't|avoid) (?:commit|push|stage|add|merge|check in|edit|modify|touch|delete|remove|read|print|log|include|write|create|upload|share|expose|publish)): ([^.;!?]+)`}
	// givesReason is a reason, or what to do instead, and no object.
	givesReason = lazy.Regexp{Source: `^(?:never|not|do not|don't|it|they|this|that|these|those|we|you|i|there|the user|users?|only|always|instead|because|since|if|when|unless|until|ci|a human|humans|someone|people|please|just|‹c\d+› (?:\w+s|is|are|will)\b)\b|\b(?:is|are|was|will|would|has|have|must|should|does|do|can|may|needs?|handles?|owns?|makes?|breaks?)\b`}
)

// withObjects takes the colon out of "never commit: keys, dumps".
func withObjects(words string) string {
	return ReplaceAllSubmatch(colonObjects.Get(), words, func(m []string) string {
		if givesReason.Get().MatchString(m[2]) || StartsVerb(m[2]) {
			return m[0]
		}
		return m[1] + " " + m[2]
	})
}

// MaxDrafts bounds the drafts of one statement.
const MaxDrafts = 6
