package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Demands are the kinds of rules that want something to be done.
var Demands = []string{"requires", "also", "new-also", "before-first", "read-itself", "with-option", "sign-off", "conventional", "header", "lastly", "dependencies", "also-file"}

// Optional is a clause that permits, offers or describes what it names.
var Optional = lazy.Regexp{Source: `\b(?:can|could|may|might|optional(?:ly)?|shortcut|alternatively|instead|cannot|can't|no longer|blocked|no need|not (?:need|required|necessary)|(?:also|already|automatically) (?:runs?|does|done)|if (?:needed|necessary|required|applicable|appropriate)|(?:where|when) applicable)\b`}

// elsewhere is a place or a case behind a command, which a rule about a command that has
// run does not know.
var elsewhere = lazy.Regexp{Source: `^(?: \w+)? (?:in|from|inside|under|within) (?:the |a |an |each |every |your )*(?:‹[pt]|fresh|new|clean|separate|another)|\bin (?:a |an |each |every )?(?:fresh|new|clean|separate) `}

// others are people whose things a rule cannot tell from the agent's.
var others = lazy.Regexp{Source: `^(?: \w+)?(?: (?:to|on|onto|from|in|into|of))? (?:their|his|her|someone(?:'s| else)|another|other (?:people|users?|contributors?|agents?|developers?)|(?:the |a )?(?:user|contributor|author|reporter|reviewer)s?'s?|upstream|forks?)\b`}

// partly is a label that names a part of the project.
var partly = lazy.Regexp{Source: `^\W*(?:web(?: app)?|front-?end|back-?end|api|server|client|mobile|ios|android|desktop|cli|docs?|ui)\b[^:‹.]{0,20}:`}

// anythingElse is a sentence about what no line in front of it names.
var anythingElse = lazy.Regexp{Source: `\b(?:everything|anything) else\b.*\b(?:should|must|uses?|goes|needs?|is|are)\b`}

// surroundings are where a command is run that no agent's shell is.
var surroundings = lazy.Regexp{Source: `\b(?:in|inside|for) (?:the |our |a )?(?:(?:‹[pt]\d+› |npm |package |build )?scripts|ci|workflows?|github actions|pipelines?|docker(?:files?)?|containers?|production|prod)\b`}

// ofTools is the subject of a sentence about what a program does.
var ofTools = lazy.Regexp{Source: `(?:^|[.;:] )(?:it|they|(?:the|this|that|each|every) (?:skill|script|tool|workflow|hook|job|bot|server|process|daemon|cli|app)s?) ?$`}

var practical = lazy.Regexp{Source: `\bwhere(?:ver)? (?:practical|possible|sensible|appropriate)\b`}

// lone is a command without anything behind it.
var lone = lazy.Regexp{Source: `\b(?:bare|plain|naked) ‹c\d+›`}

// holdsOf reports whether a form that was found is what the sentence says: a demand is
// never made of a clause that forbids or permits, and no word that limits a command is lost.
func (f *Found) holdsOf(all []clause) bool {
	demand := slices.Contains(Demands, f.Form.Rule)
	slots := []string{"run", "with", "read", "near", "all"}
	if f.Form.Rule == "with-option" {
		slots = []string{"flag"}
	}
	for _, slot := range slots {
		for _, m := range sentence.Mark.Get().FindAllString(f.Slots[slot], -1) {
			if demand && f.refused(m, all) {
				return false
			}
		}
	}
	switch {
	case f.Form.Rule == "requires" && !f.Has("changed") && partly.Get().MatchString(f.Phrase.Words),
		f.Form.Name == "run-always" && Has(strings.SplitN(f.Phrase.Words, "‹c", 2)[0], "p"), // it is about these files
		(f.Form.Rule == "commands" || f.Form.Rule == "with-option" && !Excepted.Get().MatchString(f.Phrase.Words)) && surroundings.Get().MatchString(f.Phrase.Words),
		strings.HasPrefix(f.Form.Name, "job-") && partJob.Get().MatchString(f.Phrase.Words),
		f.Form.Rule == "names" && practical.Get().MatchString(f.Phrase.Words),
		f.Form.Name == "run-always" && f.Phrase.OfThings(),                       // it is a check of these
		f.Form.Name == "run-always" && checked.Get().MatchString(f.Phrase.Words), // it is about what ran
		f.Form.Rule == "secrets" && (without.Get().MatchString(f.Phrase.Words) || keptIn.Get().MatchString(f.Phrase.Words)),
		f.Form.Name == "run-always" && all[0].Not && all[0].Objects == "", // what is not to be guessed
		f.chooses(), f.twice(), f.Form.Rule == "commands" && anythingElse.Get().MatchString(f.Phrase.Words), f.Form.Rule == "commands" && noneLeft.Get().MatchString(f.Phrase.Quote),
		f.Form.Rule == "commands" && f.Severity == Reminder && f.Everyday() && f.Waits() == "":
		return false
	case f.Form.Rule != "commands":
		return true
	}
	for _, m := range sentence.Mark.Get().FindAllString(f.Slots["deny"]+f.Slots["object"], -1) {
		if _, behind, _ := strings.Cut(f.Phrase.Words, m); others.Get().MatchString(behind) {
			return false
		}
	}
	return f.Slots["use"] != "" || !f.aloneOnly()
}

// Everyday reports whether an act is forbidden that a session does all the time: a warning
// of each, for one among the many, tells nothing.
func (f *Found) Everyday() bool {
	return slices.ContainsFunc(f.Terms("deny"), func(t sentence.Term) bool {
		return t.Kind == 'a' && (t.Text == "commit" || t.Text == "push") || t.Text == "git commit" || t.Text == "git push"
	})
}

// refused reports whether the sentence forbids or permits a thing, says where it holds, or
// only explains another by it.
func (f *Found) refused(m string, all []clause) bool {
	before, behind, ok := strings.Cut(f.Phrase.Words, m)
	if !ok {
		return false
	}
	if f.Form.Rule == "requires" && !f.Has("changed") && elsewhere.Get().MatchString(behind) ||
		f.Form.Rule == "requires" && outcome.Get().MatchString(behind) ||
		remark.Get().MatchString(before) ||
		permits.Get().MatchString(before) ||
		oneOfMany.Get().MatchString(before) ||
		f.Form.Rule == "requires" && tellsWhatRuns(before, behind) ||
		f.Form.Rule == "requires" && byOthers.Get().MatchString(before) && !calledFor.Get().MatchString(behind) {
		return true
	}
	if slices.ContainsFunc(f.Phrase.TermsIn(m), func(t sentence.Term) bool { return anyCommand.Get().MatchString(t.Text) }) {
		return true
	}
	i := slices.IndexFunc(all, func(c clause) bool { return strings.Contains(c.text, m) })
	if i < 0 {
		return false
	}
	return wished.Get().MatchString(behind) ||
		wishedFor.Get().MatchString(before) ||
		all[i].Not && all[i].Conj == "" && !noFindings.Get().MatchString(all[i].text) ||
		Optional.Get().MatchString(Remarks.Get().ReplaceAllString(all[i].text, ""))
}

// noFindings begins an item that a check has to find nothing: "no errors (‹c›)".
var noFindings = lazy.Regexp{Source: `^(?:no|zero) (?:(?:[\w+#./-]+|‹c\d+›) ){0,2}(?:errors?|warnings?|issues?|failures?|violations?|problems?)\b`}

// anyCommand is a command that runs another one, which the line leaves open.
var anyCommand = lazy.Regexp{Source: `^[\w-]+(?: [\w-]+)? <(?:command|cmd|script|task|args?)s?>`}

// outcome goes on with what a command says: "report the ‹c› result".
var outcome = lazy.Regexp{Source: `^ (?:results?|outputs?|reports?|rules?|config\w*)\b`}

// byOthers is the beginning of a sentence about what something runs by itself: "the hook runs ‹c›".
var byOthers = lazy.Regexp{Source: `\b(?:ci|hooks?|husky|lefthook|lint-staged|github actions?|workflows?|pipelines?|bots?|it|which|that) (?:will |also |then |automatically |always )*(?:runs?|execut(?:e|es)|checks|calls|performs|does|invokes)\b[^.;:]*$|\b(?:optionally|feel free to) [^.;:]*$`}

// calledFor asks for what was named in front: "ci runs ‹c›; run it before …".
var calledFor = lazy.Regexp{Source: `\b(?:run|execute|use|ensure|make sure|verify)(?: that)? (?:it|this|that|them|they|the same)\b`}

// permits is the beginning of a sentence that says what is possible.
var permits = lazy.Regexp{Source: `\b(?:can|could|may|might) [^.;:—]*$`}

// oneOfMany is the beginning of a sentence that names one thing of many.
var oneOfMany = lazy.Regexp{Source: `\b(?:e\.g\.?,?|for example,?|for instance,?|such as) $`}

// remark is the beginning of a remark on a command, in which another name is not a second
// one.
var remark = lazy.Regexp{Source: `‹[cp]\d+› \([^)]*$`}

// aloneOnly reports whether what is forbidden is a program without arguments.
func (f *Found) aloneOnly() bool {
	m := lone.Get().FindString(f.Phrase.Words)
	if m == "" || !strings.Contains(f.Slots["deny"], m[strings.LastIndexByte(m, ' ')+1:]) {
		return false
	}
	bare := f.Phrase.TermsIn(m)[0]
	return !strings.Contains(bare.Text, " ") || slices.ContainsFunc(f.Phrase.Terms, func(t sentence.Term) bool { return strings.HasPrefix(t.Text, bare.Text+" ") })
}

// Has reports whether the pattern that was found has a slot; it may be empty.
func (f *Found) Has(slot string) bool { _, ok := f.Slots[slot]; return ok }

// Remarks are texts in parentheses that name nothing.
var Remarks = lazy.Regexp{Source: `\([^)‹]*(?:\)|$)`}
