package instructions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A prohibition may hold until something has happened, or for one purpose only. Then the thing
// itself is not forbidden: the rule wants what has to happen first, or warns and names it.

var (
	// purposeOf is what something is not to be done for.
	purposeOf = lazy.Regexp{Source: `^(?: ?/ ?[\w-]+|,? (?:or|and) [\w-]+)* (?:just |only |merely |simply |solely )*(?:in order )?to (["']?(?:[a-z]|‹a).*)`}
	// verbsToo are verbs that only purposes have.
	verbsToo = lazy.Regexp{Source: `^(?:see|check|find|tell|learn|look|undo|discard|silence|hide|get|work|clean|wipe|bypass|circumvent|force|fool|appease|satisfy|reach|gain|free|inspect|peek|shortcut|fake|model|represent|express|encode|denote|signal|mean|stand|describe|indicate|convey)\b`}
)

// purpose is what something is not to be done for: "" for every purpose.
func (b *builder) purpose() string {
	behind, ok := b.after("deny")
	m := purposeOf.Get().FindStringSubmatch(behind)
	if !ok || m == nil || !slices.Contains([]string{"commands", "options", "content"}, b.hit.Form.Rule) {
		return ""
	}
	said := m[1]
	if end := forms.SayEnd.Get().FindStringIndex(said); end != nil {
		said = said[:end[0]]
	}
	said = strings.NewReplacer(`"`, "", "*", "").Replace(b.hit.Phrase.InWords(said))
	if verb, _, _ := strings.Cut(said, " "); !sentence.Words().IsVerb[verb] && !verbsToo.Get().MatchString(verb) && !strings.HasPrefix(m[1], `"`) || len(said) > forms.MaxCase {
		return ""
	}
	return said
}

// warning is the message of a rule about a line that holds in some cases only.
func (b *builder) warning(message string) string {
	if what := b.hit.Waits(); what != "" {
		return "Wait until " + what + "."
	}
	if what := b.purpose(); what != "" {
		return "If this is to " + what + ", " + statement.Lowered(message)
	}
	if what := b.limitNamed(); what != "" {
		return statement.IfAbout(what) + statement.Lowered(message)
	}
	switch what := cmp.Or(b.restNamed(), b.placeNamed()); {
	case what == "":
		return checkLine + message
	case strings.HasPrefix(strings.ToLower(message), strings.ToLower(what)):
		return message // it says so
	default:
		return "If this is " + what + ", " + statement.Lowered(message)
	}
}

// gates are the forms of what has to happen before something.
var gates = []string{"run-before", "job-before", "passes-before", "branch-first", "read-first"}

// withoutWaits leaves out the warnings of what the other drafts of a line want to come later.
func withoutWaits(list []Draft) []Draft {
	if !slices.ContainsFunc(list, func(d Draft) bool { return slices.Contains(gates, d.Form) }) {
		return list
	}
	return slices.DeleteFunc(list, func(d Draft) bool { return strings.Contains(d.YAML, "\nmessage: Wait until ") })
}

var (
	// orCommand, orWord and orOther are what a line offers in the place of the command in front.
	orCommand = lazy.Regexp{Source: `^ \((?:or|alternatively) (?:use |run |just )?(‹c\d+›)`}
	orWord    = lazy.Regexp{Source: `^ \(or (?:‹[tp]\d+›|[\w/-]+)\)`}
	orOther   = lazy.Regexp{Source: `^(?: \(| )or (?:[^‹]|‹[^c])`}
)

// orElse reports whether a line offers something else than the command that it names, which
// may be anything.
func (b *builder) orElse() bool {
	behind, _ := b.after("run")
	return orOther.Get().MatchString(behind) && (!orWord.Get().MatchString(behind) || b.widened(b.termOf(lastMark(b.hit.Slots["run"])).Text) == "")
}

// lastMark is the last mark in words.
func lastMark(words string) string {
	all := sentence.Mark.Get().FindAllString(words, -1)
	return strings.Join(all[max(0, len(all)-1):], "")
}

// widened is a command of git with its last argument replaced by any, where a line offers
// another one: "‹c› (or origin)".
func (b *builder) widened(cmd string) string {
	behind, _ := b.after("run")
	fields := strings.Fields(cmd)
	if !orWord.Get().MatchString(behind) || len(fields) < 3 || fields[0] != "git" {
		return ""
	}
	return fields[0] + " " + fields[1]
}

var (
	// inSync wants files to be alike; alikeFor begins the part of them that is meant.
	inSync   = lazy.Regexp{Source: `\b(?:sync\w*|synchroni[sz]\w*|aligned|consistent|identical|match\w*|mirror\w*)\b`}
	alikeFor = lazy.Regexp{Source: `^(?: [a-z-]+){0,8}? (?:for|on|regarding|concerning|where|wherever|with (?:respect|regard) to|in terms of|as far as) ([a-z][^.,;:()—–‹]{2,60})`}
	alikeAll = lazy.Regexp{Source: `^(?:the sake|consistency|clarity|now|every\w*|each|any|all|both|reference|compatibility|safety|convenience|changes?|edits?)\b`}
)

// alikeIn is the part of files that is to be alike: "" for all of them.
func (b *builder) alikeIn() string {
	slot := "with"
	if b.has("all") {
		slot = "all"
	}
	behind, _ := b.after(slot)
	m := alikeFor.Get().FindStringSubmatch(behind)
	if m == nil || !inSync.Get().MatchString(b.hit.Phrase.Words) && !strings.HasPrefix(m[1], "new ") || alikeAll.Get().MatchString(m[1]) {
		return ""
	}
	return strings.TrimSpace(concerned.Get().ReplaceAllString(m[1], ""))
}

// concerned is the end of a case that says no more.
var concerned = lazy.Regexp{Source: ` (?:is|are) concerned\b.*`}

var (
	// ownFolder is a file that each folder has for itself.
	ownFolder = lazy.Regexp{Source: `\b(?:relevant|nearest|closest|local|sub-?director(?:y|ies)|sub-?folders?|(?:package|module|directory|folder|component|crate|area)(?:-level|-specific|-local|'s)?|nested|scoped|respective|corresponding|appropriate|applicable|matching|own|its|their|each|every|that|(?:that|the|each|every|this) [\w-]+'s) ‹p\d+›|‹p\d+›s? (?:nearest|closest)\b|‹p\d+›s? (?:in|of|for|inside|within|from) (?:the |that |each |every |its |this |your )*(?:(?:relevant|respective|target|affected|corresponding|current|same|own|touched|nearest|closest|given) )*(?:director(?:y|ies)|folders?|packages?|modules?|areas?|crates?|components?|subdirector(?:y|ies)|apps?|services?)\b`}
)

// ofOwnFolder reports whether a file to be read is that of the folder of a change.
func (b *builder) ofOwnFolder(c *choice) bool {
	return len(c.names) == 1 && !strings.Contains(strings.TrimPrefix(c.names[0], "./"), "/") && strings.HasSuffix(c.names[0], ".md") && ownFolder.Get().MatchString(b.hit.Phrase.Words)
}

// alsoIn wants files to change together, or warns where only a part of them is alike.
func (b *builder) alsoIn() []ruletext.Rule {
	if b.elsewhere(); b.has("words") && !b.has("changed") && b.hit.Form.Name == "also" {
		return b.alongside(nil)
	}
	if b.ownSentence() > 0 && anyOfThose.Get().MatchString(b.hit.Phrase.Words) {
		return nil // the sentence in front says which these are
	}
	list := b.also()
	for i := range list {
		list[i] = b.madeByRun(list[i])
	}
	part := cmp.Or(b.alikeIn(), b.partNamed(), b.bothNew(), b.eventNamed(), b.sameOutline())
	if said, _ := caseIn(b.hit.Phrase.Words, true); part == "" && strings.HasPrefix(b.hit.Phrase.Words, "for ") && inSync.Get().MatchString(b.hit.Phrase.Words) && !b.has("words") {
		part = b.hit.Phrase.InWords(said)
	}
	if part == "" {
		return list
	}
	b.hit.Severity = "warn"
	for i := range list {
		if !strings.HasPrefix(list[i].Message, "If ") {
			list[i].Message = statement.IfAbout(part) + statement.Lowered(list[i].Message)
		}
	}
	return list
}

// eventFirst is a label of one kind of change, with the file that it changes in parentheses.
var eventFirst = lazy.Regexp{Source: `^\W*((?:[\w-]+ ){0,4}(?:upgrade|bump|migration|release|rename|removal|deprecation)s?) \([^)]*‹p\d+›[^)]*\):? `}

// thingChanges is a case in which something changes that no path tells.
var thingChanges = lazy.Regexp{Source: `\b(?:when(?:ever)?|if) (?:the |any |your )*([^.,‹]{3,50}?) changes?, `}

// eventNamed is the kind of change that a label or a case names: "" for every change of its file.
func (b *builder) eventNamed() string {
	if b.has("deps") {
		return "dependencies"
	}
	if m := thingChanges.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil && b.has("near") && !b.has("words") {
		return b.asWritten(b.hit.Phrase.InWords(m[1]))
	}
	if m := eventFirst.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil && !b.has("words") {
		return b.asWritten(b.hit.Phrase.InWords(m[1]))
	}
	return ""
}

// nearFront are the verbs in front of a name.
var nearFront = lazy.Regexp{Source: `[^.;:!?()|→‹›—–]*$`}

// operated are the commands of an act that do what the words around its name say: to create a
// worktree is one of several commands.
func (b *builder) operated(a *forms.Act, t sentence.Term) []string {
	front := ""
	for _, m := range sentence.Mark.Get().FindAllString(b.hit.Slots["object"]+b.hit.Slots["deny"], -1) {
		if before, _, ok := strings.Cut(b.hit.Phrase.Words, m); ok && b.termOf(m) == t {
			front = nearFront.Get().FindString(before)
		}
	}
	if len(a.Operations) == 0 || front == "" {
		return a.Commands
	}
	var list []string
	for _, o := range a.Operations {
		if o.Pattern.Get().MatchString(front) {
			list = append(list, o.Commands...)
		}
	}
	if len(list) == 0 {
		return a.Commands
	}
	return list
}

// onlyGoesOn are the commands that only go on with what other ones began.
func onlyGoesOn(scope []string) []string {
	for i := range forms.All().Acts {
		if a := &forms.All().Acts[i]; len(a.Besides) > 0 && slices.Equal(a.Commands, scope) {
			return a.Besides
		}
	}
	return nil
}
