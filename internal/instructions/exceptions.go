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

var (
	// conjLast is the conjunction that the words found may end with.
	conjLast = lazy.Regexp{Source: `(?i)\b(?:if|when|whenever|where|for|in|on|during|while) *$`}
	// exceptCase is the case of one, by its conjunction. A dot within a name does not end it.
	exceptCase = lazy.Regexp{Source: `(?i)^(if|when|whenever|where|for|in|on|during|while)? ?((?:[^,.;:()—–]|[.:][^\s,.;:()—–]){4,90}?)(?: - |[,;(—–]|[.:](?:\s|$)|$)`}
	// ranElsewhere says that another command, or a hook, runs the command of the sentence, too.
	ranElsewhere = lazy.Regexp{Source: `\b(?:auto-?|automatically )(?:runs?|executes?|does|calls?|triggers?|invokes?) (?:this|it|that|them|these|both)\b|\b(?:runs?|executes?|calls?|triggers?|invokes?) (?:this|it|that|them|these|both) (?:automatically|via|through|by (?:itself|a |the )|in a |as (?:a |part)|for you|first|on commit)|\b(?:is|are|gets?) (?:also )?(?:auto-?|automatically )(?:run|ran|executed|triggered|invoked) (?:by|via|in|on|through|as)\b`}
)

// onlyException is a sentence that ends with what it is: "Test data is the only exception."
var onlyException = lazy.Regexp{Source: `(?i)\b(?:is|are) the (?:only|sole) exceptions?\b`}

// unlessCase is the beginning of a message about a rule with an exception: "" where no message
// can name it.
func unlessCase(said string) string {
	at := statement.ExceptionAt(said)
	if at == nil {
		return "" // it is said in front
	}
	if conj := conjLast.Get().FindStringIndex(said[:at[1]]); conj != nil {
		at[1] = conj[0]
	}
	unless := strings.Contains(strings.ToLower(said[:at[1]]), "unless")
	rest := strings.NewReplacer("`", "", "*", "").Replace(said[at[1]:])
	m := exceptCase.Get().FindStringSubmatch(rest)
	if m == nil {
		return ""
	}
	switch what := m[2]; strings.ToLower(m[1]) {
	case "":
		if !unless {
			return ""
		}
		return "Unless " + what + ", "
	case "if", "when", "whenever", "where", "while":
		return "Unless " + what + ", "
	default:
		return "Except " + strings.ToLower(m[1]) + " " + what + ", "
	}
}

// ownSentence is the index of the sentence that the rule is made of; -1 if the statement does not have it.
func (b *builder) ownSentence() int {
	return slices.IndexFunc(b.s.Phrases, func(p sentence.Phrase) bool { return strings.HasSuffix(b.quote, p.Quote) })
}

// withException makes a rule warn whose line has an exception in the item behind it.
func (b *builder) withException(r *ruletext.Rule) {
	except := b.s.Except
	if i := b.ownSentence(); i >= 0 {
		for k, p := range b.s.Phrases[i+1:] {
			if (statement.ExceptionAt(p.Quote) != nil || onlyException.Get().MatchString(p.Quote)) && (k == 0 || k <= maxBetween && strings.Contains(strings.ToLower(p.Quote), "exception")) {
				except = p.Quote
				break
			}
		}
	}
	if except == "" && r.Severity == "block" && forms.Prohibits(b.hit.Form) && b.onlyOnRequest() {
		r.Severity = "ask"
		return
	}
	if except == "" || r.Severity != "block" && r.Severity != forms.Reminder {
		return
	}
	if forms.Prohibits(b.hit.Form) && forms.UserDecides.Get().MatchString(except) {
		if r.Severity == "block" { // a rule of some cases goes on to say which
			r.Severity = "ask"
		}
		return
	}
	if words := unlessCase(except); words != "" {
		r.Severity, r.Message = "warn", words+statement.Lowered(r.Message)
		return
	}
	r.Severity, r.Message = "warn", "Check whether the exception to the line is about this. "+r.Message
}

// onRequestOnly permits in a further sentence what a user wants: "only amend if the user says so".
var onRequestOnly = lazy.Regexp{Source: `^only (?:do (?:it|so|this|that)|(?:ever )?(?:amend|push|commit|merge|rebase|run|use|change|edit|delete|create|publish|release|‹a\d+›|‹c\d+›)(?: (?:it|them|this|that))?) (?:if|when|whenever|after|once) (?:(?:the|a|your) )?(?:users?|maintainers?|owners?|human|i|we|you(?:['’]re| are)? (?:asked|told))\b`}

// onlyOnRequest reports whether a sentence behind the prohibition permits it on request.
func (b *builder) onlyOnRequest() bool {
	i := b.ownSentence()
	return i >= 0 && slices.ContainsFunc(b.s.Phrases[i+1:], func(p sentence.Phrase) bool { return onRequestOnly.Get().MatchString(p.Words) })
}

// maxBetween bounds the sentences between a rule and its exception.
const maxBetween = 2

var (
	// bareChange is a change that a sentence does not say the object of.
	bareChange = lazy.Regexp{Source: `^(?:editing|changing|modifying|updating)(?: or (?:editing|changing|adding|removing))? ?$`}
	// onlyNames is a sentence about a file that is to be read, and not to be changed.
	onlyNames = lazy.Regexp{Source: `\b(?:see|read|refer|follow\w*|documented|described|details?|consult|check|never|not|generated)\b`}
)

var (
	// changedIn is a change of files that a sentence names besides the moment of a demand: "when
	// changing ‹p0›, run ‹c0› before committing".
	changedIn = lazy.Regexp{Source: `\b(?:when(?:ever)?|if|after|once|every time|for|any ?time)(?: you(?:['’]ve| have)?)? ((?:[a-z-]+ ){0,3}?(?:add|chang|modif|edit|updat|touch|alter|work|renam|refactor)\w* (?:[a-z-]+ ){0,5}?)(‹p\d+›(?:(?:,? (?:or|and)|,) (?:in )?‹p\d+›)*)|\b(?:when(?:ever)?|if|after|once) (?:(?:the|any|files?|in|of) )*(‹p\d+›(?:(?:,? (?:or|and)|,) ‹p\d+›)*) (?:(?:is|are|has|have|was|were|been|also) )*(?:chang|modif|edit|touch|updat)`}
	// butThese tells other files than those that are named.
	butThese = lazy.Regexp{Source: `\b(?:but|except|outside|other|not|with|by|before|than)\b`}
)

// ofNamedFile takes the file that the statement names just in front for what changes, where a
// sentence only says "after editing".
func (b *builder) ofNamedFile() {
	if m := changedIn.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil && !b.has("changed") && !b.has("words") && !butThese.Get().MatchString(m[1]) {
		of := m[2] + m[3]
		b.hit.Slots["changed"] = of
		if behind, ok := strings.CutPrefix(b.hit.Slots["run"], of); ok { // a list began with it
			b.hit.Slots["run"] = behind[max(0, strings.Index(behind, "‹")):]
		}
		return
	}
	at := b.ownSentence()
	if b.has("changed") || !bareChange.Get().MatchString(b.hit.Slots["generic"]) || at < 0 {
		return
	}
	run, _, _ := strings.Cut(b.s.Phrases[at].Words, sentence.Mark.Get().FindString(b.hit.Slots["run"]))
	for k := at; k >= 0; k-- {
		words := b.s.Phrases[k].Words
		if k == at {
			words = run
		}
		var named []sentence.Term
		for _, t := range b.s.Phrases[k].TermsIn(words) {
			if t.Kind == sentence.File && t.Code && survey.Certain(t.Text) && !strings.Contains(t.Text, "*") && len(statement.GlobsOf(t.Text)) > 0 {
				named = append(named, t)
			}
		}
		switch {
		case len(named) == 0:
			continue
		case onlyNames.Get().MatchString(words):
			return
		}
		b.hit.Slots["changed"] = ""
		for _, t := range named {
			b.hit.Slots["changed"] += b.hit.Phrase.Add(sentence.File, b.p.Placed(t.Text, b.s.Base()), true)
		}
		return
	}
}

var (
	// targets goes on with what a project has for each of its parts.
	targets = lazy.Regexp{Source: `^(?:(?: ?/ ?|,? and |, | or )[a-z-]+)* (?:tasks|targets|recipes|stages)\b`}
	// ofOnePart is a command of a part of a project, as `make web-lint`.
	ofOnePart = lazy.Regexp{Source: `^(?:make|just|task|mise run|nx|bazel run|\./gradlew) (?:[\w:/-]*[:/_-](?:lint|format|fmt|test|check|build)|(?:lint|format|fmt|test|check|build)[:/_-][\w:/-]*)$`}
)

// hasTargets reports whether a sentence is about the targets for a job, where the project has
// one for each part: a change may need any of them.
func (b *builder) hasTargets() bool {
	_, behind, ok := strings.Cut(b.hit.Phrase.Words, b.hit.Slots["job"])
	return b.hit.OfJob() && ok && targets.Get().MatchString(behind) && slices.ContainsFunc(b.p.Commands, ofOnePart.Get().MatchString)
}

var (
	// preparation is a command whose effect remains, or that asks a person.
	preparation = lazy.Regexp{Source: `^(?:source|\.|conda activate|nvm use) |(?:[ :/_.-])(?:log-?in|sign-?in|auth|authenticate|install|set-?up|init|initiali[sz]e|configure|bootstrap|provision|onboard)(?:\.(?:sh|py|js|ts|ps1))?(?:$| -| [A-Z.]| \w+$)`}
	// eachTime says that it has to run again all the same.
	eachTime = lazy.Regexp{Source: `\b(?:session|every|each|always|again|re-?run|re-?install\w*)\b`}
)

// preparedBefore reports whether a demand is about what was maybe done long before the session.
func (b *builder) preparedBefore(d *ruletext.Duty) bool {
	return preparation.Get().MatchString(d.Example) && !b.has("changed") && !b.onDependencies() && !eachTime.Get().MatchString(b.hit.Phrase.Words)
}

// softened lowers a demand that something else may have met: a command that runs the same, or a
// preparation of an earlier time.
func (b *builder) softened(r *ruletext.Rule, d *ruletext.Duty) {
	if b.hit.Severity != "block" {
		return
	}
	names := strings.Join(d.Names, " or ")
	switch {
	case b.preparedBefore(d):
		b.lower(r, "If this was not done before, run "+names+" first. {{missing}}")
	case slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool { return p.Quote == b.quote && ranElsewhere.Get().MatchString(p.Words) }), b.hookRuns():
		b.lower(r, "If no other command or hook ran it, run "+names+" first. {{missing}}")
	}
}

// lower makes a rule one that warns with a message.
func (b *builder) lower(r *ruletext.Rule, message string) {
	if r.Message = message; r.Requires == nil {
		r.Message = strings.TrimSuffix(message, " {{missing}}")
	}
	r.Warns = true
}
