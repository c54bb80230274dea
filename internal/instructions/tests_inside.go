package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// inFile is a line about tests that are inside of the files that they test.
	inFile = lazy.Regexp{Source: `\b(?:inline|in-file|in-source|in-module|embedded) (?:unit )?tests?\b|\btests? (?:[\w-]+ ){0,4}(?:in|inside|within|at the (?:bottom|end) of) (?:the|that|its|their) same (?:file|module)s?\b|\b(?:tests?|unittest) (?:blocks?|modules?)\b`}
	// docTests are tests inside of the comments of code.
	docTests = lazy.Regexp{Source: `\bdoc[- ]?tests?\b`}
	// testsInCode is a name that only such tests have.
	testsInCode = lazy.Regexp{Source: `#\[(?:cfg\()?test\b|\bmod tests\b|^(?:test|unittest)(?: "[^"]*")? ?\{`}
)

// withoutTestsInside takes the files that have their tests inside of them out of a rule that wants
// tests to change with code, unless its line names the place of the tests. It is not ok where no
// files are left.
func (b *builder) withoutTestsInside(r *ruletext.Rule) (ok bool) {
	if r.Also != nil && docTests.Get().MatchString(b.hit.Phrase.Words) {
		return false
	}
	if !r.WantsTests() || slices.ContainsFunc(b.hit.Phrase.Terms, namesTests) {
		return true
	}
	if inFile.Get().MatchString(b.hit.Phrase.Words) || slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool {
		return slices.ContainsFunc(p.Terms, func(t sentence.Term) bool { return testsInCode.Get().MatchString(t.Text) })
	}) {
		return false
	}
	of := &r.Scope
	if r.Also != nil {
		of = &r.Also.Changed
	}
	var left []string
	for _, g := range *of {
		if g = b.p.OutsideOfTests(g); g != "" {
			left = append(left, g)
		}
	}
	if len(left) == 0 {
		return false
	}
	r.Why = strings.Replace(r.Why, strings.Join(*of, ", "), strings.Join(left, ", "), 1)
	*of = left
	for i := range r.Tests {
		c := &r.Tests[i]
		c.Write = insteadOfTested(c.Write, left[0])
		for k := range c.Before {
			c.Before[k].Write = insteadOfTested(c.Before[k].Write, left[0])
		}
	}
	return true
}

// namesTests reports whether a term is the path of tests.
func namesTests(t sentence.Term) bool {
	return t.Kind == sentence.File && strings.Contains(strings.ToLower(t.Text), "test")
}

// insteadOfTested is a path of a case, or one that a pattern matches where the rule is not about it.
func insteadOfTested(name, glob string) string {
	if repo.TestedInside(strings.TrimPrefix(path.Ext(name), ".")) {
		return pathglob.Sample(glob)
	}
	return name
}

// exceptTests leaves out files of tests, where the line does not hold in them. Rust's unit
// tests are in the files that they test, so a rule about those only warns.
func (b *builder) exceptTests(r *ruletext.Rule) {
	if !tested.Get().MatchString(b.hit.Phrase.Words) {
		return
	}
	r.Exclude = append(slices.Clone(r.Exclude), ofTests()...)
	if m := testsAnd.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil {
		if also := besideTests()[m[1]]; also != "" {
			r.Exclude = append(r.Exclude, also)
		} else {
			r.Exclude = append(r.Exclude, statement.GlobsOf(b.termOf(m[1]).Text)...)
		}
	}
	if b.hit.Severity == "block" && slices.ContainsFunc(r.Scope, func(g string) bool { return strings.HasSuffix(g, ".rs") }) {
		b.hit.Severity = forms.Reminder
	}
}

// testsAnd are further files in which a line does not hold.
var testsAnd = lazy.Regexp{Source: `\btests?(?: code| files?)? (?:and|or) (‹p\d+›|build scripts|benches|benchmarks|examples)`}
