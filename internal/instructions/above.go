package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// The lead and the headings above a statement limit it, as words of its own sentence do. Most
// are topics and limit nothing. Others name a case, or a folder, or say what others do.

// above is what the lead and the headings of a statement say of it.
type above struct {
	words   string // the case that it holds in: "" for all
	weak    bool   // the case is a heading about one kind of work, which only limits what is to be done
	review  bool   // it is about reviews, or about what others do
	apart   bool   // it names an exception: "outside of api/"
	past    bool   // it does not hold, or not yet
	dir     string // the folder that it is about, with a slash behind it: "" for all
	told    bool   // it tells what a program or other people do
	example bool   // it is a step of an example
	either  bool   // it is one of several alternatives
}

// maxLabel bounds the words of a lead without a colon.
const maxLabel = 6

// over reads the lead and the headings of a statement, from the nearest.
func over(s *statement.Statement) (a above) {
	var texts []string
	lead := strings.TrimRight(s.Lead, "*_ ")
	if strings.HasSuffix(lead, ":") || lead != "" && strings.Count(lead, " ") < maxLabel {
		texts = append(texts, s.Lead)
	}
	for _, outer := range s.Outer {
		if strings.HasSuffix(strings.TrimRight(outer, "*_ "), ":") {
			texts = append(texts, outer)
		}
	}
	leads := len(texts)
	sections := s.Section[min(1, max(0, len(s.Section)-1)):] // not the title of the file
	for i := len(sections) - 1; i >= 0; i-- {
		texts = append(texts, sections[i])
	}
	for i, text := range texts {
		p := sentence.NewPhrase(text)
		words := strings.Trim(p.InWords(p.Words), "*_# ")
		nearest := i == 0 || i == leads && !occurs.Get().MatchString(words)
		if nearest && i <= leads {
			others := byRole.Get().MatchString(words) || i < leads && byOthersToo.Get().MatchString(words)
			a.told = a.told || others || i < leads && (byProgram.Get().MatchString(words) || ranBy.Get().MatchString(words)) || telling.Get().MatchString(words) || leftOpen.Get().MatchString(words)
			a.review = a.review || others || reviewing.Get().MatchString(words)
			a.apart = a.apart || apartFrom.Get().MatchString(words)
		}
		a.past = a.past || outdated.Get().MatchString(words) || p.Later() || notYetAbove.Get().MatchString(words)
		a.example = a.example || exampleOf.Get().MatchString(words)
		a.either = a.either || i < leads && oneIs.Get().MatchString(words) || i == leads && variants.Get().MatchString(words)
		if dir := p.NamedFolder(); dir != "" {
			if a.dir == "" {
				a.dir = dir
			}
			continue
		}
		if a.words == "" {
			p.Words, a.weak = caseIn(strings.Trim(inParens.Get().ReplaceAllString(p.Words, ""), "*_# "), i < leads)
			a.words = p.InWords(p.Words)
		}
	}
	a.either = a.either || s.Either
	return a
}

var (
	// byProgram introduces what a program does.
	byProgram = lazy.Regexp{Source: `\b(?:hooks?|ci|bots?|pipelines?|workflows?|jobs?|actions?|scripts?|targets?|husky|lefthook|lint-staged|server|tools?|commands?|cron) (?:(?:also|will|then|automatically|always) )*(?:runs?|does|executes?|performs?|checks?|includes?|covers?|calls?|verif(?:y|ies)|validates?|triggers?|invokes?)\b[^.!?]*:?$|^(?:make|npm|pnpm|yarn|bun|just|task|cargo|go)\b[\w :./-]{0,40} (?:runs|does|executes|performs|checks|includes|covers|calls)\b[^.!?]*:$`}
	// ranBy is such a lead without the name of what runs.
	ranBy = lazy.Regexp{Source: `^\W*(?:it|this|that|which|they|these|(?:the|this|that) (?:[\w-]+ ){1,3}?)(?: also| will| then)? ?(?:runs?(?: automatically| on \w+)?|executes?|performs?|checks?|calls?)(?: (?:the following|these)(?: \w+)?)?(?: (?:before|after|on) [\w ]{3,30})?:?$`}
	// telling is the title of what a program or other people do.
	telling = lazy.Regexp{Source: `^[\W\d]*what (?:(?:the|this|that|our|a|each|every) )?(?:it|[\w./:-]+(?: [\w./:-]+){0,3}) (?:does|runs|checks|covers|executes)\b|^[\W\d]*what (?:the |our |these )?(?:[\w-]+ )?(?:hooks|checks|jobs|bots|scripts|workflows|actions|tools|commands) (?:do|run|check|cover)\b|^[\W\d]*(?:what happens|how it works)\b|\((?:fully )?automat(?:ed|ic|ically)\)|^[\W\d]*(?:automated|automatic) (?:checks?|tests?|hooks?|gates?|validations?|steps?|pipelines?|verification)\b|\b(?:runs?|run|done|checked|executed|handled) (?:automatically|(?:by|in) (?:the )?(?:ci|hooks?|pre-commit hooks?|github actions|pipelines?|bots?|husky|lefthook))\W*$` +
		`|^[\W\d]*(?:in|on) (?:ci|github actions|the pipeline)\W*$`}
	// occurs is a lead that says itself when something is to be done.
	occurs = lazy.Regexp{Source: `\b(?:before|after|prior to|when|whenever|every time)\b`}
	// oneIs introduces alternatives.
	oneIs = lazy.Regexp{Source: `\b(?:run|use|using|execute|pick|choose|select|call|try|with|by)\b[^.]{0,30}\b(?:one of|any one of|either|any of)\b|\b(?:choose|pick) (?:one|from)\b|^[\W\d]*(?:[\w-]+ )?(?:alternatives?|variants?)\b|\bone of(?: (?:these|those|the following)(?: \w+)?)?:?$`}
	// variants is the title of them.
	variants = lazy.Regexp{Source: `^[\W\d]*(?:variants|alternatives|options|choices)\W*$`}
	// exampleOf is the title of an example, or the lead of one.
	exampleOf = lazy.Regexp{Source: `^[\W\d]*(?:an? )?(?:[a-z]+[^g\W] )?examples?(?: [\w-]+){0,3}\W*$|^[\W\d]*(?:let's say|suppose|say|imagine|assume) you\b`}
	// byRole is the title of what other people do.
	byRole = lazy.Regexp{Source: `^[\W\d]*(?:for )?(?:the )?(?:maintainers?|reviewers?|humans?|admins?|release managers?)(?: only)?(?: \([^)]*\))?\W*$`}
	// byOthersToo introduces what programs or other people have to do.
	byOthersToo = lazy.Regexp{Source: `\b(?:hooks?|ci|bots?|pipelines?|scripts?|workflows?|jobs?|servers?|reviewers?|maintainers?|users?|admins?) (?:will|must|should|may|can|do|does|says?)(?: \w+)?:$`}
	// leftOpen is the title of optional steps.
	leftOpen = lazy.Regexp{Source: `^[\W\d]*(?:(?:allowed|permitted)(?: (?:actions?|changes?|operations?|edits?|work|tasks?|activities|for agents))?|(?:what )?(?:you|agents?|ai|copilot|claude) (?:may|can|are allowed to|is allowed to)(?: do)?)(?: \([^)]*\))?\W*$|^[\W\d]*(?:optional(?:ly)?|nice to have|suggestions?)(?: (?:steps?|checks?|extras?))?\W*$|\(optional\)\W*$`}
	// apartFrom begins with an exception.
	apartFrom = lazy.Regexp{Source: `^\W*(?:unless|except|outside|not (?:in|for|on|under)|apart from|other than|everywhere but)\b`}
	// outdated is the title of what was or will be.
	outdated = lazy.Regexp{Source: `^[\W\d]*(?:deprecated|obsolete|superseded|historical|archived|old|former|proposed|planned|future) (?:rules?|workflows?|process(?:es)?|conventions?|guidelines?|instructions?|steps?|policy|policies)\b|\b(?:rules?|workflow|process|conventions?|guidelines?|instructions?|steps|policy)\b[^(]*\((?:[\w ,]+ )?(?:no longer \w+|superseded|obsolete|deprecated|proposed|planned|not yet in (?:use|force))\b[^)]*\)\W*$|^[\W\d]*(?:proposed|planned|not yet|proposals?)\W*$`}
	// reviewing is the title of what holds for reviews.
	reviewing = lazy.Regexp{Source: `^[\W\d]*(?:(?:when |during |in |for )?(?:(?:code|prs?|pull requests?|peer) )?(?:reviews?|reviewing(?: (?:prs?|pull requests?|code|changes))?)(?: (?:guidelines|rules|mode|comments|style|output|instructions|guide|of [\w ]+))*|output (?:style )?(?:of|for|in) reviews?)(?: \([^)]*\))?\W*$`}
)

var (
	// caseFirst is a case that a lead or a heading begins with.
	caseFirst = lazy.Regexp{Source: `^[\W\d]*(?:(?:important|note|critical|rules?|step \d+): )?(?:only )?(if|when|whenever|once|while|during|in case of|in case|for|in|on) ([^,:(—–|]{2,}?)(?:,| -+ |[:(—–|]|[ .:;!?*_"'…]*$)`}
	// inParens is a remark, and goesBehind what goes on behind a case without a sign.
	inParens   = lazy.Regexp{Source: ` ?\([^)]*\)`}
	goesBehind = lazy.Regexp{Source: ` (?:follow|use|run|see|do|ensure|always|look|the [\w ]+ (?:is|are))\b.*$`}
	// toDo asks when something is right, or begins what is to be done.
	toDo = lazy.Regexp{Source: `^(?:not )?to\b|^(?:in doubt|uncertain|unsure)\b`}
	// workOf is a heading about work of one kind.
	workOf = lazy.Regexp{Source: `^[\W\d]*(?:(?:how|steps|guide|workflow|process|checklist|rules) (?:to|for) |to )?((?:add|creat|implement|writ|updat|chang|modify|edit|remov|delet|renam|migrat|port|upgrad|bump|extend|introduc|regenerat|releas|publish|deploy|cut)ing|(?:add|create|implement|write|update|change|modify|remove|delete|rename|upgrade|extend|introduce|publish|deploy)(?: (?:an?|new))+) ([^,:(—–|]{2,}?)(?: (?:with|using|via|from|in|by|for|on) | -+ |[,:(—–|]|[ .:;!?*_"'…]*$)`}
	// changesIn is a heading about changes of one kind.
	changesIn = lazy.Regexp{Source: `^[\W\d]*([^,:(—–|‹]{3,40}? (?:changes|updates|upgrades|edits|modifications))(?: \([^)]*\))?(?: (?:workflow|process|checklist|rules|guidelines))?\W*$`}
	// anyKind is a heading about how changes are made, or when.
	anyKind = lazy.Regexp{Source: `^(?:\w+ing|before|after|during|when|while|on|for|with|to|of|no|zero|surgical|manual|small\w*|large|minimal|incremental|uncommitted|atomic|unrelated|local|pending|recent|safe|focused|proposed|use|apply|stash|analy[sz]e|final|key|important|commit\w*)\b| (?:for|of|in|to|with|from) `}
	// ofChecks is what tests are called by.
	ofChecks = lazy.Regexp{Source: `\b(?:tests?|specs?|assertions?)$|^(?:from|for|in|on|with)\b`}
	// released is one about what is done with work that is complete.
	released = lazy.Regexp{Source: `^[\W\d]*(?:(?:before|prior to|pre) ?-?(?:(?:any|each|every|an?|the|production) )*)?((?:releas(?:es?|ing)|publishing|deploy(?:ments?|ing)|hotfix(?:es)?|backports?|backporting))(?: (?:process|workflow|steps|checklist|procedure|guide|guidelines|rules))?(?: \([^)]*\))?\W*$`}
	// platform is one about one system.
	platform = lazy.Regexp{Source: `^[\W\d]*(?:on )?((?:windows|macos|mac os|linux|wsl2?|freebsd|android|ios)(?:(?: and |/| or )(?:windows|macos|linux|wsl2?))?)(?: (?:only|users|notes|specifics|hosts?))?\W*$`}
	// byUser is a case in which a user wants something.
	byUser = lazy.Regexp{Source: `\busers? (?:\w+ )?(?:asks?|wants?|requests?|says?|needs?)\b|\b(?:asked|requested|instructed|told)\b`}
	// negatedVerb is in a title of what remains to be done: "when the formatter can't help".
	negatedVerb = lazy.Regexp{Source: `\b(?:cannot|\w+n't|not)\b`}
	// remade names a file that is generated again after changes of its sources.
	remade = lazy.Regexp{Source: `\b(?:re-?generate|rebuild|re-?export|refresh|re-?sync|re-?compile) (?:the |your |our |all )?((?:[\w./-]+ ){0,3}[\w./-]+) after (?:making |any |the |your )?(?:changes|edits|updates|modifications)(?:$|[:.,;)])`}
	// everyCase are words behind "for", "in" and "on" that mean all cases.
	everyCase = lazy.Regexp{Source: `^(?:(?:for|in|on) (?:(?:the |this |your |our )?(?:general|order|addition|short|practice|particular|summary|brief|both|most|doubt|example|instance|reference|now|more|further|details?|information|consistency|safety|security|clarity|best|quick|convenience|top|reads?|project|root|repo\w*|codebase|workspace|future|case|demand|topic|what|which|writing|all|any|each|every|this|these)\b|local|the (?:following|rest))|(?:if|when|whenever|where) (?:feasible|possible|practical|applicable|necessary|needed|available|appropriate|relevant|required|useful|helpful)\b)`}
	// ofAnyWork are words of headings that do not limit what is below them.
	ofAnyWork = lazy.Regexp{Source: `^(?:development|developing|iteration|ai|llms?|claude|codex|copilot|cursor|coding|assistants?|automated|contributors?|developers?|everyone|team|librar(?:y|ies)|workspaces?|monorepo|quality|good|better|clean|great|effective|style|conventions?|guidelines?|rules?|instructions?|workflows?|process|practices?|standards?|naming|logic|branches|checklists?|guides?|tips|notes|guidance|authors?|steps|principles|requirements?|expectations|basics|methods?|policy|policies|commands|scripts|messages?|you're|you|are|am|which|that|with|your|rules|daily|regular|normal|related|general|types?|languages?|making)$`}
	// onePart is a part of a program that has files in many folders.
	onePart = lazy.Regexp{Source: `^[\W\d]*((?:the |our )?(?:(?:(?:public|external|exported|stable) )+(?:api|interface)s?(?: surfaces?)?|(?:core|business|domain) logic|(?:hot|critical|performance[- ](?:critical|sensitive)) (?:code|(?:code )?paths?|loops?)))(?: (?:rules|guidelines|conventions|changes|requirements|constraints))?\W*$`}
	// ofChecker is the name of a program that checks what a project has.
	ofChecker = lazy.Regexp{Source: `^(?:biome|black|clippy|credo|dialyzer|eslint|flake8|golangci-lint|isort|knip|markdownlint|mypy|oxlint|phpstan|pint|pre-commit|prettier|psalm|pylint|pyright|rector|rubocop|ruff|rustfmt|shellcheck|sorbet|steep|stylelint|swiftlint)$`}
	// doing is a verb for work of all kinds.
	doing = lazy.Regexp{Source: `^(?:mak|add|writ|creat|updat|mov|delet|renam|remov|refactor|generat|start|begin|clos|commit|push|merg|open|rais|prepar|call|submitt|shipp|chang|edit|modify|touch|work|implement|fix|test|cod|develop|finish|complet|build|runn|do|us|handl|programm|contribut|iterat|format|lint|check|verify|validat|review|touch|introduc|extend|hand|mark|finaliz|includ|hav|be|go|pass|exist|follow|remain|miss|anyth|someth|everyth)ing$`}
)

// caseOfList names a list by its kind, in front of the case that it is for.
var caseOfList = lazy.Regexp{Source: `^(?:(?:the|a|an|our|your|final|quick|short|mandatory|required) )*(?:check-?lists?|to-?dos?|steps?|procedures?|process|actions?|tasks?) ((?:after|before|when|whenever|while|if|once) )`}

// caseIn is the case that a lead or a heading names: "" for all. It is weak where a heading only
// names what kind of work it is about.
func caseIn(words string, lead bool) (said string, weak bool) {
	words = caseOfList.Get().ReplaceAllString(words, "$1")
	if m := caseFirst.Get().FindStringSubmatch(words); m != nil && (lead || m[1] != "on") { // "on style" is a topic
		conj, what := strings.Replace(m[1], "while", "when", 1), strings.TrimSuffix(strings.TrimSpace(m[2]), " only")
		timed := slices.Contains([]string{"if", "when", "whenever", "once"}, conj)
		if !timed {
			what = goesBehind.Get().ReplaceAllString(what, "")
		}
		switch {
		case conj == "for" && ofChecker.Get().MatchString(what):
			return "", false // the check itself
		case toDo.Get().MatchString(what),
			!lead && negatedVerb.Get().MatchString(what),
			everyCase.Get().MatchString(conj + " " + what),
			ofAllWork(what) && !byUser.Get().MatchString(what) && !(lead && forms.OnTests.Get().MatchString(what)):
			return "", false
		case timed:
			return conj + " " + what, false
		}
		return what, false
	}
	if m := platform.Get().FindStringSubmatch(words); m != nil {
		return m[1], false
	}
	if lead {
		return "", false
	}
	if m := workOf.Get().FindStringSubmatch(words); m != nil && !ofAllWork(m[2]) && !ofChecks.Get().MatchString(m[2]) {
		if strings.Contains(m[1], " ") { // "add a"
			return "when you " + m[1] + " " + m[2], true
		}
		return "when " + m[1] + " " + m[2], true
	}
	if m := changesIn.Get().FindStringSubmatch(words); m != nil && (strings.HasPrefix(m[1], "breaking ") || !ofAllWork(m[1]) && !anyKind.Get().MatchString(m[1]) && !sentence.StartsVerb(m[1])) {
		return m[1], true
	}
	if m := released.Get().FindStringSubmatch(words); m != nil {
		return m[1], true
	}
	if m := onePart.Get().FindStringSubmatch(words); m != nil {
		return m[1], false
	}
	return "", false
}

// ofAllWork reports whether words of a heading are about all that an agent does, or about the code
// of a language, whose files are known.
func ofAllWork(words string) bool {
	left := slices.DeleteFunc(strings.Fields(words), func(w string) bool {
		w = strings.Trim(w, "*_.'\"`")
		return ofAnyWork.Get().MatchString(w) || slices.ContainsFunc(forms.All().Languages, func(l forms.Language) bool { return l.Said.Get().MatchString(w) })
	})
	return sentence.AllCases(strings.Join(left, " ")) && !slices.ContainsFunc(left, func(w string) bool { return strings.HasSuffix(w, "ing") && !doing.Get().MatchString(w) })
}

// unlimited are the kinds of rules that hold whatever is said above them, or that say themselves
// what they are about.
var unlimited = []string{"secrets", "attribution", "kinds", "also", "new-also", "before-first", "read-itself", "placement", "links", "conventional", "subject", "branch-name", "merges", "runners", "via", "scripts"}

// someChanges introduces what holds for changes of one kind, and anyChange are words for all of them.
var (
	someChanges = lazy.Regexp{Source: `(?i)^\W*for ((?:[\w-]+ ){1,3})(?:prs?|pull requests?|changes|fixes|tasks|commits)\W*:\W*$`}
	anyChange   = lazy.Regexp{Source: `(?i)\b(?:any|each|every|all|the|your|new|code|pull)\b`}
)

// ofSomeChanges reports whether a lead limits what is below it to changes of one kind.
func ofSomeChanges(lead string) bool {
	m := someChanges.Get().FindStringSubmatch(lead)
	return m != nil && strings.TrimSpace(anyChange.Get().ReplaceAllString(m[1], "")) != ""
}

// inCase reports whether the rule of a form holds only in the case that is named above it, and
// the sentence does not name it itself.
func (a *above) inCase(hit *forms.Found) bool {
	if a.words == "" || strings.Contains(hit.Phrase.Words, a.words) || slices.Contains(unlimited, hit.Form.Rule) {
		return false
	}
	return !a.weak || hit.Form.Rule == "requires" && !hit.Has("changed")
}

// sayable reports whether a message can name the case.
func (a *above) sayable() bool {
	return len(a.words) <= forms.MaxCase && forms.Tells(a.words) && !statement.Trouble.Get().MatchString(a.words)
}

// demands reports whether a demand is made of the items below: not where others do them, and
// not of alternatives.
func (a *above) demands() bool { return !a.told && !a.either }

// underCase makes a demand one that reminds of it in the case that is named above it. It is
// not ok where the case cannot be told.
func (b *builder) underCase() (ok bool) {
	if m := remade.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil && !b.has("words") && b.above.dir == "" && !ofAllWork(m[1]) {
		b.hit.Severity, b.hit.Slots["words"] = "warn", m[1]
	}
	if b.has("words") || !b.above.inCase(b.hit) {
		return true
	}
	if !b.above.sayable() {
		return b.hit.Severity != "block"
	}
	b.hit.Severity, b.hit.Slots["words"] = "warn", b.above.words
	return true
}

// limit makes a rule warn that holds only in the case, or for the folder, that is named above
// it. It is not ok where the rule would tell nothing.
func (b *builder) limit(r *ruletext.Rule) (ok bool) {
	words := ""
	switch a := &b.above; {
	case a.past:
		return false
	case a.apart && !slices.Contains(unlimited, b.hit.Form.Rule):
		if r.Severity == "block" {
			r.Severity = forms.Reminder
		}
		return !b.hit.Everyday()
	case b.hit.Form.Rule == "requires":
		return true
	case a.inCase(b.hit):
		words = a.words
		if !a.sayable() || b.hit.Everyday() {
			return r.Severity != "block" && r.Severity != "ask" && !b.hit.Everyday()
		}
	case a.review && slices.Contains([]string{"commands", "branch"}, b.hit.Form.Rule):
		return false
	case a.dir != "" && r.Severity != "warn" && b.ofFolder(r):
		words = a.dir
	default:
		return true
	}
	r.Severity = "warn"
	r.Message = statement.IfAbout(words) + statement.Lowered(r.Message)
	return true
}

// ofFolder reports whether a rule under the name of a folder is about more than its files.
func (b *builder) ofFolder(r *ruletext.Rule) bool {
	switch b.hit.Form.Rule {
	case "rivals":
		return true
	case "commands":
		return slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return t.Kind == sentence.Command && !strings.Contains(t.Text, " ") })
	case "content", "imports", "emoji", "header", "names":
		return !slices.ContainsFunc(r.Scope, func(s string) bool { return strings.HasPrefix(s, b.above.dir) })
	}
	return false
}

// below are patterns of files within the folder that is named above the statement.
func (b *builder) below(globs []string) []string {
	if b.above.dir == "" || len(b.s.Globs) > 0 {
		return globs
	}
	return pathglob.Each(globs, func(g string) string { return b.above.dir + strings.TrimPrefix(g, b.above.dir) })
}

// testsBelow are the files of tests within that folder, with one of them.
func (b *builder) testsBelow() (globs []string, example string) {
	if globs = b.below(pathglob.OfTests()); globs[0] == pathglob.OfTests()[0] {
		return globs, "tests/a.py"
	}
	if ofTestFiles.Get().MatchString(b.above.dir) {
		globs = []string{b.above.dir + "**"}
	}
	return globs, b.above.dir + "tests/a.py"
}

// ofTestFiles is a folder of tests.
var ofTestFiles = lazy.Regexp{Source: `\b(?:tests?|specs?|e2e|__tests__)\b`}
