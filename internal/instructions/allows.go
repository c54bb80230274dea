package instructions

import (
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
	"github.com/agentsentinel/sentinel/scope"
)

var (
	// keysKept says which files keys are to be put into.
	keysKept = lazy.Regexp{Source: `\b(?:use|put|keep|store|place|save|set|define) (?:[\w-]+ ){0,4}?(?:(?:in|into|to) )?(?:the )?‹p\d+›`}
	ofKeys   = lazy.Regexp{Source: `\b(?:keys?|secrets?|credentials|tokens?|passwords?|them|deployments?|local)\b`}
	// shared are files of that kind that everyone gets.
	shared = lazy.Regexp{Source: `(?i)example|sample|template|\.dist\b|\.md$`}
	// byHandThere says that files among others are written by people.
	byHandThere = lazy.Regexp{Source: `\b(?:hand-?written|hand-?maintained|manually (?:written|maintained)|written by hand)\b[^.;]*\b(?:live|lives|sit|sits|are|is|go|stay|kept|belong|belongs)\b`}
	deniedFront = lazy.Regexp{Source: `(?:\b(?:not|never|no|instead of|rather than|without)|n't) (?:a |any )?$`}
	// otherThan and exempted are around a command that a prohibition does not mean.
	otherThan = lazy.Regexp{Source: `\b(?:except(?: for)?|other than|but not|unlike|(?:may|can) (?:still )?(?:run|use)) (?:the )?$`}
	exempted  = lazy.Regexp{Source: `^ (?:is|are) (?:still |a |an )*(?:different|another|separate|fine|ok(?:ay)?|safe|allowed|permitted|unaffected|exempt|not (?:affected|covered|meant|included|forbidden|prohibited))\b`}
)

// allows takes out of a rule what its statement, or the list that it is in, lets pass. Where
// that is not named, the rule only warns.
func (b *builder) allows(r *ruletext.Rule) {
	switch b.hit.Form.Rule {
	case "secrets":
		if len(r.Scope) == 0 {
			b.allowsKeys(r)
		}
	case "writes":
		b.allowsByHand(r)
	case "creates":
		b.allowsByHand(r)
		b.allowsPlaced(r)
	case "content":
		if b.hit.Severity == "block" && r.Severity == "block" && b.allowedElsewhere() {
			r.Severity = forms.Reminder
		}
	case "commands":
		b.allowsCommands(r)
	}
}

// allowsKeys lets keys be written to the files that the statement names for them.
func (b *builder) allowsKeys(r *ruletext.Rule) {
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		at := keysKept.Get().FindStringIndex(p.Words)
		if at == nil || !ofKeys.Get().MatchString(p.Words) || sentence.Denies.Get().MatchString(p.Words) {
			continue
		}
		for _, t := range p.TermsIn(p.Words[at[0]:]) {
			globs := statement.GlobsOf(t.Text)
			if t.Kind != sentence.File || len(globs) == 0 || shared.Get().MatchString(t.Text) {
				continue
			}
			if _, ok := scope.NewPaths(r.Exclude, false).Match(pathglob.Sample(globs[0])); !ok {
				r.Exclude = append(slices.Clone(r.Exclude), globs...)
				r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: pathglob.Sample(globs[0]), Content: secretText}))
			}
		}
	}
}

// allowsByHand lets the files of a folder pass that the statement says to be written by people.
func (b *builder) allowsByHand(r *ruletext.Rule) {
	banned := b.hit.Terms("path")
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		at := byHandThere.Get().FindStringIndex(p.Words)
		if at == nil || deniedFront.Get().MatchString(p.Words[:at[0]]) {
			continue
		}
		found := false
		for _, t := range p.TermsIn(p.Words) {
			globs := statement.GlobsOf(t.Text)
			if t.Kind != sentence.File || len(globs) != 1 || slices.ContainsFunc(banned, func(o sentence.Term) bool { return strings.HasPrefix(o.Text, strings.TrimRight(t.Text, "/")) }) {
				continue
			}
			for _, of := range r.Scope {
				if dir, ok := strings.CutSuffix(of, "/**"); ok {
					in := dir + "/**/" + strings.TrimPrefix(strings.TrimPrefix(globs[0], "**/"), dir+"/")
					r.Exclude, found = append(slices.Clone(r.Exclude), in), true
					r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: pathglob.Sample(in), Content: "x"}))
				}
			}
		}
		if !found && r.Severity == "block" {
			r.Severity = forms.Reminder
		}
	}
}

// goesInto says which folders things are to be put into, and nextFolder is a further one.
var (
	goesInto   = lazy.Regexp{Source: `\b(?:go|goes|belongs?|lives?|put|place|keep|store|save|moves?|write|create) (?:[\w-]+ ){0,5}?(?:in|into|under|to|inside|within) (?:the )?(‹p\d+›)`}
	nextFolder = lazy.Regexp{Source: `^[^.;‹]{0,24}\bor (‹p\d+›)|^ \([^)‹]*\),? or (‹p\d+›)`}
)

// allowsPlaced lets new files of a kind pass in the folders into which the statement says to put them.
func (b *builder) allowsPlaced(r *ruletext.Rule) {
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		for _, at := range goesInto.Get().FindAllStringSubmatchIndex(p.Words, -1) {
			if deniedFront.Get().MatchString(p.Words[:at[0]]) {
				continue
			}
			said := p.Words[at[2]:at[3]]
			if m := nextFolder.Get().FindStringSubmatch(p.Words[at[3]:]); m != nil {
				said += m[1] + m[2]
			}
			for _, t := range p.TermsIn(said) {
				globs := statement.GlobsOf(t.Text)
				within := func(of string) bool {
					dir, ok := strings.CutSuffix(of, "/**")
					return ok && strings.HasPrefix(globs[0], dir+"/") && of != globs[0] || !ok && strings.Contains(of, "*")
				}
				if len(globs) == 1 && strings.HasSuffix(globs[0], "/**") && slices.ContainsFunc(r.Scope, within) {
					r.Exclude = append(slices.Clone(r.Exclude), globs[0])
				}
			}
		}
	}
}

// allowedElsewhere reports whether the list that the statement is in lets what a name is of be
// used in some places.
func (b *builder) allowedElsewhere() bool {
	file, ok := b.shows()
	return ok && slices.ContainsFunc(file.Permits(), func(p survey.Permit) bool {
		return slices.Equal(p.Section, b.s.Section) && slices.ContainsFunc(b.hit.Terms("deny"), func(t sentence.Term) bool { return akin(t.Text, p.Name) })
	})
}

// akin reports whether two names begin alike, as those of one library do.
func akin(x, y string) bool {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n >= 3 && 2*n >= min(len(x), len(y))
}

// allowsCommands lets the commands pass that the statement says not to mean.
func (b *builder) allowsCommands(r *ruletext.Rule) {
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		for n, t := range p.Terms {
			before, behind, ok := strings.Cut(p.Words, fmt.Sprintf("‹%c%d›", t.Kind, n))
			if !ok || t.Kind != sentence.Command && t.Kind != sentence.Name || !exempted.Get().MatchString(behind) && !otherThan.Get().MatchString(before) {
				continue
			}
			cmd := sentence.Cleaned(t)
			within := func(d sentence.Term) bool {
				return d.Kind == sentence.Command && d.Text != cmd && subsequence(strings.Fields(sentence.Cleaned(d)), strings.Fields(cmd))
			}
			list, example := patterns(cmd)
			if len(list) == 0 || survey.Operator.Get().MatchString(cmd) || !slices.ContainsFunc(b.denied(), within) {
				continue
			}
			r.Exclude = append(slices.Clone(r.Exclude), list...)
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: example}))
		}
	}
}

// subsequence reports whether all words of a list are in another one, in their order.
func subsequence(list, in []string) bool {
	for _, w := range in {
		if len(list) > 0 && list[0] == w {
			list = list[1:]
		}
	}
	return len(list) == 0
}

// askedBefore is a sentence that lets an act be done once the user was asked.
var askedBefore = lazy.Regexp{Source: `\bask\b[^.;:‹]{0,30} before [^.;:‹]{0,12}(‹a\d+›)`}

// asksElsewhere reports whether another sentence of the statement wants the user to be asked
// before an act that this one forbids: "don't push — ask before pushing to main".
func (b *builder) asksElsewhere() bool {
	denied := b.denied()
	return slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool {
		p.Terms = slices.Clone(p.Terms)
		forms.NameActs(&p)
		m := askedBefore.Get().FindStringSubmatch(p.Words)
		return m != nil && slices.ContainsFunc(denied, func(t sentence.Term) bool { return t.Kind == 'a' && t.Text == p.TermsIn(m[1])[0].Text })
	})
}
