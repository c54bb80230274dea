// Package forms has the forms: the ways to say something that a rule can hold. It finds in the phrase of a
// sentence which of them it is, what they are about, and how strictly the sentence means it.
package forms

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

//go:embed *.yaml
var formsFiles embed.FS

// A Form is a way to say something that a rule can hold.
type Form struct {
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

	Patterns []*lazy.Regexp
	Sieves   []sieve // of each pattern
	needs    *lazy.Regexp
	code     *lazy.Regexp
	unless   *lazy.Regexp
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
	Acts         []Act
	Rivals       [][]string
	Alternatives map[string][]string
	Jobs         map[string]string
	Runners      map[string][]string
	Languages    []Language
	Chains       []Chain
	Settings     []setting
	Content      []Writing
	Uses         []Use
	Kinds        []Kind
	Telltales    []Telltale
	Spoken       map[string]string   // words, and the name in Content
	Classes      map[string][]string // of verbs, by what they do
	Conjunctions map[string]string   // and what the clause behind them says
	Forms        []Form

	acts   actPatterns
	spoken []spokenName
	ByJob  map[string]*lazy.Regexp
	verbs  map[string][]string // their classes, by all their forms

	Literals literals
}

// All is the table, compiled. It is part of the program, and a test compiles it.
var All = sync.OnceValue(func() *table {
	t := &table{Literals: literals{ids: map[string]int{}}}
	var list []Form
	for _, name := range []string{"names", "macros", "programs", "git", "files", "content", "demands", "moments", "together", "reading", "usual", "concepts", "packages"} {
		data, err := formsFiles.ReadFile(name + ".yaml")
		if err != nil {
			panic(err)
		}
		tables.Parse(name+".yaml", data, t)
		list, t.Forms = append(list, t.Forms...), nil
	}
	t.Forms = list
	t.acts.prepare(t.Acts)
	for _, src := range slices.SortedFunc(maps.Keys(t.Spoken), longestFirst) {
		t.spoken = append(t.spoken, spokenName{spokenAs(src), t.Spoken[src]})
	}
	t.ByJob = map[string]*lazy.Regexp{}
	for job, src := range t.Jobs {
		t.ByJob[job] = &lazy.Regexp{Source: src}
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
			o.Pattern = &lazy.Regexp{Source: `\b(?:` + o.Verbs + `)`}
		}
	}
	for i := range t.Kinds {
		t.Kinds[i].Said = &lazy.Regexp{Source: `^(?:` + t.Kinds[i].Words + `)`}
	}
	for i := range t.Uses {
		t.Uses[i].Acts = &lazy.Regexp{Source: `^(?:` + t.Uses[i].Verbs + `)$`}
	}
	for i := range t.Settings {
		t.Settings[i].Named = &lazy.Regexp{Source: `^(?:` + t.Settings[i].Names + `)$`}
	}
	for i := range t.Languages {
		t.Languages[i].Said = &lazy.Regexp{Source: `(?:^|\W)(?:` + t.Languages[i].Words + `)(?:$|\W)`}
		t.Languages[i].Sieve = t.Literals.sieve(t.Languages[i].Words)
		if of := t.Languages[i].Syntax; of != "" {
			t.Languages[i].Shape = &lazy.Regexp{Source: of}
		}
	}
	for i := range t.Chains {
		t.Chains[i].compile()
		t.Chains[i].Sieve = t.Literals.sieve(t.Chains[i].ByWords.String())
	}
	for i := range t.Forms {
		f := &t.Forms[i]
		for _, src := range f.Match {
			src = expand(src, t.Macros)
			f.Patterns, f.Sieves = append(f.Patterns, &lazy.Regexp{Source: src}), append(f.Sieves, t.Literals.sieve(src))
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

// NameActs replaces the acts that a phrase names by marks.
func NameActs(p *sentence.Phrase) {
	t := All()
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

// A Found is a form that a phrase has, with its slots.
type Found struct {
	Form     *Form
	Phrase   *sentence.Phrase
	Slots    map[string]string
	Severity string
	Clause   bool // of a sentence that may have several
}

// Terms are the names in a slot.
func (f *Found) Terms(slot string) []sentence.Term { return f.Phrase.TermsIn(f.Slots[slot]) }

// fits reports whether a sentence has what a form needs besides its patterns, and nothing that
// excludes it.
func (f *Form) fits(words string) bool {
	return (f.needs == nil || f.needs.Get().MatchString(words)) && (f.unless == nil || !f.unless.Get().MatchString(words))
}

// Find looks for each form in a phrase.
func (t *table) Find(p *sentence.Phrase) (list []Found) {
	if len(p.Words) > maxPhrase {
		return nil
	}
	sifted := t.Literals.Sift(p.Words)
	for i := range t.Forms {
		f := &t.Forms[i]
		if len(f.Words) > 0 && !containsAny(p.Words, f.Words...) {
			continue
		}
		for i, re := range f.Patterns {
			if !sifted.Passes(f.Sieves[i]) {
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
			hit := Found{f, p, map[string]string{}, severity, false}
			for g, name := range re.Get().SubexpNames() {
				if name != "" && m[2*g] >= 0 {
					hit.Slots[name] = p.Words[m[2*g]:m[2*g+1]]
				}
			}
			list = append(list, hit)
		}
	}
	exact, all := list, t.Clauses(p.Words)
	for _, hit := range t.frames(p, all) {
		if !slices.ContainsFunc(exact, func(o Found) bool {
			return o.Form == hit.Form
		}) {
			list = append(list, hit)
		}
	}
	var sure, left []Found // the last are for where no other says when the sentence holds
	for _, hit := range list {
		if hit.Form.Reminder() {
			left = append(left, hit)
		} else {
			sure = append(sure, hit)
		}
	}
	return slices.DeleteFunc(append(sure, left...), func(f Found) bool { return !f.holdsOf(all) })
}

// Reminder reports whether a form leaves to the reader when its sentence holds.
func (f *Form) Reminder() bool { return strings.HasPrefix(f.Name, "remind") }

// goesOn is the end of a pattern within a list: before adding,| changing or moving a page.
var goesOn = lazy.Regexp{Source: `\b\w+ing(?:,\n|\n,) ?(?:(?:or|and) )?\w+ing\b`}

func containsAny(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(s, w) })
}

// Has reports whether a term of one of some kinds is in a phrase.
func Has(words, kinds string) bool {
	for i := range len(kinds) {
		if strings.Contains(words, "‹"+kinds[i:i+1]) {
			return true
		}
	}
	return false
}

// maxPhrase bounds the sentences that forms are tried on, in bytes.
const maxPhrase = 1200
