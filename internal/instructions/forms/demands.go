package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// MaxCase bounds the words of a case in a message, in bytes.
const MaxCase = 100

var (
	// limit is a word that limits a demand to cases that no call shows.
	limit = lazy.Regexp{Source: `\b(?:unless|except|excluding|only (?:if|when|whenever|for|after|once|on|in|under|where)|(?:if|when|where|wherever|as) (?:it is |they are |it's )?(?:needed|necessary|applicable|appropriate|relevant|required|possible|practical|feasible|available)|(?:for|on|in) (?:[\w-]+ ){1,4}only)\b`}
	// SentenceEnd and SentenceFront bound the part of a sentence that a demand is in.
	SentenceEnd   = lazy.Regexp{Source: `[;.!?](?: |$)`}
	SentenceFront = lazy.Regexp{Source: `[^;.!?]*$`}
	// otherThing is a further thing of a list, which a limit behind it is about.
	otherThing = lazy.Regexp{Source: `,[^,]*‹`}
)

// limitedDemand reports whether a word that limits a demand is outside of what its form
// has found, so that the rule does not know of it.
func limitedDemand(words string, from, to int, f *Form) bool {
	if !slices.Contains(Demands, f.Rule) {
		return false
	}
	if m := caseLabel.Get().FindStringSubmatch(words[:from]); m != nil && f.Rule == "requires" && !AllWork(m[1]) && !sentence.Finishing.Get().MatchString(m[1]) {
		return true
	}
	behind := words[to:]
	if end := SentenceEnd.Get().FindStringIndex(behind); end != nil {
		behind = behind[:end[0]]
	}
	if at := limit.Get().FindStringIndex(behind); at != nil && !otherThing.Get().MatchString(behind[:at[0]]) {
		return true
	}
	return limit.Get().MatchString(SentenceFront.Get().FindString(words[:from]))
}

var (
	// caseFront is the case that a sentence is about.
	caseFront = lazy.Regexp{Source: `^(?:when(?:ever)?|if|while|during) (?:you (?:are )?)?([^,‹:]{3,60})(?:,| $)`}
	// onlyRun lets something be run in some cases: it does not ask for it.
	onlyRun = lazy.Regexp{Source: `\bonly (?:ever )?(?:re-?)?(?:run|use|execute|call|invoke)\b[^.;]*‹`}
	// caseLabel is one in front of a colon.
	caseLabel = lazy.Regexp{Source: `^(?:when(?:ever)?|if|while|during|for) (?:you (?:are )?)?([^,‹:()]{3,60}): `}
	// ofKind is a check of changes of one kind: "validate network changes with ‹c›".
	ofKind = lazy.Regexp{Source: `\b(?:validat|verif|check|test|lint|format|preview|review|inspect)\w* ((?:[\w/-]+ ){1,4})(?:with|using|via|by running|through) (?:the )?‹c`}
	// ofOne goes on with what a job is one of, or with where it is done: that has a command of its own.
	ofOne = lazy.Regexp{Source: `^ (?:tasks?|targets?|stages?)\b|^ (?:on|in|against) (?:an? |the |our |at least )*(?:staging|production|prod|live|real|physical|actual|mobile|multiple|different|various|devices?|hardware|browsers?|two|three)\b`}
	// atATime says how many may run, and does not ask for any.
	atATime = lazy.Regexp{Source: `\bone (?:[\w./-]+ ){1,4}at a time\b`}
	jobLast = lazy.Regexp{Source: `\b(?:tests?|lint\w*|build|type-?check\w*|format\w*|checks?|suite)$`}
)

// ofOtherWork reports whether something that is always to be done is meant for one kind of work,
// or for one command of several.
func ofOtherWork(before, said, after string, f *Form) bool {
	kind, _, _ := strings.Cut(f.Name, "-")
	if f.Rule != "requires" || kind != "run" && kind != "job" {
		return false
	}
	if onlyRun.Get().MatchString(SentenceFront.Get().FindString(before)+said) || atATime.Get().MatchString(SentenceFront.Get().FindString(before)+said+after) {
		return true
	}
	if m := ofKind.Get().FindStringSubmatch(SentenceFront.Get().FindString(before) + said); m != nil && !AllWork(m[1]) {
		return true
	}
	m := caseFront.Get().FindStringSubmatch(before)
	return m != nil && !AllWork(m[1]) && !sentence.Finishing.Get().MatchString(m[1]) || kind == "job" && jobLast.Get().MatchString(said) && ofOne.Get().MatchString(after)
}

// Unreadable are words of a case that no message can name: they go on with another clause.
var Unreadable = lazy.Regexp{Source: `^(?:they|it|its|we|he|she|i|that|which|who|whose|there|and|or|but|nor|so|yet|because|since|although|though|while|until|than|then|instead|rather|otherwise|however|also|is|are|was|were|be|has|have|had|does|do|did|will|would|can|could|may|might|should|must|not)\b|\b(?:adds|removes|affects|touches|introduces|requires|needs|alters|modifies)$`}

// does is what a command does, behind its name.
var does = lazy.Regexp{Source: `^ (?:\([^)]*\) )?(?:also |then |always |automatically |already |only )*(?:(?:runs|executes|performs|reproduces|mirrors|wraps|invokes|calls)\b|(?:applies|rewrites|overwrites|writes|deletes|removes|drops|resets|creates|generates|installs|publishes|deploys|pushes|uploads|migrates|changes|modifies|sends|allows|permits|accepts|tolerates|ignores) [a-z])`}

// well is how a command is to run.
var well = lazy.Regexp{Source: `^ (?:\([^)]*\) )?(?:\w+ )?runs (?:clean(?:ly)?|green|without|successfully|fine|ok)\b`}

// whileRun is in front of what a command runs: "‹c› runs the part (‹c›".
var whileRun = lazy.Regexp{Source: `‹[acpt]\d+›(?: itself| automatically| also| then| already| always)* (?:runs|executes|performs|invokes|calls)\b[^.;:]*$`}

// orders is a word in front of a command that wants it to be run.
var orders = lazy.Regexp{Source: `\b(?:run|execute|use|ensure|make sure|verify|must|always|should|check that)\b`}

// furtherThing is one more object in plain words.
var furtherThing = lazy.Regexp{Source: `^,? (?:and|plus|as well as) (?:the |a |an |its |any |all )[\w -]{3,}$`}

// tellsWhatRuns reports whether a sentence describes what a command runs: "‹c› runs the same
// checks, so …".
func tellsWhatRuns(before, behind string) bool {
	front := SentenceFront.Get().FindString(before)
	if orders.Get().MatchString(front) || calledFor.Get().MatchString(behind) {
		return false
	}
	return does.Get().MatchString(behind) && !well.Get().MatchString(behind) || whileRun.Get().MatchString(front)
}

// alsoOther reports whether a condition behind a clause is about a further thing that the clause
// names in plain words: "update ‹p› and the test if the fields changed".
func (c *clause) alsoOther(first bool) bool {
	if first || c.Objects == "" {
		return false
	}
	_, behind, _ := strings.Cut(c.text, c.Objects)
	return furtherThing.Get().MatchString(strings.TrimRight(behind, " "))
}

// machinery is what runs commands by itself.
const machinery = `(?:the |our |this |each |every |a |an )?(?:(?:[\w-]+|‹[acpt]\d+›) ){0,2}?(?:ci(?:/cd)?|pipelines?|workflows?|github actions?|gitlab|actions|hooks?|husky|lefthook|lint-staged|dockerfiles?|docker images?|images?|containers?|(?:release|build|deploy|test|lint|ci|nightly|publish) jobs?|bots?|runners?|production|prod|staging|renovate|dependabot|vercel|netlify|servers?|‹c\d+›)`

// AsksFor is what makes an instruction of a line in a log.
var AsksFor = lazy.Regexp{Source: `\b(?:must|never|always|do not|don't|should|shall|make sure|ensure|forbidden|prohibited)\b`}

// noneLeft says that there are none of a kind of things.
var noneLeft = lazy.Regexp{Source: `(?i)\bno (?:(?:currently )?open|unmerged|pending|outstanding|remaining|stale|dangling|leftover|uncommitted|unpushed|untracked|known|failing|merged|closed) [\w -]{0,20}?(?:prs?|pull requests?|issues?|branch(?:es)?|merge requests?|changes|commits?|stash(?:es)?|worktrees?|tasks?|tests?|todos?)\b`}

var (
	// byMachinery is a sentence that describes what machinery runs.
	byMachinery = lazy.Regexp{Source: `^(?:[\w /-]{1,20}: ?)?` + machinery + `(?: already| also| itself| then| now| currently| still| only)? (?:runs?|uses|executes|calls|builds|invokes|checks|installs|publishes|deploys|tests|lints|wraps|formats|starts)\b[^.;]*$`}
)

// tellsOfMachinery reports whether a sentence describes what CI, a hook or the like runs and
// what not: "ci runs ‹c› (not ‹c›)".
func tellsOfMachinery(words string, to int, f *Form) bool {
	if f.Rule != "commands" && f.Rule != "rivals" {
		return false
	}
	front := SentenceFront.Get().FindString(strings.TrimRight(words[:to], ".;!?"))
	return byMachinery.Get().MatchString(front) && !AsksFor.Get().MatchString(strings.ReplaceAll(front, ", never", ""))
}

// conditional is a clause in front of the main one.
var conditional = lazy.Regexp{Source: `^(?:and |but |also,? |then,? |so,? |first,? |next,? |finally,? |instead,? |otherwise,? |therefore,? |note: |important: )*(?:(?:when|whenever|if|before|after|for|to|in|on|once|while|unless|where|as|with|during|within|by default|anytime|any ?time|only when|at|until|under|from|upon)\b[^,:]{1,160}[,:—–] ?(?:then |please |always |you )?)+`}

// begins is the beginning of such a clause.
var begins = lazy.Regexp{Source: `^(?:for|when|whenever|if|before|after) `}

// labelled is a label in front: "tests: …", "format — …".
var labelled = lazy.Regexp{Source: `^[^.:]{1,60}?(?::| [—–-]) `}

// Told is a sentence about what the software does.
var Told = lazy.Regexp{Source: `^(?:the|this|it|they|these|there|each|a|an|all|both|its|we|our|users?|some) (?:[\w‹›-]+ ){0,6}?(?:is|are|was|were|has|have|uses|use|provides|contains|runs|supports|allows|lets|handles|includes|shows|does|can|will|returns|stores|maps|comes|lives|means|works|makes)\b`}

// Imperative reports whether a phrase asks for something by its main clause.
func Imperative(s string) bool {
	s = strings.TrimLeft(s, `"'([{*-–—•→ `)
	if !Told.Get().MatchString(s) && sentence.StartsVerb(s) {
		return true
	}
	if m := conditional.Get().FindString(s); m != "" && sentence.StartsVerb(s[len(m):]) {
		return true
	}
	if begins.Get().MatchString(s) {
		for i, r := range s {
			if strings.ContainsRune(",:—–", r) && sentence.StartsVerb(strings.TrimLeft(s[i:], ",:—– ")) {
				return true
			}
		}
	}
	if m := labelled.Get().FindString(s); m != "" {
		rest := s[len(m):]
		if sentence.StartsVerb(rest) {
			return true
		}
		if c := conditional.Get().FindString(rest); c != "" && sentence.StartsVerb(rest[len(c):]) {
			return true
		}
	}
	return false
}

// ofAllCalls are the kinds of rules about all calls of a command or all messages, whatever they are for.
var ofAllCalls = []string{"with-variable", "own-option", "editable", "subject-case", "subject-end", "trailer", "with-body", "one-line", "pull-label", "in-container", "merge-commits"}

// someCalls is a case behind what a line about all calls wants.
var someCalls = lazy.Regexp{Source: `^[ (,—–-]*(?:allowed|optional|except|unless|if|when|while|during|(?:in|on|for|under) (?:ci|windows|macos|linux|tests?|releases?|production|local|development|the first)\b)`}

// remarkOnCases is one in parentheses.
var remarkOnCases = lazy.Regexp{Source: `\((?:allowed|optional|except|unless|only|if|when|not)\b`}

// inSomeCases reports whether a sentence that asks for something of all calls is about some of them.
func inSomeCases(before, found, after string, f *Form) bool {
	return slices.Contains(ofAllCalls, f.Rule) && (limited.Get().MatchString(before) || someCalls.Get().MatchString(after) || remarkOnCases.Get().MatchString(found))
}
