package instructions

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/tables"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

//go:embed forms names.yaml
var formsFiles embed.FS

// An act is something that is named in words, with the commands that do it.
type act struct {
	Name, Words     string
	Code            string // the command that means the act, where it is in `code`
	Commands        []string
	Example, Except string
	Duty            bool     // something may have to happen after it
	Besides         []string // commands that only go on with it
	Operations      []operation
	When            string   // which of the commands do it
	Harmless        []string // examples of those that do not
}

// An operation is one of several things that an act may be.
type operation struct {
	Verbs    string
	Commands []string

	words *lazy.Regexp
}

// A language is known by words for it.
type language struct {
	Words    string
	Files    []string
	Example  string
	Programs []string // that only projects in it run
	Syntax   string   // code that only it has
	Written  []string // where that code is, where other files have it, too

	words, syntax *lazy.Regexp
	sieve         sieve // of words
}

// A name of code that is written in a way of its own.
type writing struct {
	Name, Pattern, Bad, Good string
	Files                    []string
	Warns                    bool // the pattern takes some more
}

// A kind of files has words of its own.
type kind struct {
	Words           string
	Files, Examples []string
	When, Message   string

	words *lazy.Regexp
}

// A form is a way to say something that a rule can hold.
type form struct {
	Name     string
	Rule     string // names the builder
	Severity string // of its rules, whatever the sentence says
	Act      string // what it forbids, where the sentence describes it in words of its own
	Last     bool   // it only makes drafts of a line that no other form makes one of
	Match    []string
	Words    []string // one of these is in the sentence: others need not be tried
	Needs    string   // what else has to be in it
	Code     string   // what one of its names in `code` is
	Unless   string   // what must not be in it
	Cases    []formCase

	match  []*lazy.Regexp
	sieves []sieve // of each pattern
	needs  *lazy.Regexp
	code   *lazy.Regexp
	unless *lazy.Regexp
}

// A formCase is a line that the form is about, with what its draft has to stop and to
// let pass.
type formCase struct {
	Line, Severity          string
	Commands, Stops, Passes []string
	Files                   []string // of the project
}

// table is the content of the files.
type table struct {
	Macros       map[string]string
	Acts         []act
	Rivals       [][]string
	Alternatives map[string][]string
	Jobs         map[string]string
	Runners      map[string][]string
	Languages    []language
	Chains       []chain
	Settings     []setting
	Content      []writing
	Uses         []use
	Kinds        []kind
	Telltales    []telltale
	Spoken       map[string]string   // words, and the name in Content
	Classes      map[string][]string // of verbs, by what they do
	Conjunctions map[string]string   // and what the clause behind them says
	Forms        []form

	acts   actPatterns
	spoken []spokenName
	jobs   map[string]*lazy.Regexp
	verbs  map[string][]string // their classes, by all their forms

	literals literals
}

// forms is the table, compiled. It is part of the program, and a test compiles it.
var forms = sync.OnceValue(func() *table {
	t := &table{literals: literals{ids: map[string]int{}}}
	var list []form
	for _, name := range []string{"names", "forms/macros", "forms/programs", "forms/git", "forms/files", "forms/content", "forms/demands", "forms/moments", "forms/together", "forms/reading", "forms/usual", "forms/concepts", "forms/packages"} {
		data, err := formsFiles.ReadFile(name + ".yaml")
		if err != nil {
			panic("instructions: " + err.Error())
		}
		tables.Parse(name+".yaml", data, t)
		list, t.Forms = append(list, t.Forms...), nil
	}
	t.Forms = list
	t.acts.prepare(t.Acts)
	for _, src := range slices.SortedFunc(maps.Keys(t.Spoken), longestFirst) {
		t.spoken = append(t.spoken, spokenName{spokenAs(src), t.Spoken[src]})
	}
	t.jobs = map[string]*lazy.Regexp{}
	for job, src := range t.Jobs {
		t.jobs[job] = &lazy.Regexp{Source: src}
	}
	t.verbs = map[string][]string{}
	for class, list := range t.Classes {
		for _, verb := range list {
			for _, w := range sentence.Inflected(verb) {
				t.verbs[w] = append(t.verbs[w], class)
			}
		}
	}
	for i := range t.Acts {
		for k := range t.Acts[i].Operations {
			o := &t.Acts[i].Operations[k]
			o.words = &lazy.Regexp{Source: `\b(?:` + o.Verbs + `)`}
		}
	}
	for i := range t.Kinds {
		t.Kinds[i].words = &lazy.Regexp{Source: `^(?:` + t.Kinds[i].Words + `)`}
	}
	for i := range t.Uses {
		t.Uses[i].verbs = &lazy.Regexp{Source: `^(?:` + t.Uses[i].Verbs + `)$`}
	}
	for i := range t.Settings {
		t.Settings[i].names = &lazy.Regexp{Source: `^(?:` + t.Settings[i].Names + `)$`}
	}
	for i := range t.Languages {
		t.Languages[i].words = &lazy.Regexp{Source: `(?:^|\W)(?:` + t.Languages[i].Words + `)(?:$|\W)`}
		t.Languages[i].sieve = t.literals.sieve(t.Languages[i].Words)
		if of := t.Languages[i].Syntax; of != "" {
			t.Languages[i].syntax = &lazy.Regexp{Source: of}
		}
	}
	for i := range t.Chains {
		t.Chains[i].compile()
		t.Chains[i].sieve = t.literals.sieve(t.Chains[i].words.String())
	}
	for i := range t.Forms {
		f := &t.Forms[i]
		for _, src := range f.Match {
			src = expand(src, t.Macros)
			f.match, f.sieves = append(f.match, &lazy.Regexp{Source: src}), append(f.sieves, t.literals.sieve(src))
		}
		if f.Needs != "" {
			f.needs = &lazy.Regexp{Source: f.Needs}
		}
		if f.Code != "" {
			f.code = &lazy.Regexp{Source: f.Code}
		}
		if f.Unless != "" {
			f.unless = &lazy.Regexp{Source: f.Unless}
		}
	}
	return t
})

var role = lazy.Regexp{Source: `\{([acpft]+):(\w+)\}`}

// expand puts their meaning in the place of {macros} and of {c:role}.
func expand(src string, macros map[string]string) string {
	for range 3 { // a macro may name others
		for k, v := range macros {
			src = strings.ReplaceAll(src, "{"+k+"}", v)
		}
	}
	return role.Get().ReplaceAllStringFunc(src, func(s string) string {
		m := role.Get().FindStringSubmatch(s)
		one := "‹[" + m[1] + `]\d+›(?:'s)?(?: \([^)‹]*\))?`
		return "(?P<" + m[2] + ">" + one + "(?:(?: files?)?" + macros["list"] + one + ")*)"
	})
}

// nameActs replaces the acts that a phrase names by marks.
func nameActs(p *sentence.Phrase) {
	t := forms()
	p.ShareObjects()
	p.ShareProgram()
	p.Words = codeOnBranch.Get().ReplaceAllStringFunc(p.Words, p.ActOnBranch)
	nameSpoken(p)
	p.Words = t.acts.replace(p.Words, func(i int, said string) string {
		if t.Acts[i].Name == "" {
			return said
		}
		return p.Add('a', t.Acts[i].Name, false)
	})
	p.Words = explained.Get().ReplaceAllString(p.Words, "$1$2")
	p.Words = actInFolder.Get().ReplaceAllStringFunc(p.Words, func(s string) string {
		m := sentence.Mark.Get().FindString(s)
		if t := p.TermsIn(m); len(t) != 1 || t[0].Text != deleteFiles {
			return s
		}
		return strings.Replace(s, m, "delete files", 1)
	})
}

// A found is a form that a phrase has, with its slots.
type found struct {
	form     *form
	phrase   *sentence.Phrase
	slots    map[string]string
	severity string
	clause   bool // of a sentence that may have several
}

// terms are the names in a slot.
func (f *found) terms(slot string) []sentence.Term { return f.phrase.TermsIn(f.slots[slot]) }

// fits reports whether a sentence has what a form needs besides its patterns, and nothing that
// excludes it.
func (f *form) fits(words string) bool {
	return (f.needs == nil || f.needs.Get().MatchString(words)) && (f.unless == nil || !f.unless.Get().MatchString(words))
}

// find looks for each form in a phrase.
func (t *table) find(p *sentence.Phrase) (list []found) {
	if len(p.Words) > maxPhrase {
		return nil
	}
	sifted := t.literals.sift(p.Words)
	for i := range t.Forms {
		f := &t.Forms[i]
		if len(f.Words) > 0 && !containsAny(p.Words, f.Words...) {
			continue
		}
		for i, re := range f.match {
			if !sifted.passes(f.sieves[i]) {
				continue
			}
			m := re.Get().FindStringSubmatchIndex(p.Words)
			if m == nil {
				continue
			}
			if !f.fits(p.Words) || f.code != nil && !slices.ContainsFunc(p.Terms, func(t sentence.Term) bool { return f.code.Get().MatchString(t.Text) }) {
				break
			}
			severity, ok := strictness(p.Words, m[0], m[1], f)
			if !ok {
				continue
			}
			if goesOn.Get().MatchString(p.Words[m[0]:m[1]] + "\n" + p.Words[m[1]:]) {
				continue // the pattern ends within a list of occasions
			}
			hit := found{f, p, map[string]string{}, severity, false}
			for g, name := range re.Get().SubexpNames() {
				if name != "" && m[2*g] >= 0 {
					hit.slots[name] = p.Words[m[2*g]:m[2*g+1]]
				}
			}
			list = append(list, hit)
		}
	}
	exact, all := list, t.clauses(p.Words)
	for _, hit := range t.frames(p, all) {
		if !slices.ContainsFunc(exact, func(o found) bool {
			return o.form == hit.form
		}) {
			list = append(list, hit)
		}
	}
	var sure, left []found // the last are for where no other says when the sentence holds
	for _, hit := range list {
		if hit.form.reminder() {
			left = append(left, hit)
		} else {
			sure = append(sure, hit)
		}
	}
	return slices.DeleteFunc(append(sure, left...), func(f found) bool { return !f.holdsOf(all) })
}

// reminder reports whether a form leaves to the reader when its sentence holds.
func (f *form) reminder() bool { return strings.HasPrefix(f.Name, "remind") }

// goesOn is the end of a pattern within a list: before adding,| changing or moving a page.
var goesOn = lazy.Regexp{Source: `\b\w+ing(?:,\n|\n,) ?(?:(?:or|and) )?\w+ing\b`}

func containsAny(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(s, w) })
}

// has reports whether a term of one of some kinds is in a phrase.
func has(words, kinds string) bool {
	for i := range len(kinds) {
		if strings.Contains(words, "‹"+kinds[i:i+1]) {
			return true
		}
	}
	return false
}

// maxPhrase bounds the sentences that forms are tried on, in bytes.
const maxPhrase = 1200

var (
	limited = lazy.Regexp{Source: `^(?:[\w -]{1,30}: ?)?(?:when|whenever|if|for|in|while|during|on|once|where|with|after|before)\b[^‹]*[,:—]`}
	// restricts begins what limits a prohibition to cases that no call shows.
	restricts = lazy.Regexp{Source: `^(?:just |only |merely |simply |solely |directly )*(?:to|for|in|on|at|from|when|whenever|while|if|as|during|inside|outside|within|against|where|between|across|over|into|under|after|with|by|through)\b`}
	// usage begins a wish, unless it has a subject: then it is about that.
	usage      = lazy.Regexp{Source: `^(?:uses?|using|prefer)\b`}
	negated    = lazy.Regexp{Source: `\b(?:never|not|don't|avoid) $`} // it is what not to do
	subject    = lazy.Regexp{Source: `[\w›)*] $`}
	fronted    = lazy.Regexp{Source: `\b(?:always|must|should|you|we|please|agents?|do|then|and|only|instead|to|shall|just|also|now|never|not|repo|repository|project|codebase|monorepo|team|workspace) $`}
	ifOnly     = lazy.Regexp{Source: `^[^.,;:(—–]{0,50} (?:when|whenever|if) (\w+)`}
	codeBehind = lazy.Regexp{Source: `^(?:or|and|/|,) ?‹t`}
	// ofBranch is about a branch; atCommit is what an option is for.
	atCommit = lazy.Regexp{Source: `^(?:when|while|for|on|in) (?:any )?‹a\d+›`}
	ofBranch = lazy.Regexp{Source: `^(?:to|on|into|onto|from|against) (?:the |your |our )?(?:‹[tpc]|main\b|master\b|develop\b|dev\b|trunk\b|production\b|staging\b)`}
	excepted = lazy.Regexp{Source: `\b(?:unless|until|except|excluding|other than|only (?:if|when|after)|without (?:[\w']+ )*?(?:ask\w*|permission|approval|confirm\w*|consent|request\w*|explicit\w*|instruct\w*|discuss\w*|review|consult\w*|tell\w*|notify\w*|inform\w*|checking with))\b`}
	// exceptFor names one of the things of a name that is not meant: "never use ‹t› (except ‹t›)".
	exceptFor = lazy.Regexp{Source: `^[ (,]*(?:except|excluding|other than|apart from) (?:for |the |an? )*‹[tc]`}
	// unasked is an act that is forbidden unless a user wants it.
	unasked = lazy.Regexp{Source: `\b(?:unsolicited|automatically|proactively|autonomously)\b`}
	// remarked ends with the sign in front of a remark, as in "no ‹t› — use ‹t›", and goes on with one that limits nothing.
	remarked = lazy.Regexp{Source: ` [—–-]\n|\(\n(?:explicit|implicit|use|only ‹t|not even|see|prefer|instead)\b`}
	example  = lazy.Regexp{Source: `^(?:for example|e\.g\.|example)\b`}
	narrowed = lazy.Regexp{Source: `\b(?:when|whenever|if|for|after (?:creating|adding|introducing|renaming|removing))\b[^,‹]{3,}[^.]*,`}
	soft     = lazy.Regexp{Source: `\b(?:prefer|preferred|avoid|should|shouldn't|try to|generally|usually|where possible|if possible|when possible|ideally|consider|as needed|when relevant|recommended|suggested|encouraged|check with|aim (?:to|for))\b`}
	strict   = lazy.Regexp{Source: `\b(?:must|never|always|do not|don't|forbidden|prohibited|mandatory)\b`}
)

// reminder is the severity of a rule about a line that holds in some cases only: it warns,
// and leaves to the reader whether this is one of them.
const reminder = "reminder"

// strictness is the severity of the rule that a sentence asks for, where the form is
// found from one byte to another. Not ok is a sentence that holds in some cases only,
// which a rule could not tell.
func strictness(words string, from, to int, f *form) (severity string, ok bool) {
	before, after := words[:from], words[to:]
	if from < to && strings.ContainsRune(",;:", rune(words[from])) { // the sign is the end of what is in front
		before = words[:from+1]
	}
	severity = "block"
	switch {
	case f.Severity != "":
		severity = f.Severity
	case (soft.Get().MatchString(words) || oneOver.Get().MatchString(words[from:to])) && !strict.Get().MatchString(words), f.Rule == "commands" && prefers.Get().MatchString(words[from:to]) && !strict.Get().MatchString(prefers.Get().ReplaceAllString(words, "")):
		severity = "warn"
	}
	if severity == "block" && strings.HasSuffix(before, "(") && prefers.Get().MatchString(words[from:to]) {
		severity = "warn"
	}
	if example.Get().MatchString(words) || exampleFront.Get().MatchString(before) || inExample.Get().MatchString(before) || quoted(words, from, to) {
		return "", false
	}
	if !prohibits(f) {
		if m := ifOnly.Get().FindStringSubmatch(after); m != nil && (f.Name == "run-before" || f.Name == "job-before") && !slices.Contains([]string{"any", "it", "they", "there", "anything", "needed", "necessary", "that", "this"}, m[1]) {
			return reminder, true
		}
		if (f.Rule == "emoji" || f.Rule == "attribution") && excepted.Get().MatchString(words[from:]) {
			severity = "ask"
		}
		if severity == "block" && limitedDemand(words, from, to, f) || inSomeCases(before, words[from:to], after, f) {
			severity = reminder
		}
		return severity, !ofOtherWork(before, words[from:to], after, f) && !(f.Rule == "also" && sometimes.Get().MatchString(after)) && (!slices.Contains([]string{"run-before", "passes-before", "branch-first"}, f.Name) || !narrowed.Get().MatchString(before)) && (f.Rule != "requires" || !reports(after))
	}
	if f.Name == "ask-first" && unneeded.Get().MatchString(before) || someReaders.Get().MatchString(words) || theseOnly.Get().MatchString(words) && f.Rule == "content" || ofTools.Get().MatchString(before) || tellsOfMachinery(words, to, f) {
		return "", false
	}
	after = withoutAim(words[from:to], after)
	rest := f.skip(after)
	if f.Rule == "options" {
		rest = atCommit.Get().ReplaceAllString(rest, "")
	}
	if closed, ok := strings.CutPrefix(rest, ")"); ok {
		rest = f.skip(closed)
	}
	switch {
	case misread(words, from, to, rest, f), owned.Get().MatchString(words[from:to]), omits.Get().MatchString(words[from:to]), laterOnly.Get().MatchString(after), tellsOnly(words, from, to, rest), describes(before, words[from:to]), f.Rule == "content" && inOrder.Get().MatchString(rest), f.Severity != "ask" && offered(before, words[from:to]), usage.Get().MatchString(words[from:to]) && negated.Get().MatchString(before):
		return "", false
	case ofOthers(words, from), f.Rule == "commands" && ofThese.Get().MatchString(words[from:to]), rashly.Get().MatchString(words[from:to]):
		return reminder, reminds(f)
	case f.Rule == "commands" && (strings.HasPrefix(rest, "‹") || listBehind.Get().MatchString(after) || strings.HasSuffix(words[from:to], "›") && codeBehind.Get().MatchString(rest)): // it is about that
		return "", false
	case usage.Get().MatchString(words[from:to]) && subject.Get().MatchString(before) && !fronted.Get().MatchString(before):
		return reminder, reminds(f)
	case f.Severity == "" && ofBranch.Get().MatchString(rest): // another form is about that
		return "", false
	case limited.Get().MatchString(before):
		return reminder, reminds(f)
	case f.Severity == "" && reminds(f) && waitsFor(words[from:]) != "":
		return reminder, true
	case f.Rule == "content" && exceptFor.Get().MatchString(after):
		return reminder, true
	case f.Rule == "commands" && inState.Get().MatchString(rest):
		return reminder, true
	case excepted.Get().MatchString(words[from:]) || unasked.Get().MatchString(words[from:to]) || byItself.Get().MatchString(after) || strings.HasPrefix(before, "unless"):
		return "ask", true
	case rest == "" || strings.ContainsRune(",;.", rune(words[to-1])) || f.Rule == "content" && words[to-1] == ':' || f.Rule != "commands" && remarked.Get().MatchString(words[from:to]+"\n"+rest) || strings.ContainsRune(".,;:!?)(—–-|/→=", []rune(rest)[0]):
	case severity == "ask" && f.Rule == "writes" && thingIn.Get().MatchString(f.skip(" "+rest)):
		return "", false
	case severity == "ask" && (f.Name != "ask-first" || !strings.HasSuffix(words[from:to], "›")):
	default:
		next, _, _ := strings.Cut(rest, " ")
		if !slices.Contains([]string{"and", "or", "but", "because", "since", "so", "it", "this", "they", "is", "are"}, next) && !(f.Rule == "content" && next == "which" && strings.HasSuffix(words[from:to], "›")) {
			if severity == "ask" && restricts.Get().MatchString(rest) {
				return severity, true
			}
			return reminder, reminds(f) && restricts.Get().MatchString(rest)
		}
	}
	if severity != "ask" && f.unread(before, words[from:to], after) {
		return reminder, reminds(f)
	}
	return severity, true
}

// reminds reports whether a form may make a rule that only warns.
func reminds(f *form) bool {
	return slices.Contains([]string{"commands", "options", "writes", "creates", "deletes", "stages", "reads", "content", "keys", "branch", "imports", "pipes", "on-files"}, f.Rule)
}

// prohibits reports whether a form says what must not be, so that a condition behind it
// matters.
func prohibits(f *form) bool {
	if f.Severity == "warn" {
		return false
	}
	switch f.Rule {
	case "requires", "also", "new-also", "before-first", "read-itself", "conventional", "attribution", "subject", "names", "header", "secrets", "emoji", "branch-name", "rivals", "merges", "github", "with-option", "sign-off", "base", "scripts", "lastly", "own-branch", "pull-base", "adds", "merge-act", "alternatives", "also-file", "english", "environment", "dependencies", "feature-branch", "imperative", "references", "never-skip", "draft-pulls", "ci-first", "pushed", "tracker", "action-shas", "untyped", "with-variable", "own-option", "editable", "subject-case", "subject-end", "trailer", "with-body", "listed-types", "imperative-here", "untyped-titles", "titles-of-issues", "titles-like-commits", "merge-commits", "comment-first", "then-merged", "one-line", "pull-label":
		return false
	}
	return true
}
