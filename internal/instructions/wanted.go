package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// ofOtherLanguage reports whether a name that is known from files of one language is here a
// name of another: the statement names that, or else all programs that the project runs are
// of others.
func (b *builder) ofOtherLanguage(name string, files []string) bool {
	if !sentence.PlainName.Get().MatchString(name) || slices.Contains(files, "**/*.*") {
		return false
	}
	named := b.languagesOf()
	if len(named) == 0 {
		named = b.mainLanguage()
	}
	if len(named) == 0 && b.p != nil && !(b.p.Whole() && b.p.Holds(files)) {
		named = slices.DeleteFunc(slices.Clone(forms.All().Languages), func(l forms.Language) bool {
			return !slices.ContainsFunc(b.p.Commands, func(c string) bool { return slices.Contains(l.Programs, sentence.Program(c)) })
		})
	}
	return inNoneOf(files, named)
}

// inNoneOf reports whether files are of no language that is named.
func inNoneOf(files []string, named []forms.Language) bool {
	return len(named) > 0 && !slices.ContainsFunc(named, func(l forms.Language) bool {
		ending := strings.TrimPrefix(path.Ext(l.Example), ".")
		return (&forms.Language{Files: files}).HasEnding(ending)
	})
}

// patternEnds are the endings at the end of a pattern.
var patternEnds = lazy.Regexp{Source: `\.(?:\{([\w,+]+)\}|([\w+]+))$`}

// ofOtherEndings reports whether both lists name the endings of their files, and share none.
func ofOtherEndings(a, b []string) bool {
	named := map[string]bool{}
	for i, g := range append(slices.Clone(a), b...) {
		m := patternEnds.Get().FindStringSubmatch(g)
		if m == nil {
			return false
		}
		for e := range strings.SplitSeq(m[1]+m[2], ",") {
			if i >= len(a) && named[e] {
				return false
			}
			named[e] = named[e] || i < len(a)
		}
	}
	return len(a) > 0 && len(b) > 0
}

// languageOf is the place of the language whose projects alone run a program, -1 without one.
func languageOf(program string) int {
	if slices.Contains([]string{"npm", "npx", "node", "mocha"}, program) {
		program = "pnpm"
	}
	return slices.IndexFunc(forms.All().Languages, func(l forms.Language) bool { return slices.Contains(l.Programs, program) })
}

// wantedElsewhere reports whether another text of the project's files says to use a name.
func (b *builder) wantedElsewhere(name string) bool {
	return b.p != nil && slices.ContainsFunc(b.p.Wanted[name], func(said string) bool { return !strings.Contains(said, b.s.Text) && !strings.Contains(b.s.Text, said) })
}

// knownAs is how a name is written where the name alone would be found everywhere: of several
// languages in the one that the line is about. It has no files where that is another one, and
// where the project has no files of it. It is nil for other names.
func (b *builder) knownAs(name, bare string, there bool) *forms.Writing {
	var first *forms.Writing
	for _, w := range writings(name, bare) {
		if element.Get().MatchString(name) && ofXMLDocs.Get().MatchString(b.hit.Phrase.Words) { // and no element of a page
			w.Pattern, w.Files, w.Bad = `///.*`+w.Pattern, []string{"**/*.cs"}, "/// "+w.Bad
		}
		if b.p.Whole() && !b.p.Holds(w.Files) {
			first = new(forms.Writing) // the project has none of these files
			continue
		}
		if there || !b.ofOtherLanguage(name, w.Files) {
			return &w
		}
		w.Files = nil
		first = &w
	}
	return first
}

var (
	// element is an element of HTML, and everyElement one that pages are made of.
	element      = lazy.Regexp{Source: `^</?([a-z][a-z0-9]*) ?/?>$`}
	everyElement = lazy.Regexp{Source: `^<(?:div|span|p|ul|li|body|html|head)>$`}
	// ofXMLDocs is a sentence about comments that have elements of their own.
	ofXMLDocs = lazy.Regexp{Source: `\bxml[- ]doc`}
)

// writings are how a name is written: an element of HTML with any attributes, and others as the
// forms have them.
func writings(name, bare string) (list []forms.Writing) {
	if m := element.Get().FindStringSubmatch(name); m != nil {
		return []forms.Writing{{Name: name, Pattern: "<" + m[1] + `[\s/>]`, Files: []string{"**/*.{tsx,jsx,vue,svelte,astro,html,razor,cshtml}"}, Bad: "<" + m[1] + " />", Good: "<Other />"}}
	}
	for _, w := range forms.All().Content {
		if (w.Name == name || w.Name == bare) && w.Bad != "" {
			list = append(list, w)
		}
	}
	return list
}

// sayInstead names in the message what a line wants in the place of some commands.
func (b *builder) sayInstead(r *ruletext.Rule, use []sentence.Term, names []string) {
	if len(use) == 0 {
		if another := b.said("another"); another != "" && !strings.Contains(another, " ") {
			r.Message = "Use " + another + " instead."
		}
		return
	}
	cmd := openEnd.Get().ReplaceAllString(sentence.Cleaned(use[0]), "")
	if m := withOperand.Get().FindStringSubmatch(cmd); m != nil {
		r.Message = "Use " + cmd + " instead."
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: m[1] + " x"}))
		return
	}
	if cmd == "" || survey.Operator.Get().MatchString(cmd) || placeholder.Get().FindString(cmd) != "" {
		return
	}
	r.Message = "Use " + b.wanted(use, cmd) + " instead."
	if !slices.ContainsFunc(names, func(s string) bool { return !strings.HasPrefix(s, cmd+" ") }) { // a way to use it is forbidden
		r.Message = "Use " + cmd + " in another way."
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: cmd}))
}

// withOperand is a command with what takes the place of its operands.
var withOperand = lazy.Regexp{Source: `^([\w./-]+(?: [\w:./-]+)*)(?: "?<[\w .|-]+>"?)+$`}
