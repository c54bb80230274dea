package statement

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Offers reports whether a statement is in a list of what can be run.
func (s *Statement) Offers() bool {
	return slices.ContainsFunc(s.Section[max(0, len(s.Section)-2):], CommandList.Get().MatchString)
}

// Leads are the beginnings that an item's list or its heading gives it: "Before
// committing:".
func Leads(s *Statement) (list []string) {
	if automatic.Get().MatchString(s.Lead) || doneBy.Get().MatchString(s.Lead) {
		return nil
	}
	if s.Block == markdown.Item && (guides.Get().MatchString(s.Lead) || firstReads.Get().MatchString(s.Lead) && !inCase.Get().MatchString(s.Text)) {
		list = append(list, strings.TrimRight(s.Lead, "*_: ")+":")
	}
	above := []string{s.Text}
	if s.Block != markdown.Heading {
		above = []string{s.Lead, s.Heading()}
		if s.Block == markdown.Item && Trouble.Get().MatchString(s.Lead) || caseOfOwn.Get().MatchString(s.Text) { // it is done then, and not when the heading says
			above = above[:1]
		}
	}
	for i, lead := range above {
		if aim := toAvoid.Get().FindString(lead); !moment.Get().MatchString(aim) {
			lead = strings.Replace(lead, aim, "", 1)
		}
		front := fronts.Get().FindStringSubmatch(lead) // what is said behind the occasion is another thing
		switch {
		case onceDone.Get().MatchString(lead) && (i > 0 || s.Block == markdown.Item || s.Block == markdown.Row) && !automatic.Get().MatchString(lead):
			list = append(list, "Before finishing:")
		case preReview.Get().MatchString(lead) && (i > 0 || s.Block == markdown.Item):
			list = append(list, "Before opening a PR:")
		case front != nil && (i > 0 || s.Block == markdown.Item || s.Block == markdown.Heading) && !Trouble.Get().MatchString(front[1]) && !automatic.Get().MatchString(lead):
			list = append(list, front[1]+":")
		case lead == "" || i == 0 && s.Block != markdown.Item && s.Block != markdown.Row && s.Block != markdown.Heading || Trouble.Get().MatchString(lead) || automatic.Get().MatchString(lead) || len(s.Section) > 1 && Trouble.Get().MatchString(s.Section[len(s.Section)-2]):
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
			if s.Offers() {
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

// guides introduces a list of documents to be read.
var guides = lazy.Regexp{Source: `(?i)\b(?:read|check|consult|review|start with)\b.*(?:\bbefore\b|\bwhen (?:you )?(?:work|edit|chang)\w*\b|as needed|when relevant).*:\W*$`}

// firstReads introduces documents that are read before work of all kinds.
var firstReads = lazy.Regexp{Source: `(?i)^\W*before\b[^.:]*\b(?:read|load|consult|review)\b[^.:]*:\W*$`}

// occasions are when what is listed below is to be done.
var occasions = lazy.Regexp{Source: `(?i)(?:^|[^\w])((?:before|after|prior to|when(?:ever)?|if|every time) (?:[^t.,:()|]|t[^o.,:()|])(?:[^.,:()|\x60]|\x60[^\x60]+\x60){2,80}?\W*)$`}

// fronts is an occasion at the beginning, and that what is listed is to be done then.
var fronts = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:[\w ]{1,20}: )?(?:when making (?:any |code |your )*changes, )?((?:before|after|prior to|when(?:ever)?|every time) [^.,:()|]{3,80}?), (?:you )?(?:always |must |please |also |should )*(?:(?:run|do|execute|complete|perform|go through|ensure|make sure|verify|validate)\b[^.]{0,80}|always):\W*$`}

// inCase is an item that says itself when it holds.
var inCase = lazy.Regexp{Source: `(?i)^\W*(?:for|only)\b|\b(?:if|when(?:ever)?|where|unless|in case|as needed)\b`}

// atStart introduces what a session begins with, and readingList what is to be read then.
var atStart = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:at |on )?(?:the )?(?:(?:every|each|new|the) )?session[- ]start(?:up)?(?: (?:protocol|checklist|routine|ritual|procedure|sequence))?|(?:at |on )?(?:the )?start of (?:every|each|a|the|any)(?: new)? (?:session|task|conversation)|every session|when starting (?:a|any|each|every)(?: new)? (?:session|task|conversation)|before (?:you )?(?:do|doing) anything(?: else)?|before (?:you )?(?:start|starting|begin|beginning)(?: (?:any|every|each|a|the|your|new|work|working|tasks?|sessions?|coding))*)\W*$`}

var readingList = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:required|mandatory|must) reading(?: (?:before|at|order)\b[^.:]{0,40})?|(?:always |please |you must )?read (?:these|the following|this|all of these)(?: (?:files|documents|docs|in order|in this order))* (?:first|before (?:you )?(?:start|begin|work|writ|mak|cod|do|any)\w*\b[^.:]{0,40})|(?:at |on )(?:the )?(?:start of (?:every|each|a|the|any)(?: new)? (?:session|task|conversation)|session start),? (?:always |first |you must )*read(?: (?:these|the following))?(?: (?:files|documents|docs|in order|in this order))*)\W*$`}

var exists = lazy.Regexp{Source: `(?i)\b(?:exists?|(?:is|are) (?:present|available|installed|set up))\b`} // whatever is done

// Trouble is what something is done about.
var Trouble = lazy.Regexp{Source: `(?i)\b(?:fail(?:s|ed|ing|ures?)?|errors?|issues|problems?|broken|troubleshoot\w*|faq|debugging)\b`} // what to do then

// onceDone introduces what is to be done with work that is finished.
var onceDone = lazy.Regexp{Source: `(?i)^[\W_]*(?:once|when|whenever|after|as soon as) (?:you(?:['’]re| are|['’]ve| have)? )?(?:all )?(?:done|finished|completed?)\b(?: (?:with )?(?:your |the |all |any |a )*(?:work|tasks?|changes|coding|implementation|edits?))?\W*(?:(?:make sure|ensure|be sure|you must|always|run|do|execute)\b[^.:]{0,40})?:\W*$`}

// preReview introduces what is to be done before others look at the work.
var preReview = lazy.Regexp{Source: `(?i)^\W*before (?:you )?(?:request|ask)(?:ing)? (?:for )?(?:an? |any |your )?(?:code )?reviews?\b[^.]{0,40}:\W*$`}

// moment is when something is to be done.
var moment = lazy.Regexp{Source: `(?i)\b(?:before|after|when|whenever|prior to)\b`}

// toAvoid is why something is to be done.
var toAvoid = lazy.Regexp{Source: `(?i),? (?:(?:in order )?to|so (?:that )?(?:you|we)|which) (?:avoids?|prevents?|catch(?:es)?|minimi[sz]es?|reduces?) [^.:]*`}

// labelVerb is an order behind a label: "commits: write a file".
var labelVerb = lazy.Regexp{Source: `^[^:.;]{2,40}: (?:always |please )?([a-z]+) (?:the |an? |your |‹)`}

// CommandList is the heading of a list of what can be run.
var CommandList = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:\w+ ){0,2}(?:commands|scripts|cheat ?sheet)\b[^.]{0,20}$`}

var automatic = lazy.Regexp{Source: `(?i)\bautomat(?:ic(?:ally)?|ed)\b`} // a hook does it

// doneBy introduces what a command does.
var doneBy = lazy.Regexp{Source: `(?i)^\W*(?:(?:it|this|that|which|they)|(?:the|this|that) (?:[\w-]+ ){1,3}?)(?: also| will| then)? ?(?:runs?|does|executes?|performs?|checks?|includes?|covers?|calls?)\b[^.]*:\W*$`}

var precommit = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:pre-?commit|commit checklist|before (?:you )?commit|quality gates?\b.*commit)`}

var atEnd = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:definition of done|done when|(?:session |task )?completion(?: checklist| criteria)?|(?:required|mandatory) (?:checks|verification)|quality gates?|verification checklist|.*\(session completion\))\b[^.]{0,30}$`}

var prepush = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:pre-?push|before (?:you )?push)`}

// muchText is the length of a statement, in bytes, whose later sentences are often about what
// the first ones name: of 13 rules that such sentences made and that blocked, readers called 9
// wrong.
const muchText = 240

// GoesOn reports whether a sentence is a later one of a long statement.
func (s *Statement) GoesOn(p *sentence.Phrase) bool {
	return len(s.Text) > muchText && len(s.Phrases) > 0 && !strings.HasPrefix(p.Quote, s.Phrases[0].Quote)
}

// Negative is a heading that forbids what is listed below it.
var Negative = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:\w+ ){0,3}(?:forbidden|prohibited|banned|off-limits|disallowed|blocked)(?: \w+){0,3}|(?:things|what|commands|files) (?:to avoid|(?:you must |to )?(?:not|never)(?: to)?(?: \w+){0,2})|don['’]ts|(?:never|do not|don['’]t)(?: (?:ever )?do(?: (?:this|these|any of these|the following))?)?|avoid)\b(?: \([^)]*\))?[\W_]*$`}

// banOfCode is the last sentence above a block of commands that are not to be run.
var banOfCode = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:you (?:must|should) )?(?:never|do not|don['’]t|avoid|forbidden|banned|prohibited|disallowed)(?: ever)?(?: (?:runn?(?:ing)?|execut(?:e|ing)|us(?:e|ing)|call(?:ing)?|type))?(?: (?:any of |all of )?(?:these|the following|this|any))?(?: (?:shell |git |dangerous |destructive |such )*(?:commands?|calls|operations))?[\W_]*$`}

// BansCode reports whether a statement forbids the commands of the code below it.
func (s *Statement) BansCode() bool {
	if len(s.Code) == 0 || len(s.Phrases) == 0 {
		return false
	}
	last := s.Phrases[len(s.Phrases)-1].Quote
	return banOfCode.Get().MatchString(last) || s.Block == markdown.Heading && Negative.Get().MatchString(last)
}

// leadAlone is a lead that says no more than whether what is listed below it is to be done.
var leadAlone = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:important|critical|note|rules?|agents?)[:,]? )?(?:(?:you|agents?|claude) )?(?:(?:must|should|please|always|never|do not|don['’]t|avoid|not|ever) ?)+(?:(?:do|doing|follow|observe|run|use|using|remember|obey|respect|adhere to|comply with|edit|touch|commit)\b ?)?(?:(?:any|all|each|one) of )?(?:(?:these|the following|the below|this)(?: [\w-]+){0,2})?[\W_]*:[\W_]*$`}

// onlyLeads reports whether a statement only introduces a list, whose items say what is asked.
func (s *Statement) onlyLeads() bool {
	return len(s.Items) > 0 && len(s.Code) == 0 && len(s.Phrases) == 1 && leadAlone.Get().MatchString(s.Text) && !strings.Contains(s.Phrases[0].Words, "‹")
}

// asksFirst is one above the actions that a user has to approve.
var asksFirst = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:ask (?:first|before(?: \w+)?|permission|for permission)|(?:always )?ask the user(?: first| before)?|(?:requires?|needs?) (?:\w+ )?(?:approval|permission|confirmation))[\W_]*$`}

// pointing is about what is listed below.
var pointing = lazy.Regexp{Source: `\b(?:these|following|below)\b`}

// Refused is a sign in front of what is not to be done.
var Refused = lazy.Regexp{Source: `^[\W_]*(?:❌|🚫|⛔)`}

var listed = lazy.Regexp{Source: `(?i)^[\W_]*(?:when(?:ever)?|if|after|every time)(?: you)?(?: \w+){0,2}? (?:add|creat|chang|modif|updat|bump|renam|remov)\w*\b.*\b(?:update|all of|following|must|also|these|places)\b.*:[\W_]*$`}

var adding = lazy.Regexp{Source: `(?i)^[\W\d_]*(?:adding|how to add|to add|add|creating|when (?:you )?add(?:ing)?) ((?:an? )?(?:new )?[\w -]{2,40})\W*$`}

// placeFirst begins an item that says where something is not to be.
var placeFirst = lazy.Regexp{Source: `^(?:in|inside|within|on|at|for|during|under) `}

// wantsOne says to use one thing and not another, whatever the list is about.
var wantsOne = lazy.Regexp{Source: `^\W*(?:use|using|prefer|call|write|run) [^.;]*(?:,| -| –| —| \() ?not (?:the )?`}

// addsTo is a lead about something that is not to be put into what its items name.
var addsTo = lazy.Regexp{Source: `\b(?:add|put|write|introduce|bring|move|make) (?:[\w'-]+ ){1,4}(?:to|into|in|on|onto)(?: (?:any|one|the|these|those|of|following|legacy|old|functions?|types?))*\W*$`}

// Forbids is the beginning that an item's list, its heading or its mark gives it, where
// that forbids it: "never edit ".
func Forbids(s *Statement) string {
	if len(s.Phrases) == 0 || s.Block != markdown.Item {
		return ""
	}
	first := s.Phrases[0].Words
	if strings.HasPrefix(first, "‹t") && addsTo.Get().MatchString(sentence.NewPhrase(s.Lead).Words) {
		return "" // the items are what has it, and not what is added
	}
	if m := labelVerb.Get().FindStringSubmatch(first); m != nil && sentence.Words().IsVerb[m[1]] {
		return "" // it says what to do instead
	}
	if wantsOne.Get().MatchString(first) || strings.HasPrefix(first, "no ") || placeFirst.Get().MatchString(first) || forms.Strict.Get().MatchString(first) {
		return ""
	}
	verb := ""
	above := []string{s.Lead, s.Heading()}
	if forms.Strict.Get().MatchString(strings.ToLower(s.Lead)) { // it says enough
		above = above[:1]
	}
	for _, lead := range above {
		p := sentence.NewPhrase(lead)
		all := forms.All().Clauses(p.Words)
		c := all[min(len(all), 2)-1] // behind a label
		if all[0].Not || c.From > 20 {
			c = all[0]
		}
		switch {
		case verb == "" && strings.HasPrefix(first, "‹c") && bansUnasked.Get().MatchString(p.Words):
			return "ask before running "
		case verb != "" || forms.Excepted.Get().MatchString(p.Words) || Cases.Get().MatchString(p.Words) || strings.Contains(p.Words, " without "):
		case c.Not && c.Conj == "" && c.Objects == "" && c.From <= 20 && !strings.Contains(p.Words[:c.From], "(") && (strings.HasSuffix(p.Words, ":") || pointing.Get().MatchString(p.Words)):
			if verb = "never "; strings.HasPrefix(first, "‹") {
				verb = "never " + c.Verb()
			}
			if forms.Rashly.Get().MatchString(p.Words) {
				verb = strings.Replace(verb, "never", "never blindly", 1)
			}
		case Negative.Get().MatchString(lead):
			verb = "never "
		case bansPaths(lead, first) != "":
			verb = bansPaths(lead, first)
		case asksFirst.Get().MatchString(lead):
			return "ask before "
		}
	}
	if verb == "" && !Refused.Get().MatchString(s.Text) {
		return ""
	}
	if verb = cmp.Or(verb, "never "); verb == "never " && strings.HasPrefix(first, "‹") {
		if verb = "never use "; strings.HasPrefix(first, "‹p") && slices.ContainsFunc(above, protects.Get().MatchString) {
			verb = "never edit "
		}
	}
	return verb
}

// LineOf is the line of the file on which a sentence of the statement begins.
func (s *Statement) LineOf(quote string) int {
	at := strings.Index(s.Text, quote)
	for i, l := range s.Lines {
		at -= len(strings.Join(strings.Fields(l), " ")) + 1
		if at < 0 {
			return s.Line + i
		}
	}
	return s.Line
}

var (
	// addition is an item of a list about something that is added, with its file.
	addition = lazy.Regexp{Source: `^(?:‹p(\d+)›|(?:add|create|register|update|implement|define|export|document|wire|put|extend|edit)\b[^‹]{0,60}(?:‹[tc]\d+›[^‹]{0,40}){0,2}‹p(\d+)›)`}
	// Perhaps is a step that is not always needed.
	Perhaps = lazy.Regexp{Source: `\b(?:if|when|where|unless|optional(?:ly)?|as needed|for any)\b`}
	// Placed and invented are names in the place of any other.
	Placed   = lazy.Regexp{Source: `(^|[/_.-])(?:(?:new|my|your|foo)[_-]?|example[_-]|example(?:[a-rt-z]|s\w))[a-z]+`}
	invented = lazy.Regexp{Source: `(?i)\b(?:new|my|your|example|sample|foo)[\w-]*\b`}
)

// filesOfList is a lead about each of the files of a list: they need not change together.
var filesOfList = lazy.Regexp{Source: `(?i)\b(?:add|creat|chang|modif|updat|renam|remov|edit|touch)\w*(?: to)? (?:any (?:one )?of |one of )?(?:these|those|the following) (?:[\w-]+ )?(?:files|paths|modules|components)\b`}

// Listing are the files of a list that change together, and those of them that do not always.
func Listing(s *Statement) (paths, sometimes []string) {
	if len(s.Items) < 2 || filesOfList.Get().MatchString(s.Text) || !listed.Get().MatchString(s.Text) && !adding.Get().MatchString(s.Text) {
		return nil, nil
	}
	for _, i := range s.Items {
		p := sentence.NewPhrase(i)
		if OwnPair.Get().MatchString(p.Words) {
			return nil, nil
		}
		m := addition.Get().FindStringSubmatch(strings.TrimLeft(p.Words, "* "))
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1] + m[2])
		t := p.Terms[n]
		if strings.Contains(t.Text, "/") { // in a file name it is a name for a new file
			t.Text = Placed.Get().ReplaceAllString(t.Text, "$1*")
		}
		if t.Code && !strings.HasPrefix(t.Text, "**/*.") && !invented.Get().MatchString(t.Text) && len(GlobsOf(t.Text)) > 0 && !slices.Contains(paths, t.Text) {
			paths = append(paths, t.Text)
			if Perhaps.Get().MatchString(p.Words) || asRequired.Get().MatchString(strings.TrimLeft(p.Words, "* ")) {
				sometimes = append(sometimes, t.Text)
			}
		}
	}
	if len(paths)*2 < len(s.Items) {
		return nil, nil
	}
	return paths, sometimes
}

// bansUnasked introduces commands that may run when a person agrees: "never run these without approval:".
var bansUnasked = lazy.Regexp{Source: `^\W*(?:you (?:must|should|may) )?(?:never|do not|don't|not) (?:ever )?(?:run|execute|use|call|perform|do)\b[^.:;‹]{0,60} without (?:[\w-]+ ){0,4}(?:approval|confirmation|permission|consent|authori[sz]ation|asking|being asked)\b[^.:;‹]{0,30}:\W*$`}

var (
	// grants is a title, a lead or a label above what an agent may do.
	grants = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:always |explicitly |generally |pre-?)*(?:allowed|permitted|approved|authori[sz]ed|autonomous(?:ly)?|green-?lit)(?: (?:actions?|commands?|operations?|changes?|tasks?|work|scope|tools?|edits?|by default|without .*))*|(?:actions?|commands?|operations?|changes?|things|tasks|what|scope)(?: that)?(?: (?:you|agents?|claude|codex|copilot|an? agent|the (?:agent|assistant)|ai))?(?: (?:is|are))?(?: (?:always|generally|pre-?))* ?(?:allowed|permitted|approved|can do|may do|can|may)(?: .*)?|(?:(?:you|agents?|claude|codex|copilot|an? agent|the (?:agent|assistant)) )?(?:may|can)\b.{0,40}|(?:(?:it is|these are|always|you are) )?(?:ok|okay|fine|safe|free|welcome) (?:to|without)\b.*|feel free\b.*|no (?:need to ask|(?:permission|approval|confirmation) (?:is )?(?:needed|required))\b.*|(?:(?:you )?(?:can |may |should |always )*(?:do|done|run|proceed|go ahead|act|execute|use)) (?:[\w-]+ ){0,3}without (?:asking|approval|permission|confirmation)\b.*)[\W_]*$`}
	// ungrants is a word that limits a permission, or takes it back.
	ungrants = lazy.Regexp{Source: `(?i)\b(?:not|never|only|forbidden|prohibited|must|except|unless|if|before|after|when|fail|break)\b|n['’]t\b`}
	// grantLabel is a label in front of a text.
	grantLabel = lazy.Regexp{Source: `^[*_]{0,2}([\w '’-]{3,40})(?:[*_]{0,2}:|:[*_]{0,2})`}
)

// Granted reports whether a statement is in a list of what is allowed: it demands nothing.
func (s *Statement) Granted() bool {
	above := append([]string{s.Lead}, s.Section...)
	if m := grantLabel.Get().FindStringSubmatch(s.Text); m != nil {
		above = append(above, m[1])
	}
	return slices.ContainsFunc(above, func(t string) bool {
		return grants.Get().MatchString(t) && !ungrants.Get().MatchString(t)
	})
}

// toAgents is said to all that read it.
var toAgents = lazy.Regexp{Source: `(?i)\b(?:if|when) you(?:['’]re| are) (?:an? )?(?:(?:ai|llm|coding) )*(?:agent|assistant|model)\b`}

var (
	// recommended is above what a project recommends, mandatory above what it demands.
	recommended = lazy.Regexp{Source: `(?i)\b(?:recommended|suggested|optional|nice[- ]to[- ]have)\b`}
	mandatory   = lazy.Regexp{Source: `(?i)\b(?:not|non)[ -](?:just |only )?(?:optional|suggested|recommended)|\b(?:mandatory|required|must)\b`}
)

// OnlyRecommended reports whether the words above a statement, or a heading itself, recommend it.
func (s *Statement) OnlyRecommended() bool {
	above := s.Heading() + "\n" + s.Lead
	if mandatory.Get().MatchString(above) {
		return false
	}
	return recommended.Get().MatchString(above) || s.Block == markdown.Heading && recommended.Get().MatchString(s.Text)
}

// untilDone introduces what has to be done before work is called done.
var untilDone = lazy.Regexp{Source: `(?i)\b(?:forbidden from|not allowed to|(?:do not|don['’]t|never|must not|may not|cannot)) (?:report|mark|claim|declar|consider|call)\w* [^.:]{0,40}\b(?:complete|done|finished) (?:until|before|unless) you(?: have|['’]ve)?[^.:]{0,20}:\W*$`}

// Lowered is a sentence that goes on behind a clause.
func Lowered(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if rest := s[n:]; unicode.IsUpper(r) && rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
		return string(unicode.ToLower(r)) + rest
	}
	return s
}

// remarkedBan is the title of a list of files with a remark that they are not to be changed.
const remarkedBan = `(?i)^[\W_\d]*[\w ,/&-]{2,50} \((?:[\w -]{1,30} ?[,;—–:-]+ ?)?(?:do not|don['’]t|never)[ -](?:ever |hand[ -]?|manually |directly )*(?:edit|modify|touch|change)(?: (?:by hand|manually|directly|these|them))*\)[\W_]*$`

var (
	// uncommitted is a title of files that are not to be committed.
	uncommitted = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:[\w ,/&-]{2,50} \((?:[\w -]{1,30} ?[,;—–:-]+ ?)?)?(?:do not|don['’]t|never) commit(?: (?:these|them|the following|to git))*(?: (?:files?|folders?|paths?))?\)?[\W_]*$`}
	// pathFirst is an item that begins with paths.
	pathFirst = lazy.Regexp{Source: `^(?:(?:all|the|any|every|everything|files?|code|anything|in|under|inside|below) )*‹p\d+›`}
	// protectsMade is a title of what is made and not to be changed, madeHere an item below it that says how
	// its path is made, and sourceHere one that may be what others are made of.
	protectsMade = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:do not|don['’]t|never) (?:manually |directly |hand-?)*(?:edit|touch|modify|change|alter) (?:any |the |all )*(?:auto-?)?generated (?:files?|code|outputs?|artifacts?)(?: (?:by hand|manually|directly))?[\W_]*$`}
	madeHere     = lazy.Regexp{Source: `^\W*‹p\d+›[^.]*?\b(?:re-?)?(?:generated|made|built|produced|created|compiled|written) (?:via|by|from|with|using|anew|during)\b`}
	sourceHere   = lazy.Regexp{Source: `\b(?:sources?|edit|change|hand-?written|by hand|manually)\b`}
)

// bansPaths is the beginning that a title gives an item which begins with a path: "" for none.
func bansPaths(lead, first string) string {
	switch {
	case !pathFirst.Get().MatchString(first):
	case uncommitted.Get().MatchString(lead):
		return "never commit "
	case protects.Get().MatchString(lead), protectsMade.Get().MatchString(lead) && madeHere.Get().MatchString(first) && !sourceHere.Get().MatchString(first):
		return "never edit "
	}
	return ""
}
