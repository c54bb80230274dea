package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Reminder is the severity of a rule about a line that holds in some cases only: it warns,
// and leaves to the reader whether this is one of them.
const Reminder = "reminder"

// isRemark reports whether the words that a form has found order nothing: they belong to a description, to
// another name, or to an example.
func isRemark(words string, from, to int, before, after, rest string, f *Form) bool {
	found := words[from:to]
	return misread(words, from, to, rest, f) ||
		owned.Get().MatchString(found) ||
		omits.Get().MatchString(found) ||
		laterOnly.Get().MatchString(after) ||
		tellsOnly(words, from, to, rest) ||
		describes(before, found) ||
		f.Rule == "content" && inOrder.Get().MatchString(rest) ||
		f.Severity != "ask" && offered(before, found) ||
		usage.Get().MatchString(found) && negated.Get().MatchString(before)
}

// demandStrictness is the strictness of a sentence that demands something, and may limit that.
func demandStrictness(words string, from, to int, before, severity string, f *Form) (string, bool) {
	found, after := words[from:to], words[to:]
	if m := ifOnly.Get().FindStringSubmatch(after); m != nil && (f.Name == "run-before" || f.Name == "job-before") &&
		!slices.Contains([]string{"any", "it", "they", "there", "anything", "needed", "necessary", "that", "this"}, m[1]) {
		return Reminder, true
	}
	if (f.Rule == "emoji" || f.Rule == "attribution") && Excepted.Get().MatchString(words[from:]) {
		severity = "ask"
	}
	if severity == "block" && limitedDemand(words, from, to, f) || inSomeCases(before, found, after, f) {
		severity = Reminder
	}
	switch {
	case ofOtherWork(before, found, after, f),
		f.Rule == "also" && sometimes.Get().MatchString(after),
		slices.Contains([]string{"run-before", "passes-before", "branch-first"}, f.Name) && narrowed.Get().MatchString(before),
		f.Rule == "requires" && reports(after):
		return severity, false
	}
	return severity, true
}

// strictness is the severity of the rule that a sentence asks for, where the form is
// found from one byte to another. Not ok is a sentence that holds in some cases only,
// which a rule could not tell.
func strictness(words string, from, to int, f *Form) (severity string, ok bool) {
	before, after := words[:from], words[to:]
	if from < to && strings.ContainsRune(",;:", rune(words[from])) { // the sign is the end of what is in front
		before = words[:from+1]
	}
	severity = "block"
	switch {
	case f.Severity != "":
		severity = f.Severity
	case (soft.Get().MatchString(words) || oneOver.Get().MatchString(words[from:to])) && !Strict.Get().MatchString(words),
		f.Rule == "commands" && prefers.Get().MatchString(words[from:to]) && !Strict.Get().MatchString(prefers.Get().ReplaceAllString(words, "")):
		severity = "warn"
	}
	if severity == "block" && strings.HasSuffix(before, "(") && prefers.Get().MatchString(words[from:to]) {
		severity = "warn"
	}
	if example.Get().MatchString(words) || exampleFront.Get().MatchString(before) || inExample.Get().MatchString(before) || quoted(words, from, to) {
		return "", false
	}
	if !Prohibits(f) {
		return demandStrictness(words, from, to, before, severity, f)
	}
	if f.Name == "ask-first" && unneeded.Get().MatchString(before) ||
		someReaders.Get().MatchString(words) ||
		theseOnly.Get().MatchString(words) && f.Rule == "content" ||
		ofTools.Get().MatchString(before) ||
		tellsOfMachinery(words, to, f) {
		return "", false
	}
	after = withoutAim(words[from:to], after)
	rest := f.Skip(after)
	if f.Rule == "options" {
		rest = atCommit.Get().ReplaceAllString(rest, "")
	}
	if closed, ok := strings.CutPrefix(rest, ")"); ok {
		rest = f.Skip(closed)
	}
	switch {
	case isRemark(words, from, to, before, after, rest, f):
		return "", false
	case ofOthers(words, from), f.Rule == "commands" && ofThese.Get().MatchString(words[from:to]), Rashly.Get().MatchString(words[from:to]):
		return Reminder, Reminds(f)
	case f.Rule == "commands" && (strings.HasPrefix(rest, "‹") || listBehind.Get().MatchString(after) || strings.HasSuffix(words[from:to], "›") && codeBehind.Get().MatchString(rest)): // it is about that
		return "", false
	case usage.Get().MatchString(words[from:to]) && subject.Get().MatchString(before) && !fronted.Get().MatchString(before):
		return Reminder, Reminds(f)
	case f.Severity == "" && ofBranch.Get().MatchString(rest): // another form is about that
		return "", false
	case limited.Get().MatchString(before):
		return Reminder, Reminds(f)
	case f.Severity == "" && Reminds(f) && waitsFor(words[from:]) != "":
		return Reminder, true
	case f.Rule == "content" && exceptFor.Get().MatchString(after):
		return Reminder, true
	case f.Rule == "commands" && InState.Get().MatchString(rest):
		return Reminder, true
	case Excepted.Get().MatchString(words[from:]) || unasked.Get().MatchString(words[from:to]) || byItself.Get().MatchString(after) || strings.HasPrefix(before, "unless"):
		return "ask", true
	case rest == "" || strings.ContainsRune(",;.", rune(words[to-1])) || f.Rule == "content" && words[to-1] == ':' || f.Rule != "commands" && remarked.Get().MatchString(words[from:to]+"\n"+rest) || strings.ContainsRune(".,;:!?)(—–-|/→=", []rune(rest)[0]):
	case severity == "ask" && f.Rule == "writes" && thingIn.Get().MatchString(f.Skip(" "+rest)):
		return "", false
	case severity == "ask" && (f.Name != "ask-first" || !strings.HasSuffix(words[from:to], "›")):
	default:
		next, _, _ := strings.Cut(rest, " ")
		if !slices.Contains([]string{"and", "or", "but", "because", "since", "so", "it", "this", "they", "is", "are"}, next) && !(f.Rule == "content" && next == "which" && strings.HasSuffix(words[from:to], "›")) {
			if severity == "ask" && restricts.Get().MatchString(rest) {
				return severity, true
			}
			return Reminder, Reminds(f) && restricts.Get().MatchString(rest) && !fromInside.Get().MatchString(rest)
		}
	}
	if severity != "ask" && f.unread(before, words[from:to], after) {
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
