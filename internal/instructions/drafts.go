package instructions

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
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
		return strings.Contains(d.YAML, "\nmessage: Do it in another way") && slices.ContainsFunc(list, func(o Draft) bool {
			more := scopeIn.Get().FindString(o.YAML)
			return len(more) > len(of) && core(strings.Replace(o.YAML, more, "", 1)) == rest && !slices.ContainsFunc(strings.SplitAfter(of, "\n"), func(line string) bool { return !strings.Contains(more, line) })
		})
	})
}

// scopeIn is the scope in the YAML of a draft.
var scopeIn = lazy.Regexp{Source: `(?m)^scope:\n(?:  - .*\n)+`}

// Drafts makes the drafts of a statement; none for a description and for what no form
// is about. Each lints, and its cases pass.
func Drafts(s *Statement, p *Project) []Draft {
	list, _ := drafts(s, p)
	return list
}

// drafts makes the drafts of a statement. Where it has none because something is against each,
// such as another line of the file, against says so.
func drafts(s *Statement, p *Project) (list []Draft, against obstacle) {
	if len(s.Text) > tooMuchText {
		first := s.headline()
		if first == nil {
			return nil, obstacle{}
		}
		list, against = drafts(first, p)
		for i := range list {
			list[i].Statement = *s
		}
		return list, against
	}
	if s.Kind == Description || s.records() || ordersReader(s.Text) || len(s.phrases) > 0 && catalogue.Get().MatchString(s.phrases[0].Words) {
		return nil, obstacle{}
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
		all[i] = p.inOwnFolder(all[i], s.File)
		p.place(&all[i], s.within(all[i].Folder).base())
		hits[i] = forms.All().Find(&all[i])
		for k := range hits[i] {
			if hit := &hits[i][k]; hit.Severity == "block" && (all[i].Step || s.goesOn(&all[i]) || whenThere.Get().MatchString(all[i].Words)) {
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

// muchText is the length of a statement, in bytes, whose later sentences are often about what
// the first ones name: of 13 rules that such sentences made and that blocked, readers called 9
// wrong.
const muchText = 240

// tooMuchText is the length of a statement, in bytes, whose sentences do not tell enough by
// themselves: of 14 drafts of such texts readers called 5 right.
const tooMuchText = 480

// goesOn reports whether a sentence is a later one of a long statement.
func (s *Statement) goesOn(p *sentence.Phrase) bool {
	return len(s.Text) > muchText && len(s.phrases) > 0 && !strings.HasPrefix(p.Quote, s.phrases[0].Quote)
}

// drafting makes the drafts of one statement.
type drafting struct {
	s          *Statement
	p          *Project
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
		if again || hit.OfJob() != job || job && d.s.ownCommands() || job && (d.named[quote] || runsNamed.Get().MatchString(hit.Phrase.Words)) || !d.wants(hit) ||
			hit.Form.Reminder() && slices.ContainsFunc(sure, func(r string) bool { return strings.HasSuffix(r, hit.Form.Rule) }) {
			continue
		}
		b := builder{s: d.s.within(hit.Phrase.Folder), p: d.p, hit: hit, quote: quote, above: d.above, topic: d.topic}
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

// wants reports whether what stands above the statement leaves a form in force. It softens
// one that forbids what a user may request.
func (d *drafting) wants(hit *forms.Found) bool {
	if forms.Prohibits(hit.Form) && onRequest.Get().MatchString(d.s.Lead) {
		hit.Severity = forms.Reminder
		return forms.Reminds(hit.Form) && !hit.Everyday()
	}
	if d.above.example && !hit.Form.Reminder() || slices.Contains(ofShellCalls, hit.Form.Rule) && d.s.inScripts() {
		return false
	}
	demand := slices.Contains(forms.Demands, hit.Form.Rule)
	if !forms.Prohibits(hit.Form) && d.s.granted() || demand && !d.above.demands() || (demand || hit.Form.Name == "run-by") && replaced.Get().MatchString(d.s.Lead) {
		return false
	}
	switch {
	case hit.Severity != "block" || hit.Form.Rule != "requires":
	case d.s.onlyRecommended():
		hit.Severity = "warn"
	case ofSomeChanges(d.s.Lead):
		hit.Severity = forms.Reminder
	}
	// A list says when, or what can be run.
	return !strings.HasSuffix(hit.Form.Name, "-always") || len(leads(d.s)) == 0 && !(d.s.offers() && d.s.kind == markdown.Item)
}

// SameRule reports whether two drafts, by their YAML, say the same in other words.
func SameRule(a, b string) bool { return core(a) == core(b) }

var own = lazy.Regexp{Source: `(?m)^(?:id|message|source|quote|severity|tests):.*\n(?:  .*\n)*`}

func core(yaml string) string { return own.Get().ReplaceAllString(yaml, "") }

// ordersReader reports whether a text is an order to the program that makes rules of it.
func ordersReader(s string) bool { return order.Get().MatchString(s) }

var (
	pronoun  = lazy.Regexp{Source: `^avoid (?:it|this)\b|^(?:do not|don't|never) [\w-]+(?: [\w-]+)?(?: (?:or|and) [\w-]+)?(?: (?:it|them|these|this|manually|directly|by hand|either))|^(?:do not|don't|never) (?:hand-?)?(?:edit|modify|change|touch|commit|delete)(?:[.;]| without\b| unless\b)|^(?:this|that|these) includes?\b|^leave (?:it|them|these|this) (?:alone|untouched|as|unchanged)\b|^keep (?:it|them|both|this) (?:in sync|synced|aligned|consistent|up)|^(?:(?:it|this|they) )?(?:must|should|has to|needs? to) (?:always )?(?:be )?(?:re-?)?run (?:again |it |this )?(?:after|before|when)\b`}
	useAfter = lazy.Regexp{Source: `^(?:use|run|always use|instead,? use|prefer) `}
	// negative is a heading that forbids what is listed below it.
	negative = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:\w+ ){0,3}(?:forbidden|prohibited|banned|off-limits|disallowed|blocked)(?: \w+){0,3}|(?:things|what|commands|files) (?:to avoid|(?:you must |to )?(?:not|never)(?: to)?(?: \w+){0,2})|don['’]ts|(?:never|do not|don['’]t)(?: (?:ever )?do(?: (?:this|these|any of these|the following))?)?|avoid)\b(?: \([^)]*\))?[\W_]*$`}
	// asksFirst is one above the actions that a user has to approve.
	asksFirst = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:ask (?:first|before(?: \w+)?|permission|for permission)|(?:always )?ask the user(?: first| before)?|(?:requires?|needs?) (?:\w+ )?(?:approval|permission|confirmation))[\W_]*$`}
	// pointing is about what is listed below.
	pointing = lazy.Regexp{Source: `\b(?:these|following|below)\b`}
	refused  = lazy.Regexp{Source: `^[\W_]*(?:❌|🚫|⛔)`}
	listed   = lazy.Regexp{Source: `(?i)^[\W_]*(?:when(?:ever)?|if|after|every time)(?: you)?(?: \w+){0,2}? (?:add|creat|chang|modif|updat|bump|renam|remov)\w*\b.*\b(?:update|all of|following|must|also|these|places)\b.*:[\W_]*$`}
	adding   = lazy.Regexp{Source: `(?i)^[\W\d_]*(?:adding|how to add|to add|add|creating|when (?:you )?add(?:ing)?) ((?:an? )?(?:new )?[\w -]{2,40})\W*$`}
)

// oneThere is one of the things that the sentence in front is about, and not each of them.
var oneThere = lazy.Regexp{Source: `\b(?:an?|any) (?:already[ -])?(?:shipped|existing|applied|committed|merged|released|published|landed) one\b`}

// placeFirst begins an item that says where something is not to be.
var placeFirst = lazy.Regexp{Source: `^(?:in|inside|within|on|at|for|during|under) `}

// contrasts names one thing and another that it is in the place of.
var contrasts = lazy.Regexp{Source: `^\W*(?:use|using|prefer|call|write|return|run)\b[^.;]*\b(?:instead of|over|rather than|in place of)\b`}

// wantsOne says to use one thing and not another, whatever the list is about.
var wantsOne = lazy.Regexp{Source: `^\W*(?:use|using|prefer|call|write|run) [^.;]*(?:,| -| –| —| \() ?not (?:the )?`}

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
func candidates(s *Statement) (list []sentence.Phrase) {
	var pointed []sentence.Phrase // which count where other sentences make no draft of a name
	for i, p := range s.phrases {
		if ban, ok := p.Pointed(); ok {
			pointed = append(pointed, ban)
		}
		if i > 0 && !oneThere.Get().MatchString(p.Words) && (pronoun.Get().MatchString(p.Words) || useAfter.Get().MatchString(p.Words)) {
			joined := sentence.NewPhrase(continued(&s.phrases[i-1]) + " " + p.Quote)
			joined.Quote = s.phrases[i-1].Quote + " " + p.Quote
			list = append(list, joined)
			if ban, ok := joined.Pointed(); ok {
				pointed = append(pointed, ban)
			}
		}
	}
	said := s.phrases
	list = append(list, s.mustPass()...)
	if verb := forbids(s); verb != "" {
		first := s.phrases[0]
		if contrasts.Get().MatchString(first.Words) && !sentence.Denies.Get().MatchString(first.Words) { // it is what not to do
			said = said[1:]
		}
		list = append(list, underBan(s, verb)...)
	}
	if s.kind == markdown.Row && len(s.heads) > 0 {
		list = append(append(list, cells(s)), checksOf(s)...)
	}
	if len(s.phrases) > 0 && (s.kind == markdown.Heading || inherits(&s.phrases[0])) && (s.kind == markdown.Item || len(s.Section) > 0) {
		for _, lead := range leads(s) {
			if firstOf.Get().MatchString(lead) && otherTime.Get().MatchString(s.phrases[0].Words) {
				continue
			}
			under := sentence.NewPhrase(lead + " " + s.phrases[0].Quote)
			under.Quote = s.phrases[0].Quote
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
	if s.then != "" && len(said) > 0 && inherits(&said[0]) && !perhaps.Get().MatchString(said[0].Words) {
		step := sentence.NewPhrase(s.then + " " + said[0].Quote)
		step.Quote, step.Step = said[0].Quote, true
		list = append(list, step)
	}
	if commands := itemCommands(s); len(commands) > 0 && strings.HasPrefix(strings.ToLower(strings.TrimLeft(s.Text, "*_ ")), "always format") {
		with := sentence.NewPhrase(strings.TrimRight(s.Text, ".: ") + ": " + strings.Join(commands, " or "))
		with.Quote = s.Text
		list = append(list, with)
	}
	return append(append(list, withCode(s)...), pointed...)
}

// forbids is the beginning that an item's list, its heading or its mark gives it, where
// that forbids it: "never edit ".
func forbids(s *Statement) string {
	if len(s.phrases) == 0 || s.kind != markdown.Item {
		return ""
	}
	first := s.phrases[0].Words
	if m := labelVerb.Get().FindStringSubmatch(first); m != nil && sentence.Words().IsVerb[m[1]] {
		return "" // it says what to do instead
	}
	if wantsOne.Get().MatchString(first) || strings.HasPrefix(first, "no ") || placeFirst.Get().MatchString(first) || forms.Strict.Get().MatchString(first) {
		return ""
	}
	verb := ""
	above := []string{s.Lead, s.heading()}
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
		case verb != "" || forms.Excepted.Get().MatchString(p.Words) || cases.Get().MatchString(p.Words) || strings.Contains(p.Words, " without "):
		case c.Not && c.Conj == "" && c.Objects == "" && c.From <= 20 && !strings.Contains(p.Words[:c.From], "(") && (strings.HasSuffix(p.Words, ":") || pointing.Get().MatchString(p.Words)):
			if verb = "never "; strings.HasPrefix(first, "‹") {
				verb = "never " + c.Verb()
			}
			if forms.Rashly.Get().MatchString(p.Words) {
				verb = strings.Replace(verb, "never", "never blindly", 1)
			}
		case negative.Get().MatchString(lead):
			verb = "never "
		case bansPaths(lead, first) != "":
			verb = bansPaths(lead, first)
		case asksFirst.Get().MatchString(lead):
			return "ask before "
		}
	}
	if verb == "" && !refused.Get().MatchString(s.Text) {
		return ""
	}
	if verb = cmp.Or(verb, "never "); verb == "never " && strings.HasPrefix(first, "‹") {
		if verb = "never use "; strings.HasPrefix(first, "‹p") && slices.ContainsFunc(above, protects.Get().MatchString) {
			verb = "never edit "
		}
	}
	return verb
}

// lineOf is the line of the file on which a sentence of the statement begins.
func (s *Statement) lineOf(quote string) int {
	at := strings.Index(s.Text, quote)
	for i, l := range s.lines {
		at -= len(strings.Join(strings.Fields(l), " ")) + 1
		if at < 0 {
			return s.Line + i
		}
	}
	return s.Line
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

var (
	// addition is an item of a list about something that is added, with its file.
	addition = lazy.Regexp{Source: `^(?:‹p(\d+)›|(?:add|create|register|update|implement|define|export|document|wire|put|extend|edit)\b[^‹]{0,60}(?:‹[tc]\d+›[^‹]{0,40}){0,2}‹p(\d+)›)`}
	// perhaps is a step that is not always needed.
	perhaps = lazy.Regexp{Source: `\b(?:if|when|where|unless|optional(?:ly)?|as needed|for any)\b`}
	// invented is a name in the place of any other.
	placed   = lazy.Regexp{Source: `(^|[/_.-])(?:(?:new|my|your|foo)[_-]?|example[_-]|example(?:[a-rt-z]|s\w))[a-z]+`}
	invented = lazy.Regexp{Source: `(?i)\b(?:new|my|your|example|sample|foo)[\w-]*\b`}
)

// filesOfList is a lead about each of the files of a list: they need not change together.
var filesOfList = lazy.Regexp{Source: `(?i)\b(?:add|creat|chang|modif|updat|renam|remov|edit|touch)\w*(?: to)? (?:any (?:one )?of |one of )?(?:these|those|the following) (?:[\w-]+ )?(?:files|paths|modules|components)\b`}

// listing are the files of a list that change together, and those of them that do not always.
func listing(s *Statement) (paths, sometimes []string) {
	if len(s.items) < 2 || filesOfList.Get().MatchString(s.Text) || !listed.Get().MatchString(s.Text) && !adding.Get().MatchString(s.Text) {
		return nil, nil
	}
	for _, i := range s.items {
		p := sentence.NewPhrase(i)
		if ownPair.Get().MatchString(p.Words) {
			return nil, nil
		}
		m := addition.Get().FindStringSubmatch(strings.TrimLeft(p.Words, "* "))
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1] + m[2])
		t := p.Terms[n]
		if strings.Contains(t.Text, "/") { // in a file name it is a name for a new file
			t.Text = placed.Get().ReplaceAllString(t.Text, "$1*")
		}
		if t.Code && !strings.HasPrefix(t.Text, "**/*.") && !invented.Get().MatchString(t.Text) && len(globsOf(t.Text)) > 0 && !slices.Contains(paths, t.Text) {
			paths = append(paths, t.Text)
			if perhaps.Get().MatchString(p.Words) || asRequired.Get().MatchString(strings.TrimLeft(p.Words, "* ")) {
				sometimes = append(sometimes, t.Text)
			}
		}
	}
	if len(paths)*2 < len(s.items) {
		return nil, nil
	}
	return paths, sometimes
}
