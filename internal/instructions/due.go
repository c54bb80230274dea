package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A demand has one moment, one who meets it, and cases in which it is due. The words in front of it
// tell them, whatever form has found it.

var (
	// otherMoment is what a list comes before, and that is not the end of the work.
	otherMoment = lazy.Regexp{Source: `(?i)\b(?:before|prior to|until) (?:[\w'-]+ ){0,3}?(?:run|execut)\w* (?:the |any |all )*(?:tests?|build)\b`}
	// forPeople is a label of a sentence that is for people, or for some agents of several.
	forPeople = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:note )?for|if you(?:['’]re| are)|as) (?:an? |the |our |all |any |other )*(?:human |core |project )*(?:developers?|maintainers?|humans?|people|reviewers?|release managers?|operators?|admins?|administrators?|sub-?agents?|orchestrators?|dispatchers?)\b[^:,.]{0,30}[:,]`}
	// laterStage is a lead to what is done behind some kind of work.
	laterStage = lazy.Regexp{Source: `(?i)\bpost-(?:migration|deploy\w*|release|install\w*|merge|upgrade|conversion)\b|\bafter (?:a |the |each |every )?(?:migrati(?:ng|on)|deploy(?:ing|ment)|releas(?:e|ing)|upgrad(?:e|ing))\b`}
	// story is a lead to a made-up case.
	story = lazy.Regexp{Source: `(?i)\b(?:let['’]?s say|suppose|imagine|(?:for|an?) example|say you)\b`}
	// elseFront is the front of what is done where something else did not help.
	elseFront = lazy.Regexp{Source: `(?:^|[,;:.(] ?)(?:or )?(?:else|otherwise|failing that|if not),? [^,;:.‹]*(?:\()?$`}
	// byMachine is the front of a command that a machine runs.
	byMachine = lazy.Regexp{Source: `\b(?:ci|pipelines?|github actions|workflows?|hooks?|jenkins) (?:\w+ ){0,2}?(?:runs?|fails?|checks?|enforces?|executes?|verif(?:y|ies)|rejects?|uses?|blocks?)\b[^.;:‹]*$`}
	// optionally is in a sentence about what need not be done.
	optionally = lazy.Regexp{Source: `(?i)\(optional(?:ly)?\b|^[\W_\d]*optional(?:ly)?\b|\bis optional\b|\((?:recommended|nice to have)\)`}
	// notPreferred is the front of a command that another one is to be used for.
	notPreferred = lazy.Regexp{Source: `\b(?:over|instead of|rather than|in place of|not|never|n't) (?:the |a |plain |bare |just )*$`}
	// othersDo is the front of a command that somebody else, or another worker, runs or needs.
	othersDo = lazy.Regexp{Source: `\b(?:the|a|each) (?:reviewers?|maintainers?|release managers?|users?|humans?|operators?|admins?) (?:must|should|has to|have to|needs? to|will|can|then|first) [^.;:‹]*$|^(?:when|if|while) (?:another|other|some other) (?:\w+ )?(?:is|are|agents?|workers?|sessions?|developers?|people|persons?)\b`}
	// pointsBack is in a text that says to run what a machine runs.
	pointsBack = lazy.Regexp{Source: `\b(?:it|this|that|them|these|same|passes|locally)\b`}
	// booksOnly are commands that prepare a commit, and check nothing.
	booksOnly = lazy.Regexp{Source: `^git (?:add|stash|restore)\b`}
	// takesEffect are commands that act on what is in use.
	takesEffect = lazy.Regexp{Source: `^(?:terraform|tofu|terragrunt|pulumi) (?:apply|up|destroy|import)\b|^kubectl (?:apply|delete)\b|^helm (?:install|upgrade|uninstall)\b|^(?:cdk|serverless|sls|vercel|netlify|wrangler|firebase|fly) deploy\b|^(?:cargo|npm|pnpm|yarn|poetry|uv|twine) (?:publish|upload)\b|^ansible-playbook\b`}
	// filing are commands that prepare others of a block.
	filing = lazy.Regexp{Source: `^(?:mkdir|cp|mv|ln|rm|echo|cat|touch|export|chmod|rsync)\b`}
	// showsFile shows a file or a folder, or serves it and does not end.
	showsFile = lazy.Regexp{Source: `^(?:ls|cat|head|tail|less|stat|readlink|file|tree|wc|pwd|which|lsof|ps|netstat|ss|df|du|ping)\b|\bhttp\.server\b|\b(?:http|live)-server\b|(?:^| )(?:serve|watch|dev|start)$`}
	// filesEntry writes an entry of a changelog by asking, once for all changes of a branch.
	filesEntry = lazy.Regexp{Source: `\bchangesets?(?: add)?$`}
	// aTest is the name of a test.
	aTest = lazy.Regexp{Source: `^(?:test_\w+|\w+_test|Test[A-Z]\w*|\w+Tests?|it_\w+|should_\w+)$`}
)

// notDue reports whether an agent need not meet a demand: the line speaks to others, makes up a
// case, or tells what to do where another thing did not help; or the form takes the end of the work
// for the moment, and the text above the sentence names another moment.
func (b *builder) notDue(g *gate) bool {
	front, behind, _ := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["run"]))
	switch {
	case forPeople.Get().MatchString(b.quote), story.Get().MatchString(b.s.Lead), g == nil && laterStage.Get().MatchString(b.s.Lead+"\n"+b.s.Heading()):
		return true
	case b.has("run") && (optionally.Get().MatchString(b.quote) || notPreferred.Get().MatchString(front) || othersDo.Get().MatchString(front)):
		return true
	case b.has("run") && (elseFront.Get().MatchString(front) || byMachine.Get().MatchString(front) && !pointsBack.Get().MatchString(behind)):
		return true
	}
	return g == nil && b.hit.Severity == "block" && b.hit.Form.Rule == "requires" && slices.ContainsFunc(statement.Leads(b.s), otherMoment.Get().MatchString)
}

// endOfWork is the end of some work on what has a name.
var endOfWork = lazy.Regexp{Source: `\b(?:before|after|when|once) (?:you )?(?:(?:finish|finali[sz]|complet|conclud|deliver)\w*|wrap(?:ping)? up|hand(?:ing)? (?:over|off|back|in)) (?:[\w-]+ ){0,4}?(?:chang|edit|work|updat|modification)\w* (?:to|of|in|on|for) (?:the )?(‹t\d+›)`}

// endOnPart limits a demand at the end of some work to the folder that the sentence names. ok is false if the
// name is not that of a folder: then no write shows the work.
func (b *builder) endOnPart() (ok bool) {
	m := endOfWork.Get().FindStringSubmatch(b.hit.Phrase.Words)
	if m == nil || b.has("changed") {
		return true
	}
	if !b.p.Known() {
		return false
	}
	at := b.p.FoldersAt(strings.ToLower(strings.Trim(b.termOf(m[1]).Text, "/")))
	if len(at) != 1 {
		return false
	}
	b.hit.Slots["changed"] = b.hit.Phrase.Add(sentence.File, strings.TrimSuffix(at[0], "**"), true)
	return true
}

// sessionEnd is the end of a session, in a sentence or in what is above it.
var sessionEnd = lazy.Regexp{Source: `(?i)\bsession(?:['’]s)?[ -](?:completion|end(?:s|ing)?|closes?|closing|close-?out|wrap-?up|shut-?down|finish|hand-?off)\b|\b(?:end(?:ing)?|clos(?:e|ing)|complet(?:ion|ing|e)|conclu(?:sion|ding|de)|finish(?:ing)?|stop(?:ping)?|wrap(?:ping)? up|leav(?:e|ing)|exit(?:ing)?|hand(?:ing)? off)(?: of)?(?: (?:an?|the|any|each|every|your|this|all|work|working|coding|agent))* sessions?\b|\b(?:(?:work|this|the|your) )sessions? (?:is|are) (?:not )?(?:complete|done|finished|over)\b`}

// ofSession reports whether the moment of a demand is the end of a session, which has many turns: no
// call shows which of them is the last.
func (b *builder) ofSession() bool {
	return slices.ContainsFunc(append([]string{b.quote, b.s.Lead}, b.s.Section...), sessionEnd.Get().MatchString)
}

var (
	// secondDoes says that the second of two commands does what the first would.
	secondDoes = lazy.Regexp{Source: `\b(?:already|itself|implicitly|automatically|anyway|unnecessar\w*|redundant\w*|for nothing|twice)\b|(?:‹c\d+›|\bit|\b(?:which|that)|\bthe (?:second|latter|other)(?: (?:one|command))?) (?:also |always |will |then )*(?:(?:re-?)?(?:compile|build|install|generate|format|restore|download)s?|fetch(?:es)?|include[sd]?|impl(?:y|ies)|covers?|do(?:es)? (?:it|that|this|so|both|the same))\b`}
	// builds are tasks in front of those that use what they build; usesWhat are these.
	builds   = lazy.Regexp{Source: `[ :](?:re)?(?:build|compile|restore|install|fetch)\b`}
	usesWhat = lazy.Regexp{Source: `[ :](?:test|run|bench|start|serve|dev)\b`}
	// putFirst is a command that comes before another one.
	putFirst = lazy.Regexp{Source: `‹c\d+› before (?:running )?‹`}
)

// needless reports whether a sentence forbids a command in front of another one because that one does
// it too, or may do so: the first may be run alone.
func (b *builder) needless() bool {
	words := b.hit.Phrase.Words
	if !sentence.Denies.Get().MatchString(words) || !putFirst.Get().MatchString(words) {
		return false
	}
	first, second := b.hit.Terms("gate"), b.hit.Terms("run")
	if len(first) != 1 || len(second) == 0 || first[0].Kind != sentence.Command {
		return false
	}
	_, behind, _ := strings.Cut(b.s.Text, second[0].Text)
	return secondDoes.Get().MatchString(sentence.NewPhrase(behind).Words) || builds.Get().MatchString(first[0].Text) && usesWhat.Get().MatchString(second[0].Text)
}

// ranIn are the commands that the YAML of a draft wants to run.
var ranIn = lazy.Regexp{Source: `(?m)^  ran:\n(?:    - .*\n)+`}

// onceOnly leaves out what holds the end of a turn back for commands that another draft of the
// statement wants before an act: the line names that moment.
func onceOnly(list []Draft) []Draft {
	gated := func(d Draft) bool { return strings.Contains(d.YAML, "\ntrigger: ") }
	return slices.DeleteFunc(list, func(d Draft) bool {
		ran := ranIn.Get().FindString(d.YAML)
		return ran != "" && !gated(d) && slices.ContainsFunc(list, func(o Draft) bool { return gated(o) && strings.Contains(o.YAML, ran) })
	})
}

// noCheck reports whether a command is nothing that a rule may ask for at a moment.
func (b *builder) noCheck(cmd string, g *gate) bool {
	if len(b.s.Code) > 0 && filing.Get().MatchString(cmd) {
		return true
	}
	return g != nil && booksOnly.Get().MatchString(cmd) ||
		showsFile.Get().MatchString(cmd) ||
		filesEntry.Get().MatchString(cmd) ||
		takesEffect.Get().MatchString(cmd) ||
		tellsVersion.Get().MatchString(cmd) && !setsVersion.Get().MatchString(cmd) ||
		stopsServer.Get().MatchString(cmd) ||
		aTest.Get().MatchString(cmd)
}

var (
	// tellsVersion only shows which program there is, and stopsServer ends what may not have been started.
	tellsVersion = lazy.Regexp{Source: `^[\w./-]+ (?:version|--version|-V)$`}
	// setsVersion is a task or a command that changes the version.
	setsVersion = lazy.Regexp{Source: `^(?:make|just|task|rake|changeset|yarn|lerna|mix|poetry|hatch) version$`}
	stopsServer = lazy.Regexp{Source: `(?:^|[ :-])(?:stop|down|kill|shutdown|teardown)$`}
	// onSystem is one behind a command.
	onSystem = lazy.Regexp{Source: `‹c\d+› (on (?:an? |the )?(?:macos|mac|linux|windows|arm\w*|x86\w*|apple silicon|gpu)(?: machine| host| box)?)\b`}
	// anyWhere is a place that names no case.
	anyWhere = lazy.Regexp{Source: `\b(?:root|director(?:y|ies)|folder|terminal|shell|order|sequence|general|addition|particular|short|parallel|mind|practice|total|doubt|case|repo(?:sitory)?|project|workspace|every|each|all|any|both|now|best|most|end|session|this|that|these)\b`}
)

// inFront is the case that a place, a system or a time in front of the sentence names.
func (b *builder) inFront() string {
	said := statement.WhereFront.Get().FindString(sentence.NewPhrase(b.quote).Words)
	if m := onSystem.Get().FindStringSubmatch(sentence.NewPhrase(b.quote).Words); said == "" && m != nil {
		return m[1]
	}
	if said == "" || anyWhere.Get().MatchString(said) || sentence.AllCases(strings.Trim(said, ", ")) || len(survey.LanguagesIn(said)) > 0 || partWork.Get().MatchString(said) {
		return ""
	}
	return strings.Trim(said, ", ")
}

var (
	// orFurther is one more command that is furtherWay behind the moment of a demand.
	orFurther = lazy.Regexp{Source: `^(?:[^.;‹]|‹a\d+›)*,? \(?(?:or|alternatively),? (?:[\w-]+ ){0,4}?(‹c\d+›)([^.;‹]*)`}
	// isEnough says that another command may be run.
	isEnough = lazy.Regexp{Source: `(‹c\d+›) (?:is|will be|would be|may be) (?:also |usually |often )?(?:fine|enough|ok|okay|sufficient|acceptable)\b`}
	// ownMoment is the moment of that.
	ownMoment = lazy.Regexp{Source: `\b(?:before|after|when|whenever|if|for|while|during|on|in)\b`}
)

// furtherWay is one more command that a sentence offers in the place of that of a demand: "" for none.
func furtherWay(behind string) string {
	if m := isEnough.Get().FindStringSubmatch(behind); m != nil {
		return m[1]
	}
	m := orFurther.Get().FindStringSubmatch(behind)
	if m == nil || ownMoment.Get().MatchString(m[2]) {
		return ""
	}
	return m[1]
}

var (
	// caseOfIts is the case that a sentence begins with.
	caseOfIts = lazy.Regexp{Source: `^(?:if|when|whenever|once|for) (?:you (?:are )?)?([^,‹:]{3,80})[,:]`}
	// followsOn is a case that goes on with a question.
	followsOn = lazy.Regexp{Source: `^(?:yes|no|so|not|true|needed|necessary|required)$`}
	// byHooks is a sentence about a hook that runs what is in front.
	byHooks = lazy.Regexp{Source: `(?i)\b(?:hooks?|lefthook|husky|lint-staged|pre-commit)\b[^.;]*\b(?:enforces?|runs?|handles?|does|do|executes?|appl(?:y|ies)|formats?|lints?|checks?) (?:this|these|it|them|that|both|all|everything)\b|\b(?:enforced|run|handled|applied|done|executed) (?:automatically )?(?:by|via|in|through|with) (?:an? |the |our )*(?:[\w-]+ )?(?:hooks?|lefthook|husky|lint-staged)\b|\bruns? (?:it|this|these|that|them) automatically (?:via|by|in|through|with)\b`}
)

// ofHeading reports whether the case of a rule is that of a heading, and its sentence begins with
// a case of its own.
func (b *builder) ofHeading() bool {
	own := sentence.NewPhrase(b.quote).Words
	m, words := caseOfIts.Get().FindStringSubmatch(own), b.hit.Slots["words"]
	return m != nil && words != "" && !strings.Contains(own, strings.Fields(words)[0]) && !followsOn.Get().MatchString(m[1]) && !forms.AllWork(m[1]) && !sentence.Finishing.Get().MatchString(m[1])
}

// hookRuns reports whether the statement says that a hook runs what it demands.
func (b *builder) hookRuns() bool {
	return slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool { return byHooks.Get().MatchString(p.Quote) })
}

var (
	// inName is the beginning of an argument that a name in it goes on with.
	inName = lazy.Regexp{Source: ` [^ -][^ ]*$`}
)

var (
	// namesRun is a command or a script that a sentence names.
	namesRun = lazy.Regexp{Source: `‹[cp]\d+›`}
	// nextStep goes on with the command behind another one.
	nextStep = lazy.Regexp{Source: `^,? (?:(?:is |must be )?followed by|(?:and )?then|→|->|&&|\+) (?:run |running )?‹c`}
)

// inSteps reports whether a sentence does a job in several commands: which of them is in the place
// of another program is not told.
func (b *builder) inSteps() bool {
	behind, ok := b.after("use")
	return ok && nextStep.Get().MatchString(behind)
}

var (
	// goesOnWith is behind a case that its form has cut: more of a list, or what it is limited to.
	goesOnWith = lazy.Regexp{Source: `^(?:, (?:[a-z-]+ ){0,3}?(?:[a-z-]+, )*(?:or|and) |, [a-z-]+, | (?:that|which|who|whose|where) )`}
	// toMainVerb is all of a case, to the verb of what is to be done.
	toMainVerb = lazy.Regexp{Source: `^(.*?)(?:,| —| –) (?:(?:always|please|you must|you should|must|should|then|also|first) )*(?:(?:re-?)?(?:run|generat\w+|build|compile|execute)|update|use|call|make sure|ensure|verify|check|refresh|sync)\b`}
)

// dashed is a remark between dashes, in front of the verb of what is to be done.
var dashed = lazy.Regexp{Source: ` [—–] [^—–.;]* [—–] ((?:(?:always|please|then|also) )*(?:update|run|re-?generate|refresh|sync)\b)`}

// wholeCase completes the case of a rule that its form has cut at a comma or a relative clause.
func (b *builder) wholeCase() {
	words, said := strings.TrimRight(b.hit.Slots["words"], " ,"), dashed.Get().ReplaceAllString(inParens.Get().ReplaceAllString(b.hit.Phrase.Words, ""), ", $1")
	_, behind, ok := strings.Cut(said, words)
	if words == "" || !ok || !goesOnWith.Get().MatchString(behind) {
		return
	}
	if m := toMainVerb.Get().FindStringSubmatch(words + behind); m != nil && strings.HasPrefix(m[1], words) && len(b.hit.Phrase.InWords(m[1])) <= forms.MaxCase && !forms.SentenceEnd.Get().MatchString(m[1]) {
		b.hit.Slots["words"] = m[1]
	}
}

var (
	// anyLabel is a label of what an item is about, no kind of check or of advice.
	anyLabel = lazy.Regexp{Source: `(?i)\b(?:tests?|testing|lint\w*|format\w*|build\w*|check\w*|verif\w*|validat\w*|workflow|quality|commands?|style|important|note|critical|always|types?|code|ci|commits?|done|general|rules?|steps?|mandatory|required|summary|todo|warning|agents?|post-?edit|after|before|when|edits?|changes?)\b`}
)

// underLabel makes a demand after edits of a later sentence one about what the label of its item is
// about.
func (b *builder) underLabel() {
	label := ownLabel(b.s.Text)
	if b.hit.Severity != "block" ||
		!b.has("generic") ||
		b.has("words") ||
		label == "" ||
		anyLabel.Get().MatchString(label) ||
		len(survey.LanguagesIn(label)) > 0 ||
		len(b.s.Phrases) < 2 ||
		strings.HasPrefix(b.s.Phrases[0].Quote, b.quote) ||
		strings.Contains(b.quote, label) {
		return
	}
	if bareEdits.Get().MatchString(b.hit.Slots["generic"]) {
		b.hit.Severity, b.hit.Slots["words"] = "warn", strings.ToLower(label[:1])+label[1:]
	}
}

var (
	// bareEdits are edits that a sentence does not say more of.
	bareEdits = lazy.Regexp{Source: `^(?:the |these |your )?(?:edits?|changes?|editing|changing|modifications?)\W*$`}
	// forYours is about one of several commands, for what the work is in.
	forYours = lazy.Regexp{Source: `\b(?:(?:for|of) (?:your|the|each|that|its) (?:respective |corresponding |relevant |own |affected |changed )?(?:language|stack|ecosystem|platform|toolchain)|(?:appropriate|relevant|corresponding|matching|language'?s?) (?:\w+ )?(?:formatter|linter|command|tool|runner|checker)s?) \(‹c`}
	// ofTicket is a command that shows an issue or a pull request.
	ofTicket = lazy.Regexp{Source: `^(?:gh|glab) (?:issue|pr|mr) (?:view|show|list|diff)\b`}
)

// ofTickets takes several commands that show an issue or a pull request for one demand: any of
// them meets it.
func (b *builder) ofTickets(list []ruletext.Duty) []ruletext.Duty {
	if len(list) > 1 && b.has("run") && forYours.Get().MatchString(b.hit.Phrase.Words) {
		for _, d := range list[1:] {
			list[0].Names, list[0].Ran = append(list[0].Names, d.Names...), append(list[0].Ran, d.Ran...)
		}
		if b.hit.Severity == "block" {
			b.hit.Severity = forms.Reminder
		}
		return list[:1]
	}
	if !b.has("first") || len(list) == 0 || slices.ContainsFunc(list, func(d ruletext.Duty) bool { return !ofTicket.Get().MatchString(d.Example) }) {
		return list
	}
	for _, d := range list[1:] {
		list[0].Names, list[0].Ran = append(list[0].Names, d.Names...), append(list[0].Ran, d.Ran...)
	}
	if b.hit.Severity == "block" && !b.has("words") {
		b.hit.Severity, b.hit.Slots["words"] = "warn", "an issue or a pull request"
	}
	return list[:1]
}
