package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A demand is made of what an agent is to run. A sentence may describe instead what a command does,
// or another line may leave the command to others.

var (
	// unreadable are words of a case that no message can name: they go on with another clause.
	unreadable = lazy.Regexp{Source: `^(?:they|it|its|we|he|she|i|that|which|who|whose|there|and|or|but|nor|so|yet|because|since|although|though|while|until|than|then|instead|rather|otherwise|however|also|is|are|was|were|be|has|have|had|does|do|did|will|would|can|could|may|might|should|must|not)\b|\b(?:adds|removes|affects|touches|introduces|requires|needs|alters|modifies)$`}
	// timeFirst is a word in front of a case that a message does not need.
	timeFirst = lazy.Regexp{Source: `^(?:after|before|during) `}
	// wholeClause is a case with a subject and a verb, and relative one whose verb is of a clause about a name.
	wholeClause = lazy.Regexp{Source: `^(?:an?|the|your|any|this|all|[a-z][\w-]*)\b[^,]* (?:is|are|was|were|affects|touches|spans|alters|modifies|introduces|needs|requires|does|do|did|has|have|produces|breaks|adds|removes|changes the)\b|^(?:an?|the|your|any|[\w-]+)(?: [\w-]+){0,3} changed$|^an? (?:[\w-]+ ){1,3}changes$`}
	// changesSo is one about how its subject changes.
	changesSo = lazy.Regexp{Source: `^(?:an?|the|this|any) (?:[\w-]+ ){1,4}changes (?:in a way|so|such) that\b`}
	relative  = lazy.Regexp{Source: `\b(?:that|which|who|whose|where)\b|^\w+ing\b`}
	// does is what a command does, behind its name.
	does = lazy.Regexp{Source: `^ (?:\([^)]*\) )?(?:also |then |always |automatically |already |only )*(?:(?:runs|executes|performs|reproduces|mirrors|wraps|invokes|calls)\b|(?:applies|rewrites|overwrites|writes|deletes|removes|drops|resets|creates|generates|installs|publishes|deploys|pushes|uploads|migrates|changes|modifies|sends|allows|permits|accepts|tolerates|ignores) [a-z])`}
	// well is how a command is to run.
	well = lazy.Regexp{Source: `^ (?:\([^)]*\) )?(?:\w+ )?runs (?:clean(?:ly)?|green|without|successfully|fine|ok)\b`}
	// whileRun is in front of what a command runs: "‹c› runs the part (‹c›".
	whileRun = lazy.Regexp{Source: `‹[acpt]\d+›(?: itself| automatically| also| then| already| always)* (?:runs|executes|performs|invokes|calls)\b[^.;:]*$`}
	// orders is a word in front of a command that wants it to be run.
	orders = lazy.Regexp{Source: `\b(?:run|execute|use|ensure|make sure|verify|must|always|should|check that)\b`}
	// leaves is a sentence or a heading that leaves commands to others.
	leaves = lazy.Regexp{Source: `(?i)\b(?:never|do not|don['’]t) (?:ever |manually |directly )?(?:run|execute|invoke)\b`}
	// byOneself goes on with whom they are left to, or when.
	byOneself = lazy.Regexp{Source: `(?i)\b(?:yourself|manually|by hand|on your own|during (?:development|normal work|iteration)|while (?:developing|iterating))\b`}
	// needless is a sentence about a command that need not run.
	needless = lazy.Regexp{Source: "(?i)\\b(?:(?:don['’]t|do not) bother|(?:there is |there['’]s )?no need|need not|not necessary)(?: to| with)? (?:run|running|execute|executing)(?: the)? `?([\\w:./-]+)"}
	// furtherThing is one more object in plain words.
	furtherThing = lazy.Regexp{Source: `^,? (?:and|plus|as well as) (?:the |a |an |its |any |all )[\w -]{3,}$`}
)

// tellsWhatRuns reports whether a sentence describes what a command runs: "‹c› runs the same
// checks, so …".
func tellsWhatRuns(before, behind string) bool {
	front := sentenceFront.Get().FindString(before)
	if orders.Get().MatchString(front) || calledFor.Get().MatchString(behind) {
		return false
	}
	return does.Get().MatchString(behind) && !well.Get().MatchString(behind) || whileRun.Get().MatchString(front)
}

// leftToOthers reports whether the headings of a statement, or another line of its file, say that
// an agent is not to run the commands itself.
func (b *builder) leftToOthers(names []string) bool {
	for _, above := range append(slices.Clone(b.s.Section), b.s.Lead) {
		if leaves.Get().MatchString(above) && byOneself.Get().MatchString(above) {
			return true
		}
	}
	file, ok := b.shows()
	return ok && slices.ContainsFunc(names, func(n string) bool {
		return slices.Contains(file.left(), n) || slices.Contains(file.left(), n[strings.LastIndexByte(n, ' ')+1:])
	})
}

// leftIn are the commands that the sentences of a file leave to others.
func leftIn(all []markdown.Block) (list []string) {
	for i := range all {
		if all[i].Invisible {
			continue
		}
		for _, said := range sentence.Sentences(all[i].Text()) {
			if m := needless.Get().FindStringSubmatch(said); m != nil {
				list = append(list, strings.TrimRight(m[1], ":."))
			}
			at := leaves.Get().FindStringIndex(said)
			if at == nil || !byOneself.Get().MatchString(said[at[1]:]) {
				continue
			}
			for _, c := range markdown.CodeSpan.Get().FindAllString(said[at[1]:], 3) {
				list = append(list, strings.Trim(c, "` "))
			}
		}
	}
	return list
}

// alsoOther reports whether a condition behind a clause is about a further thing that the clause
// names in plain words: "update ‹p› and the test if the fields changed".
func (c *clause) alsoOther(first bool) bool {
	if first || c.objects == "" {
		return false
	}
	_, behind, _ := strings.Cut(c.text, c.objects)
	return furtherThing.Get().MatchString(strings.TrimRight(behind, " "))
}
