package instructions

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
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
	words := b.hit.Phrase.Words
	of := cmp.Or(sentence.Mark.Get().FindString(b.hit.Slots["run"]), b.hit.Slots["run"], b.hit.Slots["job"])
	before, after, ok := strings.Cut(words, of)
	if !ok {
		return words
	}
	if end := forms.SentenceEnd.Get().FindStringIndex(after); end != nil {
		after = after[:end[0]]
	}
	if other := otherCase.Get().FindStringIndex(after); other != nil {
		after = after[:other[0]]
	}
	before = forms.SentenceFront.Get().FindString(before)
	if _, then, ok := strings.Cut(before, ", then "); ok { // the case in front is that of another step
		before = then
	}
	return before + of + after
}

// limitation is what the sentence of a demand says, besides what its form has read, of the
// cases in which it holds: "" for all.
func (b *builder) limitation() string {
	said := asideRun.Get().ReplaceAllString(otherwise.Get().ReplaceAllString(metAll.Get().ReplaceAllString(b.sentence(), ""), ""), "")
	for _, s := range slices.SortedFunc(maps.Values(b.hit.Slots), func(a, b string) int { return len(b) - len(a) }) {
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
	// metAll introduces a list of conditions for all work. It does not limit what follows to a case.
	metAll = lazy.Regexp{Source: `\b(?:when|once|if) (?:all|each|every one) of (?:the following|these)(?: [a-z]+){0,4} (?:are|is|have been) (?:met|true|satisfied|done|fulfilled|complete)\b`}
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
	// ofSomeJob is a job on what the work is about, for which a project may have another command.
	ofSomeJob = lazy.Regexp{Source: `\b(?:relevant|applicable|targeted|focused|corresponding|appropriate|affected|broader|wider|broadest|smallest|narrowest|matching|suitable|necessary|respective) (?:[\w-]+ ){0,2}?(?:tests?|suites?|lint\w*|type-?checks?|checks|build)\b`}
)

// remindOnly makes a demand that is limited to a case one that reminds of it. It is not ok where
// the case cannot be told.
func (b *builder) remindOnly() (ok bool) {
	if b.ofHeading() {
		return false
	}
	if b.hit.OfJob() && b.hit.Severity == "block" && ofSomeJob.Get().MatchString(b.sentence()) {
		b.hit.Severity = forms.Reminder
	}
	if b.has("changed") || b.hit.Form.Rule != "requires" {
		return true
	}
	if m := forNew.Get().FindStringSubmatch(b.sentence()); m != nil && !b.has("words") {
		b.hit.Severity, b.hit.Slots["words"] = "warn", m[1]
		return true
	}
	if m := changesOf.Get().FindStringSubmatch(b.sentence()); m != nil && changesTo.Get().MatchString(b.quote) {
		b.hit.Slots["changed"] = m[1]
		return true
	}
	if files := b.changedIn(); files != "" {
		b.hit.Slots["changed"] = files
		return true
	}
	limits := b.limitation()
	if front := b.inFront(); front != "" && limits == "" && !b.has("words") {
		b.hit.Severity, b.hit.Slots["words"] = "warn", front
		return true
	}
	if b.has("words") || limits == "" {
		return b.underCase() && (!statement.Asked.Get().MatchString(limits) || !statement.Trouble.Get().MatchString(limits))
	}
	words, block := caseSigns.Get().ReplaceAllString(limits, ""), b.hit.Severity == "block"
	switch {
	case forms.Unreadable.Get().MatchString(words):
		return false
	case sometime.Get().MatchString(limits):
		b.hit.Severity = forms.Reminder
	case strings.Contains(words, sentence.ReadAlready), !forms.Tells(words), statement.Trouble.Get().MatchString(words), len(words) > forms.MaxCase:
		return !block
	default:
		b.hit.Severity, b.hit.Slots["words"] = "warn", words
	}
	return true
}

var (
	// changesOf is the part of a project that a demand is about, "before ‹a› to ‹p›", as
	// changesTo has it in plain words: "before committing changes to docs/".
	changesOf = lazy.Regexp{Source: `(?:\b(?:changes?|edits?|updates?|modifications?)|‹a\d+›) (?:to|in|under|of) (?:the |any |files in |code in )*(‹p\d+›)`}
	changesTo = lazy.Regexp{Source: `(?i)\b(?:changes?|edits?|updates?|modifications?) (?:to|in|under|of)\b`}
)
