package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// offers reports whether a statement is in a list of what can be run.
func (s *Statement) offers() bool {
	return slices.ContainsFunc(s.Section[max(0, len(s.Section)-2):], commandList.Get().MatchString)
}

// leads are the beginnings that an item's list or its heading gives it: "Before
// committing:".
func leads(s *Statement) (list []string) {
	if automatic.Get().MatchString(s.Lead) || doneBy.Get().MatchString(s.Lead) {
		return nil
	}
	if s.kind == markdown.Item && (guides.Get().MatchString(s.Lead) || firstReads.Get().MatchString(s.Lead) && !inCase.Get().MatchString(s.Text)) {
		list = append(list, strings.TrimRight(s.Lead, "*_: ")+":")
	}
	above := []string{s.Text}
	if s.kind != markdown.Heading {
		above = []string{s.Lead, s.heading()}
		if s.kind == markdown.Item && trouble.Get().MatchString(s.Lead) || caseOfOwn.Get().MatchString(s.Text) { // it is done then, and not when the heading says
			above = above[:1]
		}
	}
	for i, lead := range above {
		if aim := toAvoid.Get().FindString(lead); !moment.Get().MatchString(aim) {
			lead = strings.Replace(lead, aim, "", 1)
		}
		front := fronts.Get().FindStringSubmatch(lead) // what is said behind the occasion is another thing
		switch {
		case onceDone.Get().MatchString(lead) && (i > 0 || s.kind == markdown.Item || s.kind == markdown.Row) && !automatic.Get().MatchString(lead):
			list = append(list, "Before finishing:")
		case preReview.Get().MatchString(lead) && (i > 0 || s.kind == markdown.Item):
			list = append(list, "Before opening a PR:")
		case front != nil && (i > 0 || s.kind == markdown.Item || s.kind == markdown.Heading) && !trouble.Get().MatchString(front[1]) && !automatic.Get().MatchString(lead):
			list = append(list, front[1]+":")
		case lead == "" || i == 0 && s.kind != markdown.Item && s.kind != markdown.Row && s.kind != markdown.Heading || trouble.Get().MatchString(lead) || automatic.Get().MatchString(lead) || len(s.Section) > 1 && trouble.Get().MatchString(s.Section[len(s.Section)-2]):
		case inCase.Get().MatchString(s.Text) && (readingList.Get().MatchString(lead) || atStart.Get().MatchString(lead)):
		case readingList.Get().MatchString(lead):
			list = append(list, "Before starting work, read:")
		case atStart.Get().MatchString(lead):
			list = append(list, "Before starting work:")
		case untilDone.Get().MatchString(lead):
			list = append(list, "Before finishing:")
		case precommit.Get().MatchString(lead) && !hookTitle.Get().MatchString(lead):
			list = append(list, "Before committing:")
		case prePull.Get().MatchString(lead):
			list = append(list, "Before opening a PR:")
		case prepush.Get().MatchString(lead):
			list = append(list, "Before pushing:")
		case atEnd.Get().MatchString(lead) && occasions.Get().FindString(lead) == "":
			if s.offers() {
				continue
			}
			list = append(list, "Before finishing:")
		case adding.Get().MatchString(lead):
			list = append(list, "When adding "+strings.Trim(adding.Get().FindStringSubmatch(lead)[1], " *:_")+":")
		default:
			if when := occasions.Get().FindStringSubmatch(lead); when != nil && !exists.Get().MatchString(lead) && !toAgents.Get().MatchString(lead) {
				list = append(list, strings.TrimRight(when[1], " .…")+":")
			}
		}
	}
	return list
}

var (
	// guides introduces a list of documents to be read.
	guides = lazy.Regexp{Source: `(?i)\b(?:read|check|consult|review|start with)\b.*(?:\bbefore\b|\bwhen (?:you )?(?:work|edit|chang)\w*\b|as needed|when relevant).*:\W*$`}
	// firstReads introduces documents that are read before work of all kinds.
	firstReads = lazy.Regexp{Source: `(?i)^\W*before\b[^.:]*\b(?:read|load|consult|review)\b[^.:]*:\W*$`}
	// occasions are when what is listed below is to be done.
	occasions = lazy.Regexp{Source: `(?i)(?:^|[^\w])((?:before|after|prior to|when(?:ever)?|if|every time) (?:[^t.,:()|]|t[^o.,:()|])(?:[^.,:()|\x60]|\x60[^\x60]+\x60){2,80}?\W*)$`}
	// fronts is an occasion at the beginning, and that what is listed is to be done then.
	fronts = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:[\w ]{1,20}: )?(?:when making (?:any |code |your )*changes, )?((?:before|after|prior to|when(?:ever)?|every time) [^.,:()|]{3,80}?), (?:you )?(?:always |must |please |also |should )*(?:(?:run|do|execute|complete|perform|go through|ensure|make sure|verify|validate)\b[^.]{0,80}|always):\W*$`}
	// inCase is an item that says itself when it holds.
	inCase = lazy.Regexp{Source: `(?i)^\W*(?:for|only)\b|\b(?:if|when(?:ever)?|where|unless|in case|as needed)\b`}
	// atStart introduces what a session begins with, and readingList what is to be read then.
	atStart     = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:at |on )?(?:the )?(?:(?:every|each|new|the) )?session[- ]start(?:up)?(?: (?:protocol|checklist|routine|ritual|procedure|sequence))?|(?:at |on )?(?:the )?start of (?:every|each|a|the|any)(?: new)? (?:session|task|conversation)|every session|when starting (?:a|any|each|every)(?: new)? (?:session|task|conversation)|before (?:you )?(?:do|doing) anything(?: else)?|before (?:you )?(?:start|starting|begin|beginning)(?: (?:any|every|each|a|the|your|new|work|working|tasks?|sessions?|coding))*)\W*$`}
	readingList = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:required|mandatory|must) reading(?: (?:before|at|order)\b[^.:]{0,40})?|(?:always |please |you must )?read (?:these|the following|this|all of these)(?: (?:files|documents|docs|in order|in this order))* (?:first|before (?:you )?(?:start|begin|work|writ|mak|cod|do|any)\w*\b[^.:]{0,40})|(?:at |on )(?:the )?(?:start of (?:every|each|a|the|any)(?: new)? (?:session|task|conversation)|session start),? (?:always |first |you must )*read(?: (?:these|the following))?(?: (?:files|documents|docs|in order|in this order))*)\W*$`}
	exists      = lazy.Regexp{Source: `(?i)\b(?:exists?|(?:is|are) (?:present|available|installed|set up))\b`}                             // whatever is done
	trouble     = lazy.Regexp{Source: `(?i)\b(?:fail(?:s|ed|ing|ures?)?|errors?|issues|problems?|broken|troubleshoot\w*|faq|debugging)\b`} // what to do then
	// onRequest introduces what is to be done in one case.
	onRequest = lazy.Regexp{Source: `(?i)^\W*(?:when(?:ever)?|if|in case)\b.*\b(?:users?|asks?|asked|requests?|conflicts?|fails?|errors?|unsure|unclear|stuck)\b.*:\W*$`}
	// onceDone introduces what is to be done with work that is finished.
	onceDone = lazy.Regexp{Source: `(?i)^[\W_]*(?:once|when|whenever|after|as soon as) (?:you(?:['’]re| are|['’]ve| have)? )?(?:all )?(?:done|finished|completed?)\b(?: (?:with )?(?:your |the |all |any |a )*(?:work|tasks?|changes|coding|implementation|edits?))?\W*(?:(?:make sure|ensure|be sure|you must|always|run|do|execute)\b[^.:]{0,40})?:\W*$`}
	// preReview introduces what is to be done before others look at the work.
	preReview = lazy.Regexp{Source: `(?i)^\W*before (?:you )?(?:request|ask)(?:ing)? (?:for )?(?:an? |any |your )?(?:code )?reviews?\b[^.]{0,40}:\W*$`}
	// firstOf is a lead about what is done before work begins, and otherTime a sentence about another
	// moment, or about how something is done.
	firstOf   = lazy.Regexp{Source: `(?i)^before (?:you )?(?:edit|chang|start|begin|modif|touch|writ|work|cod)`}
	otherTime = lazy.Regexp{Source: `\bafter\b|^(?:always |only )?use ‹\w\d+› (?:to|for)\b`}
	// moment is when something is to be done.
	moment = lazy.Regexp{Source: `(?i)\b(?:before|after|when|whenever|prior to)\b`}
	// toAvoid is why something is to be done.
	toAvoid = lazy.Regexp{Source: `(?i),? (?:(?:in order )?to|so (?:that )?(?:you|we)|which) (?:avoids?|prevents?|catch(?:es)?|minimi[sz]es?|reduces?) [^.:]*`}
	// labelVerb is an order behind a label: "commits: write a file".
	labelVerb = lazy.Regexp{Source: `^[^:.;]{2,40}: (?:always |please )?([a-z]+) (?:the |an? |your |‹)`}
	// commandList is the heading of a list of what can be run.
	commandList = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:\w+ ){0,2}(?:commands|scripts|cheat ?sheet)\b[^.]{0,20}$`}
	automatic   = lazy.Regexp{Source: `(?i)\bautomat(?:ic(?:ally)?|ed)\b`} // a hook does it
	// doneBy introduces what a command does.
	doneBy    = lazy.Regexp{Source: `(?i)^\W*(?:(?:it|this|that|which|they)|(?:the|this|that) (?:[\w-]+ ){1,3}?)(?: also| will| then)? ?(?:runs?|does|executes?|performs?|checks?|includes?|covers?|calls?)\b[^.]*:\W*$`}
	precommit = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:pre-?commit|commit checklist|before (?:you )?commit|quality gates?\b.*commit)`}
	atEnd     = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:definition of done|done when|(?:session |task )?completion(?: checklist| criteria)?|(?:required|mandatory) (?:checks|verification)|quality gates?|verification checklist|.*\(session completion\))\b[^.]{0,30}$`}
	prepush   = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:pre-?push|before (?:you )?push)`}
)
