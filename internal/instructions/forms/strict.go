package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Reminder is the severity of a rule about a line that holds in some cases only: it warns,
// and leaves to the reader whether this is one of them.
const Reminder = "reminder"

// A reading is a sentence in which a form has found something.
type reading struct {
	form     *Form
	words    string // the sentence
	from, to int    // where it is found, in bytes

	before, found, after string // in front of it, itself, and what comes then
	rest                 string // of after, where the sentence goes on
}

// isRemark reports whether the words that the form has found order nothing: they belong to a description, to
// another name, or to an example.
func (r *reading) isRemark() bool {
	return misread(r.words, r.from, r.to, r.rest, r.form) ||
		owned.Get().MatchString(r.found) ||
		omits.Get().MatchString(r.found) ||
		laterOnly.Get().MatchString(r.after) ||
		tellsOnly(r.words, r.from, r.to, r.rest) ||
		describes(r.before, r.found) ||
		r.form.Rule == "content" && inOrder.Get().MatchString(r.rest) ||
		r.form.Severity != "ask" && offered(r.before, r.found) ||
		usage.Get().MatchString(r.found) && negated.Get().MatchString(r.before)
}

// demands is the strictness of a sentence that demands something, and may limit that.
func (r *reading) demands(severity string) (string, bool) {
	f := r.form
	if m := ifOnly.Get().FindStringSubmatch(r.after); m != nil && (f.Name == "run-before" || f.Name == "job-before") &&
		!slices.Contains([]string{"any", "it", "they", "there", "anything", "needed", "necessary", "that", "this"}, m[1]) {
		return Reminder, true
	}
	if (f.Rule == "emoji" || f.Rule == "attribution") && Excepted.Get().MatchString(r.words[r.from:]) {
		severity = "ask"
	}
	if severity == "block" && limitedDemand(r.words, r.from, r.to, f) || inSomeCases(r.before, r.found, r.after, f) {
		severity = Reminder
	}
	switch {
	case ofOtherWork(r.before, r.found, r.after, f),
		f.Rule == "also" && sometimes.Get().MatchString(r.after),
		slices.Contains([]string{"run-before", "passes-before", "branch-first"}, f.Name) && narrowed.Get().MatchString(r.before),
		f.Rule == "requires" && reports(r.after):
		return severity, false
	}
	return severity, true
}

// strictness is the severity of the rule that a sentence asks for, where the form is
// found from one byte to another. Not ok is a sentence that holds in some cases only,
// which a rule could not tell.
func strictness(words string, from, to int, f *Form) (severity string, ok bool) {
	r := &reading{form: f, words: words, from: from, to: to, before: words[:from], found: words[from:to], after: words[to:]}
	if from < to && strings.ContainsRune(",;:", rune(words[from])) { // the sign is the end of what is in front
		r.before = words[:from+1]
	}
	severity = "block"
	switch {
	case f.Severity != "":
		severity = f.Severity
	case (soft.Get().MatchString(words) || oneOver.Get().MatchString(r.found)) && !Strict.Get().MatchString(words),
		f.Rule == "commands" && prefers.Get().MatchString(r.found) && !Strict.Get().MatchString(prefers.Get().ReplaceAllString(words, "")):
		severity = "warn"
	}
	if severity == "block" && strings.HasSuffix(r.before, "(") && prefers.Get().MatchString(r.found) {
		severity = "warn"
	}
	if example.Get().MatchString(words) || exampleFront.Get().MatchString(r.before) || inExample.Get().MatchString(r.before) || quoted(words, from, to) {
		return "", false
	}
	if !Prohibits(f) {
		return r.demands(severity)
	}
	if f.Name == "ask-first" && unneeded.Get().MatchString(r.before) ||
		someReaders.Get().MatchString(words) ||
		theseOnly.Get().MatchString(words) && f.Rule == "content" ||
		ofTools.Get().MatchString(r.before) ||
		tellsOfMachinery(words, to, f) {
		return "", false
	}
	r.after = withoutAim(r.found, r.after)
	rest := f.Skip(r.after)
	if f.Rule == "options" {
		rest = atCommit.Get().ReplaceAllString(rest, "")
	}
	if closed, ok := strings.CutPrefix(rest, ")"); ok {
		rest = f.Skip(closed)
	}
	r.rest = rest
	switch {
	case r.isRemark():
		return "", false
	case ofOthers(words, from), f.Rule == "commands" && ofThese.Get().MatchString(r.found), Rashly.Get().MatchString(r.found):
		return Reminder, Reminds(f)
	case f.Rule == "commands" && (strings.HasPrefix(rest, "‹") || listBehind.Get().MatchString(r.after) || strings.HasSuffix(r.found, "›") && codeBehind.Get().MatchString(rest)): // it is about that
		return "", false
	case usage.Get().MatchString(r.found) && subject.Get().MatchString(r.before) && !fronted.Get().MatchString(r.before):
		return Reminder, Reminds(f)
	case f.Severity == "" && ofBranch.Get().MatchString(rest): // another form is about that
		return "", false
	case limited.Get().MatchString(r.before):
		return Reminder, Reminds(f)
	case f.Severity == "" && Reminds(f) && waitsFor(words[from:]) != "":
		return Reminder, true
	case f.Rule == "content" && exceptFor.Get().MatchString(r.after):
		return Reminder, true
	case f.Rule == "commands" && InState.Get().MatchString(rest):
		return Reminder, true
	case Excepted.Get().MatchString(words[from:]) || unasked.Get().MatchString(r.found) || byItself.Get().MatchString(r.after) || strings.HasPrefix(r.before, "unless"):
		return "ask", true
	case rest == "" || strings.ContainsRune(",;.", rune(words[to-1])) || f.Rule == "content" && words[to-1] == ':' || f.Rule != "commands" && remarked.Get().MatchString(r.found+"\n"+rest) || strings.ContainsRune(".,;:!?)(—–-|/→=", []rune(rest)[0]):
	case severity == "ask" && f.Rule == "writes" && thingIn.Get().MatchString(f.Skip(" "+rest)):
		return "", false
	case severity == "ask" && (f.Name != "ask-first" || !strings.HasSuffix(r.found, "›")):
	default:
		next, _, _ := strings.Cut(rest, " ")
		if !slices.Contains([]string{"and", "or", "but", "because", "since", "so", "it", "this", "they", "is", "are"}, next) && !(f.Rule == "content" && next == "which" && strings.HasSuffix(r.found, "›")) {
			if severity == "ask" && restricts.Get().MatchString(rest) {
				return severity, true
			}
			return Reminder, Reminds(f) && restricts.Get().MatchString(rest) && !fromInside.Get().MatchString(rest)
		}
	}
	if severity != "ask" && f.unread(r.before, r.found, r.after) {
		return Reminder, Reminds(f)
	}
	return severity, true
}

// Reminds reports whether a form may make a rule that only warns.
func Reminds(f *Form) bool {
	return slices.Contains([]string{"commands", "options", "writes", "creates", "deletes", "stages", "reads", "content", "keys", "branch", "imports", "pipes", "on-files"}, f.Rule)
}

// Prohibits reports whether a form says what must not be, so that a condition behind it
// matters.
func Prohibits(f *Form) bool {
	if f.Severity == "warn" {
		return false
	}
	switch f.Rule {
	case "requires", "also", "new-also", "before-first", "read-itself", "conventional", "attribution", "subject", "names",
		"header", "secrets", "emoji", "branch-name", "rivals", "merges", "github", "with-option", "sign-off", "base",
		"scripts", "lastly", "own-branch", "pull-base", "adds", "merge-act", "alternatives", "also-file", "english",
		"environment", "dependencies", "feature-branch", "imperative", "references", "never-skip", "draft-pulls",
		"ci-first", "pushed", "tracker", "action-shas", "untyped", "with-variable", "own-option", "editable",
		"subject-case", "subject-end", "trailer", "with-body", "listed-types", "imperative-here", "untyped-titles",
		"titles-of-issues", "titles-like-commits", "merge-commits", "comment-first", "then-merged", "one-line",
		"pull-label":
		return false
	}
	return true
}

var (
	limited = lazy.Regexp{Source: `^(?:[\w -]{1,30}: ?)?(?:when|whenever|if|for|in|while|during|on|once|where|with|after|before)\b[^‹]*[,:—]`}
	// restricts begins what limits a prohibition to cases that no call shows.
	restricts = lazy.Regexp{Source: `^(?:just |only |merely |simply |solely |directly )*(?:to|for|in|on|at|from|when|whenever|while|if|as|during|inside|outside|within|against|where|between|across|over|into|under|after|with|by|through)\b`}
	// fromInside is a place that a prohibition is about and that has no name.
	fromInside = lazy.Regexp{Source: `^from (?:inside|within) (?:[^‹]|‹a\d+›)*$`}
	// usage begins a wish, unless it has a subject: then it is about that.
	usage      = lazy.Regexp{Source: `^(?:uses?|using|prefer)\b`}
	negated    = lazy.Regexp{Source: `\b(?:never|not|don't|avoid) $`} // it is what not to do
	subject    = lazy.Regexp{Source: `[\w›)*] $`}
	fronted    = lazy.Regexp{Source: `\b(?:always|must|should|you|we|please|agents?|do|then|and|only|instead|to|shall|just|also|now|never|not|repo|repository|project|codebase|monorepo|team|workspace) $`}
	ifOnly     = lazy.Regexp{Source: `^[^.,;:(—–]{0,50} (?:when|whenever|if) (\w+)`}
	codeBehind = lazy.Regexp{Source: `^(?:or|and|/|,) ?‹t`}
	// atCommit is what an option is for, and ofBranch is about a branch.
	atCommit = lazy.Regexp{Source: `^(?:when|while|for|on|in) (?:any )?‹a\d+›`}
	ofBranch = lazy.Regexp{Source: `^(?:to|on|into|onto|from|against) (?:the |your |our )?(?:‹[tpc]|main\b|master\b|develop\b|dev\b|trunk\b|production\b|staging\b)`}
	// Excepted is a word for an exception.
	Excepted = lazy.Regexp{Source: `\b(?:unless|until|except|excluding|other than|only (?:if|when|after)|without (?:[\w']+ )*?(?:ask\w*|permission|approval|confirm\w*|consent|request\w*|explicit\w*|instruct\w*|discuss\w*|review|consult\w*|tell\w*|notify\w*|inform(?:ing|ed)?|checking with))\b`}
	// exceptFor names one of the things of a name that is not meant: "never use ‹t› (except ‹t›)".
	exceptFor = lazy.Regexp{Source: `^[ (,]*(?:except|excluding|other than|apart from) (?:for |the |an? )*‹[tc]`}
	// unasked is an act that is forbidden unless a user wants it.
	unasked = lazy.Regexp{Source: `\b(?:unsolicited|automatically|proactively|autonomously)\b`}
	// remarked ends with the sign in front of a remark, as in "no ‹t› — use ‹t›", and goes on with one that limits nothing.
	remarked = lazy.Regexp{Source: ` [—–-]\n|\(\n(?:explicit|implicit|use|only ‹t|not even|see|prefer|instead)\b`}
	example  = lazy.Regexp{Source: `^(?:for example|e\.g\.|example)\b`}
	narrowed = lazy.Regexp{Source: `\b(?:when|whenever|if|for|after (?:creating|adding|introducing|renaming|removing))\b[^,‹]{3,}[^.]*,`}
	soft     = lazy.Regexp{Source: `\b(?:prefer|preferred|avoid|should|shouldn't|try to|generally|usually|where possible|if possible|when possible|ideally|consider|as needed|when relevant|recommended|suggested|encouraged|check with|aim (?:to|for))\b`}
	// Strict is a word that leaves no choice.
	Strict = lazy.Regexp{Source: `\b(?:must|never|always|do not|don't|forbidden|prohibited|mandatory)\b`}
)
