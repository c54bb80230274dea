package instructions

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A demand asks for too much if the form does not read a word that limits it. So each case
// that the sentence names must be a slot of the form, or mean all work. Otherwise the rule
// warns and names the case, or the line makes no rule.

var (
	// timeOf begins words about when a demand holds, ofKinds those about the work that it is for.
	timeOf  = lazy.Regexp{Source: `• to (?:the|any|our|your|public)\b|\b(?:before|prior to|if|when|whenever|while|during|once (?:you|it|the|all)|after|touching|affecting|introducing|involving|(?:changes?|edits?|updates?|modifications?) (?:to (?:the|any|an?|our|your|its|how|public|user-facing)|in|of))\b`}
	ofKinds = lazy.Regexp{Source: `\b(?:for|on|in|of|under|across|where|(?:that|which) (?:touch|chang|affect|modif|add|regenerat|includ|involv|introduc|need|requir)\w*)\b`}
	// saidOf are the words behind these, to the end of what they are about.
	saidOf = lazy.Regexp{Source: `^([^,;:.!?()—–→+|]*?)(?: -+ | (?:before|after|when|if|while|to|so|then|because|since|and|or|but|with|via|using|by|as|until|at|from|is|are|passes|pass|must|should|always|run|use|fix|[a-z]*[a-mo-z]ly|[a-z]{3,}nly)\b|[,;:.!?()—–→+|‹]|$)`}
	// kindOfWork is a noun for work of some kind.
	kindOfWork = lazy.Regexp{Source: `\b(?:chang|edit|updat|releas|fix|feature|refactor|migrat|upgrad|bump|work$|prs?$|ci$|dependenc|failure|errors?$)`}
	// manyKinds is a list of kinds of work: "for public names, file formats, or build changes".
	manyKinds = lazy.Regexp{Source: `^ (?:(?:[\w+#/-]+ ){0,3}[\w+#/-]+, )*(?:[\w+#/-]+ ){0,3}(?:(?:[\w+#/-]+,|and|or|and/or) )+(?:[\w+#/-]+ ){1,5}(?:changes|edits|updates|work)\b`}
	// forNew is a demand on what a change adds alone.
	forNew = lazy.Regexp{Source: `\bfor (?:any |all |every |each |your )*(new (?:files?|pages?|modules?|packages?|components?|classes|endpoints?|tables?))(?:$|[,.;:)])`}
)

// sentence is the part of the words, between its signs, that has the command or the job.
func (b *builder) sentence() string {
	words := b.hit.phrase.Words
	of := cmp.Or(sentence.Mark.Get().FindString(b.hit.slots["run"]), b.hit.slots["run"], b.hit.slots["job"])
	before, after, ok := strings.Cut(words, of)
	if !ok {
		return words
	}
	if end := sentenceEnd.Get().FindStringIndex(after); end != nil {
		after = after[:end[0]]
	}
	if other := otherCase.Get().FindStringIndex(after); other != nil {
		after = after[:other[0]]
	}
	before = sentenceFront.Get().FindString(before)
	if _, then, ok := strings.Cut(before, ", then "); ok { // the case in front is that of another step
		before = then
	}
	return before + of + after
}

// limitation is what the sentence of a demand says, besides what its form has read, of the
// cases in which it holds: "" for all.
func (b *builder) limitation() string {
	said := asideRun.Get().ReplaceAllString(otherwise.Get().ReplaceAllString(b.sentence(), ""), "")
	for _, s := range slices.SortedFunc(maps.Values(b.hit.slots), func(a, b string) int { return len(b) - len(a) }) {
		if s = strings.TrimSpace(s); len(s) > 2 {
			said = strings.ReplaceAll(said, s, sentence.ReadAlready)
		}
	}
	for i, begins := range []*lazy.Regexp{&timeOf, &ofKinds} {
		for _, at := range begins.Get().FindAllStringIndex(said, -1) {
			if kinds := manyKinds.Get().FindString(said[at[1]:]); i == 1 && kinds != "" && !sentence.AllCases(kinds) && !timeOf.Get().MatchString(kinds) {
				return said[at[0]:at[1]] + kinds
			}
			of := strings.TrimRight(saidOf.Get().FindStringSubmatch(said[at[1]:])[1], "-,;:.!?()—–→+|‹ ")
			if !sentence.AllCases(of) && !partWork.Get().MatchString(of) && (i == 0 || kindOfWork.Get().MatchString(of)) {
				whole := strings.TrimRight(wholeOf.Get().FindString(said[at[1]:]), ",.;:")
				return said[at[0]:at[1]] + whole + alternatives.Get().FindString(said[at[1]+len(whole):])
			}
		}
	}
	return ""
}

var (
	// wholeOf is all that a sentence says of a case.
	wholeOf = lazy.Regexp{Source: `^[^,;:.!?()—–→]*?(?: (?:-+|to (?:ensure|verify|check|make|confirm|validate|catch)|so|then|because|since) |[,;:.!?()—–→]|$)`}
	// caseSigns are around a case in a message.
	caseSigns = lazy.Regexp{Source: `^(?:before|prior to|after|while|during|touching|for|on|in|of|under|across)? ?(?:•\w* (?:to )?)?|(?: (?:-+|to \w+|so|then|because|since))? ?[,;:.!?()—–→]?$`}
	// otherCase begins what is to be done besides in one case.
	otherCase = lazy.Regexp{Source: `,? and,? (?:if|when|whenever|for|in) [^‹]*‹c`}
	// sometime is a case that the reader decides on.
	sometime = lazy.Regexp{Source: `^(?:if|when|whenever|where) (?:feasible|possible|practical|applicable|necessary|needed|available|appropriate|relevant|required|useful|helpful|in doubt)\b`}
	// asideRun is a remark about another command.
	asideRun = lazy.Regexp{Source: ` ?\((?:then )?run ‹c\d+› if it [^()]*\)`}
	// otherwise is what is done without the demand.
	otherwise = lazy.Regexp{Source: `,? (?:instead of|rather than) (?:after|before|when|while)\b[^,.;‹]*`}
	// asked is the beginning of a case that is a sentence of its own.
	asked = lazy.Regexp{Source: `^(?:if|when|whenever|once) `}
	// ofSomeJob is a job on what the work is about, for which a project may have another command.
	ofSomeJob = lazy.Regexp{Source: `\b(?:relevant|applicable|targeted|focused|corresponding|appropriate|affected|broader|wider|broadest|smallest|narrowest|matching|suitable|necessary|respective) (?:[\w-]+ ){0,2}?(?:tests?|suites?|lint\w*|type-?checks?|checks|build)\b`}
)

// remindOnly makes a demand that is limited to a case one that reminds of it. It is not ok where
// the case cannot be told.
func (b *builder) remindOnly() (ok bool) {
	if b.ofHeading() {
		return false
	}
	if b.hit.ofJob() && b.hit.severity == "block" && ofSomeJob.Get().MatchString(b.sentence()) {
		b.hit.severity = reminder
	}
	if b.has("changed") || b.hit.form.Rule != "requires" {
		return true
	}
	if m := forNew.Get().FindStringSubmatch(b.sentence()); m != nil && !b.has("words") {
		b.hit.severity, b.hit.slots["words"] = "warn", m[1]
		return true
	}
	if m := changesOf.Get().FindStringSubmatch(b.sentence()); m != nil && changesTo.Get().MatchString(b.quote) {
		b.hit.slots["changed"] = m[1]
		return true
	}
	if files := b.changedIn(); files != "" {
		b.hit.slots["changed"] = files
		return true
	}
	limits := b.limitation()
	if front := b.inFront(); front != "" && limits == "" && !b.has("words") {
		b.hit.severity, b.hit.slots["words"] = "warn", front
		return true
	}
	if b.has("words") || limits == "" {
		return b.underCase() && (!asked.Get().MatchString(limits) || !trouble.Get().MatchString(limits))
	}
	words, block := caseSigns.Get().ReplaceAllString(limits, ""), b.hit.severity == "block"
	switch {
	case unreadable.Get().MatchString(words):
		return false
	case sometime.Get().MatchString(limits):
		b.hit.severity = reminder
	case strings.Contains(words, sentence.ReadAlready), !tells(words), trouble.Get().MatchString(words), len(words) > maxCase:
		return !block
	default:
		b.hit.severity, b.hit.slots["words"] = "warn", words
	}
	return true
}

var (
	// changesOf is the part of a project that a demand is about, "before ‹a› to ‹p›", as
	// changesTo has it in plain words: "before committing changes to docs/".
	changesOf = lazy.Regexp{Source: `(?:\b(?:changes?|edits?|updates?|modifications?)|‹a\d+›) (?:to|in|under|of) (?:the |any |files in |code in )*(‹p\d+›)`}
	changesTo = lazy.Regexp{Source: `(?i)\b(?:changes?|edits?|updates?|modifications?) (?:to|in|under|of)\b`}
)

// maxCase bounds the words of a case in a message, in bytes.
const maxCase = 100

var (
	// limit is a word that limits a demand to cases that no call shows.
	limit = lazy.Regexp{Source: `\b(?:unless|except|excluding|only (?:if|when|whenever|for|after|once|on|in|under|where)|(?:if|when|where|wherever|as) (?:it is |they are |it's )?(?:needed|necessary|applicable|appropriate|relevant|required|possible|practical|feasible|available)|(?:for|on|in) (?:[\w-]+ ){1,4}only)\b`}
	// sentenceEnd and sentenceFront bound the part of a sentence that a demand is in.
	sentenceEnd   = lazy.Regexp{Source: `[;.!?](?: |$)`}
	sentenceFront = lazy.Regexp{Source: `[^;.!?]*$`}
	// otherThing is a further thing of a list, which a limit behind it is about.
	otherThing = lazy.Regexp{Source: `,[^,]*‹`}
)

// limitedDemand reports whether a word that limits a demand is outside of what its form
// has found, so that the rule does not know of it.
func limitedDemand(words string, from, to int, f *form) bool {
	if !slices.Contains(demands, f.Rule) {
		return false
	}
	if m := caseLabel.Get().FindStringSubmatch(words[:from]); m != nil && f.Rule == "requires" && !allWork(m[1]) && !sentence.Finishing.Get().MatchString(m[1]) {
		return true
	}
	behind := words[to:]
	if end := sentenceEnd.Get().FindStringIndex(behind); end != nil {
		behind = behind[:end[0]]
	}
	if at := limit.Get().FindStringIndex(behind); at != nil && !otherThing.Get().MatchString(behind[:at[0]]) {
		return true
	}
	return limit.Get().MatchString(sentenceFront.Get().FindString(words[:from]))
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
func ofOtherWork(before, said, after string, f *form) bool {
	kind, _, _ := strings.Cut(f.Name, "-")
	if f.Rule != "requires" || kind != "run" && kind != "job" {
		return false
	}
	if onlyRun.Get().MatchString(sentenceFront.Get().FindString(before)+said) || atATime.Get().MatchString(sentenceFront.Get().FindString(before)+said+after) {
		return true
	}
	if m := ofKind.Get().FindStringSubmatch(sentenceFront.Get().FindString(before) + said); m != nil && !allWork(m[1]) {
		return true
	}
	m := caseFront.Get().FindStringSubmatch(before)
	return m != nil && !allWork(m[1]) && !sentence.Finishing.Get().MatchString(m[1]) || kind == "job" && jobLast.Get().MatchString(said) && ofOne.Get().MatchString(after)
}
