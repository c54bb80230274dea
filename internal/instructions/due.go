package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A demand has one moment, one who meets it, and cases in which it is due. The words in front of it
// tell them, whatever form has found it.

var (
	// otherMoment is what a list comes before, and that is not the end of the work.
	otherMoment = lazy.Regexp{Source: `(?i)\b(?:before|prior to|until) (?:[\w'-]+ ){0,3}?(?:run|execut)\w* (?:the |any |all )*(?:tests?|build)\b`}
	// forPeople is a label of a sentence that is for people, or for some agents of several.
	forPeople = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:note )?for|if you(?:['’]re| are)|as) (?:an? |the |our |all |any |other )*(?:human |core |project )*(?:developers?|maintainers?|humans?|people|reviewers?|release managers?|operators?|admins?|administrators?|sub-?agents?|orchestrators?|dispatchers?)\b[^:,.]{0,30}[:,]`}
	// story is a lead to a made-up case.
	story = lazy.Regexp{Source: `(?i)\b(?:let['’]?s say|suppose|imagine|(?:for|an?) example|say you)\b`}
	// elseFront is the front of what is done where something else did not help.
	elseFront = lazy.Regexp{Source: `(?:^|[,;:.(] ?)(?:or )?(?:else|otherwise|failing that|if not),? [^,;:.‹]*(?:\()?$`}
	// booksOnly are commands that prepare a commit, and check nothing.
	booksOnly = lazy.Regexp{Source: `^git (?:add|stash|restore)\b`}
	// takesEffect are commands that act on what is in use.
	takesEffect = lazy.Regexp{Source: `^(?:terraform|tofu|terragrunt|pulumi) (?:apply|up|destroy|import)\b|^kubectl (?:apply|delete)\b|^helm (?:install|upgrade|uninstall)\b|^(?:cdk|serverless|sls|vercel|netlify|wrangler|firebase|fly) deploy\b|^(?:cargo|npm|pnpm|yarn|poetry|uv|twine) (?:publish|upload)\b|^ansible-playbook\b`}
	// aTest is the name of a test.
	aTest = lazy.Regexp{Source: `^(?:test_\w+|\w+_test|Test[A-Z]\w*|\w+Tests?|it_\w+|should_\w+)$`}
)

// notDue reports whether a demand is none for an agent: it is said to others, or told of a case
// that is made up, or for where another thing did not help; or its form takes the end of the work
// for its moment where what is above the sentence names another one.
func (b *builder) notDue(g *gate) bool {
	front, _, _ := strings.Cut(b.hit.phrase.words, mark.Get().FindString(b.hit.slots["run"]))
	switch {
	case forPeople.Get().MatchString(b.quote), story.Get().MatchString(b.s.Lead):
		return true
	case b.has("run") && elseFront.Get().MatchString(front):
		return true
	}
	return g == nil && b.hit.severity == "block" && b.hit.form.Rule == "requires" && slices.ContainsFunc(leads(b.s), otherMoment.Get().MatchString)
}

// ranIn are the commands that the YAML of a draft wants to run.
var ranIn = lazy.Regexp{Source: `(?m)^  ran:\n(?:    - .*\n)+`}

// onceOnly leaves out what holds the end of a turn back for commands that another draft of the
// statement wants before an act: the line names that moment.
func onceOnly(list []Draft) []Draft {
	gated := func(d Draft) bool { return strings.Contains(d.YAML, "\ntrigger: ") }
	return slices.DeleteFunc(list, func(d Draft) bool {
		ran := ranIn.Get().FindString(d.YAML)
		return ran != "" && !gated(d) && strings.Contains(d.YAML, "\nseverity: block\n") && slices.ContainsFunc(list, func(o Draft) bool { return gated(o) && strings.Contains(o.YAML, ran) })
	})
}

// noCheck reports whether a command is nothing that a rule may ask for at a moment.
func noCheck(cmd string, g *gate) bool {
	return g != nil && booksOnly.Get().MatchString(cmd) || takesEffect.Get().MatchString(cmd) || aTest.Get().MatchString(cmd)
}

var (
	// whereFront is a place, a system or a time in front of a sentence.
	whereFront = lazy.Regexp{Source: `^(?:on|in|for|with|under|inside|within) [^,‹.;:]{3,60}, `}
	// anyWhere is one that says nothing of a case.
	anyWhere = lazy.Regexp{Source: `\b(?:root|director(?:y|ies)|folder|terminal|shell|order|sequence|general|addition|particular|short|parallel|mind|practice|total|doubt|case|repo(?:sitory)?|project|workspace|every|each|all|any|both|now|best|most|end|session|this|that|these)\b`}
)

// inFront is the case that a place, a system or a time in front of the sentence names.
func (b *builder) inFront() string {
	said := whereFront.Get().FindString(newPhrase(b.quote).words)
	if said == "" || anyWhere.Get().MatchString(said) || allCases(strings.Trim(said, ", ")) || len(languagesIn(said)) > 0 || partWork.Get().MatchString(said) {
		return ""
	}
	return strings.Trim(said, ", ")
}

var (
	// orFurther is one more command that is furtherWay behind the moment of a demand.
	orFurther = lazy.Regexp{Source: `^(?:[^.;‹]|‹a\d+›)*,? \(?(?:or|alternatively),? (?:[\w-]+ ){0,4}?(‹c\d+›)([^.;‹]*)`}
	// ownMoment is the moment of that.
	ownMoment = lazy.Regexp{Source: `\b(?:before|after|when|whenever|if|for|while|during|on|in)\b`}
)

// furtherWay is one more command that a sentence offers in the place of that of a demand: "" for none.
func furtherWay(behind string) string {
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
	byHooks = lazy.Regexp{Source: `(?i)\b(?:hooks?|lefthook|husky|lint-staged|pre-commit)\b[^.;]*\b(?:enforces?|runs?|handles?|does|do|executes?|appl(?:y|ies)|formats?|lints?|checks?) (?:this|these|it|them|that|both|all|everything)\b|\b(?:enforced|run|handled|applied|done|executed) (?:automatically )?(?:by|via|in|through|with) (?:an? |the |our )*(?:[\w-]+ )?(?:hooks?|lefthook|husky|lint-staged)\b`}
)

// ofHeading reports whether the case of a rule is that of a heading, and its sentence begins with
// a case of its own.
func (b *builder) ofHeading() bool {
	own := newPhrase(b.quote).words
	m, words := caseOfIts.Get().FindStringSubmatch(own), b.hit.slots["words"]
	return m != nil && words != "" && !strings.Contains(own, strings.Fields(words)[0]) && !followsOn.Get().MatchString(m[1]) && !allWork(m[1]) && !finishing.Get().MatchString(m[1])
}

// hookRuns reports whether the statement says that a hook runs what it demands.
func (b *builder) hookRuns() bool {
	return slices.ContainsFunc(b.s.phrases, func(p phrase) bool { return byHooks.Get().MatchString(p.quote) })
}

var (
	// hookTitle is a heading about the hooks themselves.
	hookTitle = lazy.Regexp{Source: `(?i)pre-?commit[ -]hooks?\b`}
	// inName is the beginning of an argument that a name in it goes on with.
	inName = lazy.Regexp{Source: ` [^ -][^ ]*[\w-]$`}
)
