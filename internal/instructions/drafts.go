package instructions

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// keptAlone drops a draft that stops all changes of files where another draft of the statement
// allows new files there.
func keptAlone(list []Draft) []Draft {
	return slices.DeleteFunc(list, func(d Draft) bool {
		of := scopeIn.Get().FindString(d.YAML)
		return d.Form == "never-edit" && of != "" && slices.ContainsFunc(list, func(o Draft) bool { return o.Form == "kept-files" && strings.Contains(o.YAML, of) })
	})
}

// withoutRepeats drops a draft that says nothing to do instead of some commands, where another draft of
// the statement is about them, too.
func withoutRepeats(list []Draft) []Draft {
	return slices.DeleteFunc(list, func(d Draft) bool {
		of := scopeIn.Get().FindString(d.YAML)
		rest := core(strings.Replace(d.YAML, of, "", 1))
		return (strings.Contains(d.YAML, "\nmessage: "+otherWay) || strings.Contains(d.YAML, "\nmessage: "+askFirst)) && slices.ContainsFunc(list, func(o Draft) bool {
			more := scopeIn.Get().FindString(o.YAML)
			return len(more) > len(of) && core(strings.Replace(o.YAML, more, "", 1)) == rest && !slices.ContainsFunc(strings.SplitAfter(of, "\n"), func(line string) bool { return !strings.Contains(more, line) })
		})
	})
}

// scopeIn is the scope in the YAML of a draft.
var scopeIn = lazy.Regexp{Source: `(?m)^scope:\n(?:  - .*\n)+`}

// drafts makes the drafts of a statement; none for a description and for what no form
// is about. Each lints, and its cases pass. Where there are none because something is against each,
// such as another line of the file, against says so.
func drafts(s *statement.Statement, p *survey.Project) (list []Draft, against obstacle) {
	if len(s.Text) > tooMuchText {
		return ofLongText(s, p)
	}
	if s.Kind == statement.Description || s.Records() || ordersReader(s.Text) || len(s.Phrases) > 0 && catalogue.Get().MatchString(s.Phrases[0].Words) {
		return nil, obstacle{}
	}
	if shown, ok := (&builder{s: s, p: p}).shows(); ok && besideRoot(s) && shown.OneTask() {
		return nil, obstacle{why: "The file tells how one task is done."}
	}
	var all []sentence.Phrase
	for _, said := range candidates(s) {
		if forms.NameActs(&said); said.Later() {
			continue
		}
		all = append(all, said.Prohibitions()...)
	}
	hits := make([][]forms.Found, len(all))
	for i := range all {
		all[i] = p.InOwnFolder(all[i], s.File)
		p.Place(&all[i], s.Within(all[i].Folder).Base())
		hits[i] = forms.All().Find(&all[i])
		for k := range hits[i] {
			if hit := &hits[i][k]; hit.Severity == "block" && (all[i].Step || s.GoesOn(&all[i]) || whenThere.Get().MatchString(all[i].Words)) {
				hit.Severity = forms.Reminder // of all that a session may be about
			}
		}
	}
	d := drafting{s: s, p: p, list: lists(s, p), named: map[string]bool{}}
	if slices.ContainsFunc(hits, func(h []forms.Found) bool { return len(h) > 0 }) {
		d.above = over(s)
		d.inFolderAbove(all, hits)
	}

	for _, job := range []bool{false, true} {
		for i := range all {
			d.add(all[i].Quote, hits[i], job)
		}
	}
	if len(d.list) == 0 {
		d.list = d.last
	}
	if len(d.list) > 0 {
		d.against = obstacle{}
	}
	return withoutRepeats(onceOnly(keptAlone(withoutWaits(d.list)))), d.against
}

// besideRoot reports whether a statement is of another file than those that are about the whole project.
func besideRoot(s *statement.Statement) bool {
	return s.OfFolder() != "" || path.Ext(s.File) == ".mdc"
}

// tooMuchText is the length of a statement, in bytes, whose sentences do not tell enough by
// themselves: of 14 drafts of such texts readers called 5 right.
const tooMuchText = 480

// drafting makes the drafts of one statement.
type drafting struct {
	s          *statement.Statement
	p          *survey.Project
	above      above
	list, last []Draft         // last are those that count where there are no others
	topic      string          // the folder that is named above the statement
	named      map[string]bool // sentences that name the command of their job
	against    obstacle        // of a rule that was not made
}

// add makes the drafts of what was found in a sentence: those about a job whose command is
// not named, or the others.
func (d *drafting) add(quote string, hits []forms.Found, job bool) {
	var made *forms.Form
	var sure []string // the kinds of rules that forms made which say when the sentence holds
	for i := range hits {
		hit := &hits[i]
		again := made == hit.Form && !hit.Clause // by another of its patterns
		if again || hit.OfJob() != job || job && d.s.OwnCommands() || job && (d.named[quote] || runsNamed.Get().MatchString(hit.Phrase.Words)) || !d.wants(hit) ||
			hit.Form.Reminder() && slices.ContainsFunc(sure, func(r string) bool { return strings.HasSuffix(r, hit.Form.Rule) }) {
			continue
		}
		b := builder{s: d.s.Within(hit.Phrase.Folder), p: d.p, hit: hit, quote: quote, above: d.above, topic: d.topic}
		for _, one := range b.build() {
			one.Statement = *d.s
			made = hit.Form
			if !made.Reminder() && !made.Last {
				sure = append(sure, made.Rule)
			}
			d.named[quote] = d.named[quote] || hit.Form.Rule == "requires" && namesRun.Get().MatchString(hit.Slots["run"])
			to := &d.list
			if made.Last {
				to = &d.last
			}
			same := func(o Draft) bool { return o.ID == one.ID || SameRule(o.YAML, one.YAML) }
			if len(*to) < sentence.MaxDrafts && !slices.ContainsFunc(*to, same) {
				*to = append(*to, one)
			}
		}
		d.against = cmp.Or(d.against, b.against)
	}
}

// runsNamed names what is to be run: the usual commands of a job are not meant.
var runsNamed = lazy.Regexp{Source: `\b(?:run|running|execute) (?:the )?‹p\d+›`}

// wants reports whether the words above the statement leave a form in force. It softens
// one that forbids what a user may request.
func (d *drafting) wants(hit *forms.Found) bool {
	if forms.Prohibits(hit.Form) && onRequest.Get().MatchString(d.s.Lead) {
		hit.Severity = forms.Reminder
		return forms.Reminds(hit.Form) && !hit.Everyday()
	}
	if hit.Form.Rule == "commands" && strings.HasPrefix(hit.Slots["deny"], "‹a") && d.ofComponent(hit) {
		return false
	}
	if forms.Prohibits(hit.Form) && onResult.Get().MatchString(hit.Phrase.Words) {
		return false
	}
	if d.above.example && !hit.Form.Reminder() || slices.Contains(ofShellCalls, hit.Form.Rule) && d.s.InScripts() {
		return false
	}
	demand := slices.Contains(forms.Demands, hit.Form.Rule)
	if !forms.Prohibits(hit.Form) && d.s.Granted() || demand && !d.above.demands() || (demand || hit.Form.Name == "run-by") && replaced.Get().MatchString(d.s.Lead) {
		return false
	}
	switch {
	case hit.Severity != "block" || hit.Form.Rule != "requires":
	case d.s.OnlyRecommended():
		hit.Severity = "warn"
	case ofSomeChanges(d.s.Lead):
		hit.Severity = forms.Reminder
	}
	// A list says when, or what can be run.
	return !strings.HasSuffix(hit.Form.Name, "-always") || len(statement.Leads(d.s)) == 0 && !(d.s.Offers() && d.s.Block == markdown.Item)
}

// onResult is a case about what comes of a command that the text in front names: a rule does not see that.
var onResult = lazy.Regexp{Source: `^(?:if|when|whenever|unless|until|once) (?:(?:this|that|the|either|any) (?:(?:above|same|last|previous) )?(?:command|check|script|search|query|grep|scan|test|step|gate|hook)s?|it|this|that|they|(?:any|either|one|all|both) of (?:these|them|those)) (?:(?:still|does|do|has|have|not|doesn't|don't|ever) )*(?:returns?|returned|prints?|printed|fails?|failed|pass(?:es)?|passed|finds?|found|shows?|reports?|outputs?|produces?|exits?|matches|lists?|hits?|succeeds?|yields?)\b`}

// SameRule reports whether two drafts, by their YAML, say the same in other words.
func SameRule(a, b string) bool { return core(a) == core(b) }

// Strength is how much a draft, by its YAML, does against a call: what blocks does more than what asks, and
// that more than what warns.
func Strength(yaml string) int {
	return slices.IndexFunc([]string{"warn", "ask", "block"}, func(s string) bool { return strings.Contains(yaml, "\nseverity: "+s+"\n") })
}

var own = lazy.Regexp{Source: `(?m)^(?:id|message|source|quote|severity|tests):.*\n(?:  .*\n)*`}

func core(yaml string) string { return own.Get().ReplaceAllString(yaml, "") }

// ordersReader reports whether a text is an order to the program that makes rules of it.
func ordersReader(s string) bool { return order.Get().MatchString(s) }

var (
	pronoun  = lazy.Regexp{Source: `^avoid (?:it|this)\b|^(?:do not|don't|never) [\w-]+(?: [\w-]+)?(?: (?:or|and) [\w-]+)?(?: (?:it|them|these|this|manually|directly|by hand|either))|^(?:do not|don't|never) (?:hand-?)?(?:edit|modify|change|touch|commit|delete)(?:[.;]| without\b| unless\b)|^(?:this|that|these) includes?\b|^leave (?:it|them|these|this) (?:alone|untouched|as|unchanged)\b|^keep (?:it|them|both|this) (?:in sync|synced|aligned|consistent|up)|^(?:(?:it|this|they) )?(?:must|should|has to|needs? to) (?:always )?(?:be )?(?:re-?)?run (?:again |it |this )?(?:after|before|when)\b`}
	useAfter = lazy.Regexp{Source: `^(?:use|run|always use|instead,? use|prefer) `}
)

// oneThere is one of the things that the sentence in front is about, and not each of them.
var oneThere = lazy.Regexp{Source: `\b(?:an?|any) (?:already[ -])?(?:shipped|existing|applied|committed|merged|released|published|landed) one\b`}

// contrasts names one thing and another that it is in the place of.
var contrasts = lazy.Regexp{Source: `^\W*(?:use|using|prefer|call|write|return|run)\b[^.;]*\b(?:instead of|over|rather than|in place of)\b`}

// continued is a sentence that goes on in the next one: the first of a command and what it runs.
func continued(p *sentence.Phrase) string {
	spans := markdown.CodeSpan.Get().FindAllStringIndex(p.Quote, -1)
	switch {
	case len(spans) == 2 && whatItRuns.Get().MatchString(p.Words):
		return p.Quote[:spans[0][1]]
	case len(spans) > 1 && labelFile.Get().MatchString(p.Words):
		return p.Quote[:spans[0][1]] + ":"
	}
	return p.Quote
}

// labelFile is a file or a folder in front of what it is.
var labelFile = lazy.Regexp{Source: `^\W*‹p\d+›\W*[:—–-] `}

// whatItRuns is a command with what it runs.
var whatItRuns = lazy.Regexp{Source: `^\W*‹c\d+› ?(?:[—–:=-]+|→) ?(?:runs )?‹c\d+›\W*$`}

// candidates are the sentences of a statement as forms may see them: each alone, two that
// belong together, an item with what its list says of it, and a sentence with the code
// below it.
func candidates(s *statement.Statement) (list []sentence.Phrase) {
	var pointed []sentence.Phrase // which count where other sentences make no draft of a name
	for i, p := range s.Phrases {
		if ban, ok := p.Pointed(); ok {
			pointed = append(pointed, ban)
		}
		if i > 0 && !oneThere.Get().MatchString(p.Words) && (pronoun.Get().MatchString(p.Words) || useAfter.Get().MatchString(p.Words)) {
			joined := sentence.NewPhrase(continued(&s.Phrases[i-1]) + " " + p.Quote)
			joined.Quote = s.Phrases[i-1].Quote + " " + p.Quote
			list = append(list, joined)
			if ban, ok := joined.Pointed(); ok {
				pointed = append(pointed, ban)
			}
		}
	}
	said, asked := answers(s)
	list = append(append(list, asked...), s.MustPass()...)
	if verb := statement.Forbids(s); verb != "" {
		first := s.Phrases[0]
		if contrasts.Get().MatchString(first.Words) && !sentence.Denies.Get().MatchString(first.Words) { // it is what not to do
			said = said[1:]
		}
		list = append(list, underBan(s, verb)...)
	}
	if s.Block == markdown.Row && len(s.Heads) > 0 {
		list = append(append(append(list, cells(s)), checksOf(s)...), refusals(s)...)
	}
	if len(s.Phrases) > 0 && (s.Block == markdown.Heading || inherits(&s.Phrases[0])) && (s.Block == markdown.Item || len(s.Section) > 0) {
		for _, lead := range statement.Leads(s) {
			if firstOf.Get().MatchString(lead) && otherTime.Get().MatchString(s.Phrases[0].Words) {
				continue
			}
			under := sentence.NewPhrase(lead + " " + s.Phrases[0].Quote)
			under.Quote = s.Phrases[0].Quote
			list = append(list, under)
		}
	}
	for i := range said {
		if acts := said[i].Acts(); len(acts) > 0 {
			list = append(list, acts...)
		} else {
			list = append(list, said[i].Demands()...)
		}
	}
	if s.Then != "" && len(said) > 0 && inherits(&said[0]) && !statement.Perhaps.Get().MatchString(said[0].Words) {
		step := sentence.NewPhrase(s.Then + " " + said[0].Quote)
		step.Quote, step.Step = said[0].Quote, true
		list = append(list, step)
	}
	if commands := itemCommands(s); len(commands) > 0 && strings.HasPrefix(strings.ToLower(strings.TrimLeft(s.Text, "*_ ")), "always format") {
		with := sentence.NewPhrase(strings.TrimRight(s.Text, ".: ") + ": " + strings.Join(commands, " or "))
		with.Quote = s.Text
		list = append(list, with)
	}
	if banned, ok := bannedCode(s); ok {
		return append(append(list, banned), pointed...)
	}
	return append(append(list, withCode(s)...), pointed...)
}

// slug is an id made of words.
func slug(parts ...string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.Join(parts, "-")) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// maxSlug bounds an id, in bytes.
const maxSlug = 60

// at is the line of a phrase as `source` of a rule.
func at(file string, line int) string { return file + ":" + strconv.Itoa(line) }
