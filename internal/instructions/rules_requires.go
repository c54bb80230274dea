package instructions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// asksForNoRun reports whether a sentence that a form about runs finds is about another thing than a run
// of the agent's.
func (b *builder) asksForNoRun() bool {
	words := b.hit.Phrase.Words
	switch {
	case onlyIfRun.Get().MatchString(words), onlySomewhere.Get().MatchString(words), mending.Get().MatchString(b.quote), asExample.Get().MatchString(words), onMade.Get().MatchString(words), behindRun.Get().MatchString(words):
		return true
	case !b.has("write") && looking.Get().MatchString(words) && !findsFaults.Get().MatchString(words):
		return true
	}
	return !b.has("changed") && anyOfThose.Get().MatchString(words)
}

var (
	// onlyIfRun allows a run in a case, and does not order it there.
	onlyIfRun = lazy.Regexp{Source: `\bonly (?:re-?)?(?:run|use|call|execute|invoke) (?:the )?‹c\d+›|\b(?:run|use|call|execute|invoke) (?:the )?‹c\d+› only (?:if|when|where|for|on|in)\b`}
	// onlySomewhere is a remark that limits a demand to a place where the work is done, which no call shows.
	onlySomewhere = lazy.Regexp{Source: `\((?:(?:on|in|for|from) )?(?:the |an? |your )*(?:local\w*|dev\w*|ci|cd|linux|mac\w*|windows|docker|containers?|production|staging|remote|hosted)\b[^()]{0,30}\bonly\b|\bonly (?:on|in|for|from|with)? ?(?:the |an? |your )*(?:local\w*|dev\w*|ci|cd|linux|mac\w*|windows|docker|containers?|production|staging|remote|hosted)\b[^()]{0,30}[);]`}
)

// requires wants commands to have run.
func (b *builder) requires() (list []ruletext.Rule) {
	b.elsewhere()
	if b.hit.Form.Name == "done-when" && !b.has("gate") && beforeCommit.Get().MatchString(b.s.Lead) {
		b.hit.Slots["gate"] = "commit"
	}
	b.momentAbove()
	if behind, _ := b.after("run"); b.hit.Form.Name == "run-after" && !b.has("gate") && lookedAt.Get().MatchString(behind) {
		b.hit.Slots["gate"] = lookedAt.Get().FindStringSubmatch(behind)[1]
	}
	g, ok := b.gateOf()
	if !ok || b.asksForNoRun() || b.onlyThen() || b.hasTargets() || b.codeElsewhere() || b.needless() || b.notDue(g) || b.ofUnknownKind() || !b.orderedHere(g) || !b.endOnPart() {
		return nil
	}
	b.besideTests()
	if b.ofNamedFile(); !b.remindOnly() {
		return nil
	}
	if b.hit.Severity == "block" && (b.orElse() || b.ofParts() || ofBoth.Get().MatchString(b.hit.Phrase.Words) || b.hit.OfJob() && ofTouched.Get().MatchString(b.hit.Phrase.Words)) {
		b.hit.Severity = forms.Reminder
	}
	if b.hit.Severity == "block" && (b.has("changed") || b.has("gate") || b.onDependencies()) && b.limitedBehind("run", "changed", "gate") {
		b.hit.Severity = forms.Reminder
	}
	b.ofWeight()
	b.afterSomeWork()
	b.underLabel()
	b.wholeCase()
	b.caseAlone()
	all := b.ofTickets(b.duties())
	for _, d := range all {
		if why := doesHarm(slices.Concat(d.Names, []string{d.Example})...); why != "" {
			b.against = obstacle{why, true}
			continue
		}
		if slices.ContainsFunc(d.Names, b.p.Bars) {
			b.against = cmp.Or(b.against, obstacle{"Another line of the files forbids it.", false})
			continue
		}
		if b.leftToOthers(d.Names) || b.checksNothing(&d, g) || b.p.LacksScripts(d.Names, b.s.OfFolder()) {
			continue
		}
		if g == nil {
			list = append(list, b.dueAtTheEnd(&d, all))
		} else {
			list = append(list, b.dueBefore(g, &d, all))
		}
	}
	return list
}

// lookedAt goes on, behind a command, with what is done with its output, and before which act.
var lookedAt = lazy.Regexp{Source: `^ and (?:verify|check|review|inspect|confirm|read|look at) (?:[\w-]+ ){1,4}before (?:you )?(‹a\d+›)(?:$|[.,;)])`}

// textWork is a case that may be about documents.
var textWork = lazy.Regexp{Source: `\b(?:pages?|docs?|documents?|documentation|guides?|articles?|sections?|headings?|images?|screenshots?|diagrams?|figures?|links?|markdown|prose|texts?|tutorials?|examples?|snippets?|sidebars?|navigation|nav|translations?|contents?|files?|folders?|notes?|posts?|entr(?:y|ies)|terms?|glossar(?:y|ies)|tables?|templates?|blogs?|sites?|references?|changelogs?|adrs?|specs?|proposals?|plans?)\b`}

// codeElsewhere reports whether a demand in the file of a folder of documents is about work on code,
// which lies in other folders.
func (b *builder) codeElsewhere() bool {
	dir := b.s.OfFolder()
	return dir != "" && docsFolder.Get().MatchString(dir+"/") && b.p.Whole() && !b.p.SourcesBelow(dir) && b.has("words") && !b.has("changed") &&
		!textWork.Get().MatchString(b.said("words")+" "+sentence.NewPhrase(b.quote).Words)
}

// testsOf is the end of a path to a folder of tests.
var testsOf = lazy.Regexp{Source: `/(?:tests?|specs?|__tests__)$`}

// besideTests extends a demand below the title of a folder of tests to the folder that contains it: the
// tests are run when its code changes.
func (b *builder) besideTests() {
	if dir := testsOf.Get().ReplaceAllString(b.s.Folder, ""); dir != b.s.Folder {
		b.s = b.s.Within(dir)
	}
}

// beforeCommit is a lead that names the moment of what is below it.
var beforeCommit = lazy.Regexp{Source: `(?i)\b(?:before|prior to) (?:you )?(?:each |every |any |a |the )*commit`}

// beforePull is a lead or a heading that names the moment at which a pull request is opened.
var beforePull = lazy.Regexp{Source: `(?i)\b(?:before|when(?:ever)?|prior to|while) (?:you )?(?:creat|open|submit|rais|mak|fil|request)\w* (?:(?:any|an?|the|each|your|every|new|draft) )*(?:prs?|pull[- ]requests?|mrs?|merge[- ]requests?)\b[^.:]{0,30}:?\W*$`}

// momentAbove makes a demand that tells no moment one before a pull request, where the text above it
// names that.
func (b *builder) momentAbove() {
	if b.has("gate") || b.has("changed") || b.has("first") || b.has("generic") || b.has("words") {
		return
	}
	if beforePull.Get().MatchString(b.s.Lead) || b.s.Lead == "" && beforePull.Get().MatchString(b.s.Heading()) {
		b.hit.Slots["gate"] = b.hit.Phrase.Add('a', "pull-request", false)
	}
}

// anyOfThose is a change of files that another text names.
var anyOfThose = lazy.Regexp{Source: `\b(?:edit|chang|modif|touch|updat)\w* (?:any|one|either|each)(?: one)? of (?:those|these|them)\b`}

// endOfSome is the end of work of one kind.
var endOfSome = lazy.Regexp{Source: `(?i)\b(?:before|after|when|once) (?:you )?(?:conclud|finish|complet|finaliz|declar|clos)\w* ((?:an?|any|each|every|your|the) (?:\w+ )?(?:refactor(?:ing|s)?|migration|upgrade|port|rename|conversion))\b`}

// afterSomeWork makes a demand at the end of work of one kind a reminder in that case.
func (b *builder) afterSomeWork() {
	m := endOfSome.Get().FindStringSubmatch(b.hit.Phrase.Words)
	if m == nil || b.has("words") {
		return
	}
	b.hit.Severity, b.hit.Slots["words"] = "warn", m[1]
}

// onMade is a command for files that another one makes.
var onMade = lazy.Regexp{Source: `‹c\d+› (?:on|over|for) (?:all |any |the )*(?:auto-?)?generated\b`}

// usedIn is what uses the thing that a case is about.
var usedIn = lazy.Regexp{Source: `\b(?:used|consumed|called|imported|needed) (?:in|by|from) .*`}

// behindRun begins what has to follow a command that may not run at all.
var behindRun = lazy.Regexp{Source: `\b(?:after|once|when(?:ever)?) (?:you (?:have )?)?(?:ran|run|running|calling|using) ‹c\d+›[^‹.]*, (?:\w+ ){0,2}?‹c|\b(?:after|once|when(?:ever)?) (?:you (?:have )?)?(?:ran|run|running|calling|using) ‹c\d+›, (?:always |then |please |also )*(?:re-?)?run ‹`}

// asExample is a command that only shows a form.
var asExample = lazy.Regexp{Source: `\((?:for )?example:? [^)]*‹c|‹c\d+› (?:for|to) (?:run(?:ning)? )?(?:an? )?(?:specific|single|individual|particular)\b`}

// checksNothing reports whether a command checks nothing that g could wait for: g is about the
// command itself, or the command only shows or manages something.
func (b *builder) checksNothing(d *ruletext.Duty, g *gate) bool {
	if g != nil && g.trigger == "bash" && slices.ContainsFunc(g.scope, func(c string) bool {
		act := strings.TrimRight(c, " ?*")
		return strings.HasPrefix(d.Example, act) || strings.HasPrefix(act, d.Example+" ")
	}) {
		return true
	}
	if b.noCheck(d.Example, g) || byHand.Get().MatchString(d.Example) {
		return true
	}
	if managed.Get().MatchString(d.Example) && !b.has("changed") && !b.has("first") && !b.onDependencies() && !strings.HasPrefix(b.hit.Slots["gate"], "‹c") {
		return true
	}
	if g != nil {
		return false
	}
	return !b.has("changed") && looks.Get().MatchString(d.Example) ||
		!b.has("done") && (survey.History.Get().MatchString(d.Example) || !b.has("changed") && ofPart.Get().MatchString(d.Example))
}

// checked is what a run of d is about: the globs of its files, and one of these files.
func (b *builder) checked(d *ruletext.Duty) (globs []string, example string) {
	globs, example = b.withServer(b.checkedFiles(d.Names))
	changed, _ := b.paths("changed")
	if len(changed) > 0 {
		globs = loose(b.p, b.anywhere(changed))
		example = pathglob.Sample(globs[0])
		if of := b.narrowedBy("changed"); of != "" && b.said("words") == "" {
			b.hit.Severity, b.hit.Slots["words"] = "warn", of
		}
	}
	switch {
	case b.onDependencies():
		return manifestsOf(d.Names)
	case b.has("changed"):
	case b.hit.Form.Name == "remind" && b.said("words") != "":
		return b.ofReminder(globs, example, d.Names)
	default:
		if of := filesSaid(ownLabel(b.s.Text)); len(of) > 0 && b.s.OfFolder() == "" && b.above.dir == "" {
			return of, sampleOf(of[0])
		}
		if named, one := b.casePlaces(b.said("words"), b.above.dir); len(named) > 0 {
			return named, one
		}
		return b.inPart(b.withComponents(globs), example, d.Names)
	}
	return globs, example
}

var (
	// ofAnyCode is a demand after changes of code, whatever it is written in.
	ofAnyCode = lazy.Regexp{Source: `(?i)\b(?:code changes?|chang(?:e|es|ing) (?:of |to |any |the )*(?:source )?code)\b`}
	// inScript are the files of JavaScript and TypeScript.
	inScript = lazy.Regexp{Source: `^\*\*/\*\.\{[^{}]*\b[jt]s\b`}
)

// components are the files that have code and what it shows.
const components = "**/*.{vue,svelte,astro}"

// withComponents adds the components of a project to its files of JavaScript, where a line is about all code:
// the language of a command says less than the line.
func (b *builder) withComponents(globs []string) []string {
	if !slices.ContainsFunc(globs, inScript.Get().MatchString) || slices.Contains(globs, components) || len(b.s.Globs) > 0 || b.above.dir != "" || !b.p.Known() || !b.p.HoldsBut([]string{components}, nil) || !ofAnyCode.Get().MatchString(b.hit.Phrase.Words+"\n"+b.s.Lead) {
		return globs
	}
	return append(slices.Clone(globs), components)
}

// ofReminder are the files after whose change a command has to run in the case that a line
// names: of the languages that this case names, else all, since the language of the command
// tells nothing of it.
func (b *builder) ofReminder(globs []string, example string, names []string) ([]string, string) {
	about, dir := b.said("words"), b.above.dir
	if of := b.s.OfFolder(); of != "" {
		dir = of + "/"
	} else if len(b.s.Globs) > 0 {
		return globs, example
	}
	if of := filesSaid(about); len(of) > 1 { // one may be a language of its own
		return pathglob.Each(of, func(g string) string { return dir + g }), dir + sampleOf(of[0])
	}
	switch of, one := survey.FilesOf(survey.LanguagesIn(usedIn.Get().ReplaceAllString(about, ""))); {
	case b.part() != "":
		return b.inPart(globs, example, names)
	case inServer.Get().MatchString(about):
		return globs, example
	case len(of) > 0:
		return pathglob.Each(of, func(g string) string { return dir + g }), dir + one
	case ofAllWork(about):
		return globs, example
	}
	if named, one := b.casePlaces(about, dir); len(named) > 0 {
		return named, one
	}
	return []string{dir + "**"}, dir + "src/a.ts"
}

// runsOnce reports whether one run of d is enough, whatever is written after it.
func (b *builder) runsOnce(d *ruletext.Duty) bool {
	switch {
	case b.has("first"), b.has("once"), atLeastOnce.Get().MatchString(b.hit.Phrase.Words), b.preparedBefore(d):
		return true
	case looks.Get().MatchString(d.Example) && !strings.HasPrefix(d.Example, "git "):
		return true
	case managed.Get().MatchString(d.Example) && !b.has("changed") && !b.onDependencies():
		return true
	}
	return strings.HasPrefix(d.Example, "*:") || freshens.Get().MatchString(d.Example) || forms.ActOf(sentence.Term{Kind: 'a', Text: d.Names[0]}) != nil
}

// dutyRule is the part of a rule about d that does not depend on when it is asked for.
func (b *builder) dutyRule(d *ruletext.Duty) (r ruletext.Rule, example string) {
	r.Requires = &ruletext.Requires{Ran: d.Ran}
	if b.has("first") || untold.Get().MatchString(d.Example) {
		r.Requires.OK = new(bool) // what it finds may be what the first write mends
	}
	globs, example := b.checked(d)
	run := "run " + strings.Join(d.Names, " or ")
	if in, ok := b.inItsOwn(d, globs); ok {
		globs, example, run = in, d.Dir+"/"+example, run+" in "+d.Dir
	}
	r.ID, r.Message = d.Names[0], "R"+run[1:]+" first. {{missing}}"
	if !b.runsOnce(d) {
		r.Requires.Since = globs
	}
	if words := b.said("words"); words != "" {
		r.OfCase, r.Message = words, statement.IfAbout(words)+run+" first. {{missing}}"
	}
	b.softened(&r, d)
	return r, example
}

// wayInto is a command that goes into a folder of the project before it runs another one, and
// ofWhole the name of a folder with tests or results of more than itself.
var (
	wayInto = lazy.Regexp{Source: `^cd (?:\./)?([\w][\w.-]*(?:/[\w][\w.-]*)*)/? && `}
	ofWhole = lazy.Regexp{Source: `(?:^|/)(?:\.\w*|build|_?builds?|out|dist|target|bin|tests?|e2e|specs?|integration|__tests__|scripts?|tools?|ci|docker|deploy\w*|infra|docs?|path|to|dir|folder|package|project)(?:/|$)`}
)

// goesInto is the folder of the project that a command is run in: "" for no other one.
func (b *builder) goesInto(cmd string) string {
	m := wayInto.Get().FindStringSubmatch(cmd)
	if m == nil || ofWhole.Get().MatchString(m[1]) || standsIn.Get().MatchString(m[1]) || len(b.areas()) > 0 || b.above.dir != "" || b.p.Whole() && !b.p.SourcesBelow(m[1]) {
		return ""
	}
	return m[1]
}

// inItsOwn limits the files that a run is about to the folder that it runs in, where the line does
// not name them.
func (b *builder) inItsOwn(d *ruletext.Duty, globs []string) (in []string, ok bool) {
	if d.Dir == "" || b.has("changed") || b.has("first") || b.onDependencies() || slices.ContainsFunc(globs, func(g string) bool { return !strings.HasPrefix(g, "**") }) {
		return globs, false
	}
	in = pathglob.Each(globs, func(g string) string { return belowDir(d.Dir, g) })
	return in, !b.p.Whole() || b.p.HoldsBut(in, nil) // a step may be about files of another folder
}

// untold is a command whose result a line does not tell, since another program reads what it runs.
var untold = lazy.Regexp{Source: `^(?:(?:pwsh|powershell)\b|\S+\.ps1\b|php -l\b|(?:ba|z)?sh -n\b|node (?:-c|--check)\b|python3? -m py_compile\b)`}

// dueAtTheEnd wants a run of d at the end of a turn that changed files.
func (b *builder) dueAtTheEnd(d *ruletext.Duty, all []ruletext.Duty) ruletext.Rule {
	r, example := b.dutyRule(d)
	r.Why = sendsBack + strings.Join(d.Names, " or ") + " ran."
	write := ruletext.Case{Write: example, Content: "x"}
	r.Tests = []ruletext.Case{ruletext.AsStop(write), ruletext.AsPass(ruletext.Case{Write: example, Content: "x", Turn: []string{d.Example}})}
	r.Meets(d, write, nil)
	return r.InOrder(d, b.thenRuns(d, all), example)
}

// dueBefore wants a run of d before the calls of g.
func (b *builder) dueBefore(g *gate, d *ruletext.Duty, all []ruletext.Duty) ruletext.Rule {
	r, example := b.dutyRule(d)
	r.Trigger, r.Scope, r.Exclude = g.trigger, g.scope, onlyGoesOn(g.scope)
	r.Why = fmt.Sprintf("It stops %s until %s ran.", g.named, strings.Join(d.Names, " or "))
	var before []ruletext.Step
	if r.Requires.Since != nil {
		before = []ruletext.Step{{Write: example}}
	}
	if b.ofWhatIsThere(g) {
		r.When, g.call.Old = `operation != "create"`, "a"
	}
	early, late := g.call, g.call
	early.Before, late.Before = before, append(slices.Clone(before), ruletext.RanStep(d.Example))
	r.Tests = []ruletext.Case{ruletext.AsStop(early), ruletext.AsPass(late)}
	if r.When != "" {
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: "zz-new/" + g.call.Write, Content: "x"}))
	}
	if before != nil {
		late.Before = []ruletext.Step{ruletext.RanStep(d.Example), before[0]}
		r.Why = strings.TrimSuffix(r.Why, ".") + " since the last change."
		r.Tests = append(r.Tests, ruletext.AsStop(late))
		if r = r.InOrder(d, b.thenRuns(d, all), example); r.Requires.Since == nil {
			before = nil
		}
	}
	r.Meets(d, g.call, before)
	return r
}
