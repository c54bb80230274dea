package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// demands are the kinds of rules that want something to be done.
var demands = []string{"requires", "also", "new-also", "before-first", "read-itself", "with-option", "sign-off", "conventional", "header", "lastly", "dependencies", "also-file"}

var (
	// optional is a clause that permits, offers or describes what it names.
	optional = lazy.Regexp{Source: `\b(?:can|could|may|might|optional(?:ly)?|shortcut|alternatively|instead|cannot|can't|no longer|blocked|no need|not (?:need|required|necessary)|(?:also|already|automatically) (?:runs?|does|done)|if (?:needed|necessary|required|applicable|appropriate)|(?:where|when) applicable)\b`}
	// elsewhere is a place or a case behind a command, which a rule about a command that has
	// run does not know.
	elsewhere = lazy.Regexp{Source: `^(?: \w+)? (?:in|from|inside|under|within) (?:the |a |an |each |every |your )*(?:‹[pt]|fresh|new|clean|separate|another)|\bin (?:a |an |each |every )?(?:fresh|new|clean|separate) `}
	// others are those whose things a rule cannot tell from the agent's.
	others = lazy.Regexp{Source: `^(?: \w+)?(?: (?:to|on|onto|from|in|into|of))? (?:their|his|her|someone(?:'s| else)|another|other (?:people|users?|contributors?|agents?|developers?)|(?:the |a )?(?:user|contributor|author|reporter|reviewer)s?'s?|upstream|forks?)\b`}
	// partly is a label that names a part of the project.
	partly = lazy.Regexp{Source: `^\W*(?:web(?: app)?|front-?end|back-?end|api|server|client|mobile|ios|android|desktop|cli|docs?|ui)\b[^:‹.]{0,20}:`}
	// anythingElse is a sentence about what no line in front of it names.
	anythingElse = lazy.Regexp{Source: `\b(?:everything|anything) else\b.*\b(?:should|must|uses?|goes|needs?|is|are)\b`}
	// surroundings are where a command is run that no agent's shell is.
	surroundings = lazy.Regexp{Source: `\b(?:in|inside|for) (?:the |our |a )?(?:(?:‹[pt]\d+› |npm |package |build )?scripts|ci|workflows?|github actions|pipelines?|docker(?:files?)?|containers?|production|prod)\b`}
	// ofTools is the subject of a sentence about what a program does.
	ofTools = lazy.Regexp{Source: `(?:^|[.;:] )(?:it|they|(?:the|this|that|each|every) (?:skill|script|tool|workflow|hook|job|bot|server|process|daemon|cli|app)s?) ?$`}
	// inPart begins a sentence about some files, or one thing, only.
	inPart    = lazy.Regexp{Source: `^(?:when|whenever|in|for|inside|within|under)\b[^.]*‹p\d+›[^.]*,`}
	practical = lazy.Regexp{Source: `\bwhere(?:ver)? (?:practical|possible|sensible|appropriate)\b`}
	// lone is a command without anything behind it.
	lone = lazy.Regexp{Source: `\b(?:bare|plain|naked) ‹c\d+›`}
)

// holdsOf reports whether a form that was found is what the sentence says: a demand is
// never made of a clause that forbids or permits, and no word that limits a command is lost.
func (f *found) holdsOf(all []clause) bool {
	demand := slices.Contains(demands, f.form.Rule)
	slots := []string{"run", "with", "read", "near", "all"}
	if f.form.Rule == "with-option" {
		slots = []string{"flag"}
	}
	for _, slot := range slots {
		for _, m := range sentence.Mark.Get().FindAllString(f.slots[slot], -1) {
			if demand && f.refused(m, all) {
				return false
			}
		}
	}
	switch {
	case f.form.Rule == "requires" && !f.has("changed") && partly.Get().MatchString(f.phrase.Words),
		f.form.Name == "run-always" && has(strings.SplitN(f.phrase.Words, "‹c", 2)[0], "p"), // it is about these files
		(f.form.Rule == "commands" || f.form.Rule == "with-option" && !excepted.Get().MatchString(f.phrase.Words)) && surroundings.Get().MatchString(f.phrase.Words),
		strings.HasPrefix(f.form.Name, "job-") && partJob.Get().MatchString(f.phrase.Words),
		f.form.Rule == "names" && practical.Get().MatchString(f.phrase.Words),
		f.form.Name == "run-always" && f.phrase.OfThings(),                       // it is a check of these
		f.form.Name == "run-always" && checked.Get().MatchString(f.phrase.Words), // it is about what ran
		f.form.Rule == "secrets" && (without.Get().MatchString(f.phrase.Words) || keptIn.Get().MatchString(f.phrase.Words)),
		f.form.Name == "run-always" && all[0].not && all[0].objects == "", // what is not to be guessed
		f.chooses(), f.twice(), f.form.Rule == "commands" && anythingElse.Get().MatchString(f.phrase.Words), f.form.Rule == "commands" && noneLeft.Get().MatchString(f.phrase.Quote),
		f.form.Rule == "commands" && f.severity == reminder && f.everyday() && f.waits() == "":
		return false
	case f.form.Rule != "commands":
		return true
	}
	for _, m := range sentence.Mark.Get().FindAllString(f.slots["deny"]+f.slots["object"], -1) {
		if _, behind, _ := strings.Cut(f.phrase.Words, m); others.Get().MatchString(behind) {
			return false
		}
	}
	return f.slots["use"] != "" || !f.aloneOnly()
}

// everyday reports whether an act is forbidden that a session does all the time: a warning
// of each, for one among the many, tells nothing.
func (f *found) everyday() bool {
	return slices.ContainsFunc(f.terms("deny"), func(t sentence.Term) bool {
		return t.Kind == 'a' && (t.Text == "commit" || t.Text == "push") || t.Text == "git commit" || t.Text == "git push"
	})
}

// refused reports whether the sentence forbids or permits a thing, says where it holds, or
// only explains another by it.
func (f *found) refused(m string, all []clause) bool {
	before, behind, ok := strings.Cut(f.phrase.Words, m)
	if !ok {
		return false
	}
	if f.form.Rule == "requires" && !f.has("changed") && elsewhere.Get().MatchString(behind) || f.form.Rule == "requires" && outcome.Get().MatchString(behind) || remark.Get().MatchString(before) || permits.Get().MatchString(before) || oneOfMany.Get().MatchString(before) || f.form.Rule == "requires" && tellsWhatRuns(before, behind) || f.form.Rule == "requires" && byOthers.Get().MatchString(before) && !calledFor.Get().MatchString(behind) {
		return true
	}
	if slices.ContainsFunc(f.phrase.TermsIn(m), func(t sentence.Term) bool { return anyCommand.Get().MatchString(t.Text) }) {
		return true
	}
	i := slices.IndexFunc(all, func(c clause) bool { return strings.Contains(c.text, m) })
	if i < 0 {
		return false
	}
	return wished.Get().MatchString(behind) || wishedFor.Get().MatchString(before) || all[i].not && all[i].conj == "" && !noFindings.Get().MatchString(all[i].text) || optional.Get().MatchString(remarks.Get().ReplaceAllString(all[i].text, ""))
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
func (f *found) aloneOnly() bool {
	m := lone.Get().FindString(f.phrase.Words)
	if m == "" || !strings.Contains(f.slots["deny"], m[strings.LastIndexByte(m, ' ')+1:]) {
		return false
	}
	bare := f.phrase.TermsIn(m)[0]
	return !strings.Contains(bare.Text, " ") || slices.ContainsFunc(f.phrase.Terms, func(t sentence.Term) bool { return strings.HasPrefix(t.Text, bare.Text+" ") })
}

// has reports whether the pattern that was found has a slot; it may be empty.
func (f *found) has(slot string) bool { _, ok := f.slots[slot]; return ok }

var (
	// wanted is the beginning of an item that says to run something: a command, behind a
	// label or not, or a verb in the imperative.
	wanted = lazy.Regexp{Source: `^(?:[-*\[\]x\d.)\s"'→]|step \d+:?|(?:always|then|also|first|next|and|finally|please|you must|must) )*(?:‹[acp]\d+›|[^‹]{1,40}?(?::| [—–-]) ?\W*‹[acp]\d+›)`}
	// aside is a label that makes no demand of what is behind it.
	aside = lazy.Regexp{Source: `^\W*(?:shortcut|tip|note|hint|warning|caution|caveat|example|alternative|optional|fyi|background|see also)\b`}
)

// inherits reports whether an item is done when its list or its heading says: it tells
// what to do, and neither forbids, permits nor describes anything.
func inherits(p *sentence.Phrase) bool {
	said := remarks.Get().ReplaceAllString(p.Words, "")
	if ownCase.Get().MatchString(p.Words) || ownTime.Get().MatchString(p.Words) || aside.Get().MatchString(said) || sentence.Denies.Get().MatchString(said) || optional.Get().MatchString(said) {
		return false
	}
	return imperative(p.Words) || wanted.Get().MatchString(p.Words) || passed.Get().MatchString(p.Words)
}

// ownTime begins a sentence that says itself before what it is done.
var ownTime = lazy.Regexp{Source: `^(?:before|prior to) [^,‹:]{4,80}, `}

// remarks are texts in parentheses that name nothing.
var remarks = lazy.Regexp{Source: `\([^)‹]*(?:\)|$)`}

// passed is a command, or a job, that has to succeed.
var passed = lazy.Regexp{Source: `‹c\d+›[^.‹]{0,20} (?:pass(?:es|ed)?|succeeds?|(?:is|are) (?:clean|green))\b|^(?:(?:all|the|unit|existing|relevant) )*(?:tests?|lint(?:ing|er)?|type-?check\w*|build|checks|formatting) (?:pass(?:es)?|(?:is|are) (?:clean|green|passing)|succeeds?)\b|^(?:(?:any|all|every|a|the) )*(?:‹p\d+›|[\w+#]+ files?)(?:,? (?:or|and) ‹p\d+›)*(?: files?)? ?(?:→|->) ?(?:run )?‹c\d+›`}
