package instructions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A rule about a case that no call shows would speak of each change, whatever that is about. So an
// order of calls needs more than the words of its case: files that the case is about, a call that
// only this case has, or a text that only such a change has. Of 24 rules without one, readers
// called none right.

var (
	// everyCall are the calls that work of each kind has.
	everyCall = lazy.Regexp{Source: `^(?:git (?:commit|push)|gh pr create|hub pull-request|glab mr create)\b`}
	// ofMostWork is a case that most changes of code are.
	ofMostWork = lazy.Regexp{Source: `\b(?:features?|functionality|behaviou?rs?|bugs?|fix(?:es)?|logic|refactor\w*|modifications?|tracked|non-trivial|significant|substantive|user-(?:facing|visible)|multi-?(?:file|step)|complex)\b|\b(?:touch|chang|edit|modify)\w* (?:anything|everything)(?: or |,|$)`}
)

// ofFeature are things that are called by features.
var ofFeature = lazy.Regexp{Source: `\bfeatures?[ -](?:flags?|toggles?|gates?|switch(?:es)?|branch(?:es)?|folders?|modules?|director(?:y|ies))\b`}

// someBehavior is what only some of the behavior of a program is.
var someBehavior = lazy.Regexp{Source: `\bbehaviou?rs? (?:that is |which is )?(?:covered|described|defined|specified|documented|governed) (?:by|in)\b`}

// byTheWork is what some work does to a thing, which no call shows.
var byTheWork = lazy.Regexp{Source: `\bfeatures? (?:changes|affects?|alters?|impacts?|requires?|touches) (?:[a-z]+ )*[a-z]+$`}

// unseen reports whether nothing in a call tells of the case that a rule about an order of calls
// holds in. Where the text of a change tells of it, the rule becomes one about that text.
func (b *builder) unseen(r *ruletext.Rule) bool {
	if r.OfCase == "" || ofAllWork(r.OfCase) || !b.hit.Form.Reminder() && ofMostWork.Get().MatchString(someBehavior.Get().ReplaceAllString(ofFeature.Get().ReplaceAllString(r.OfCase, ""), "")) && !byTheWork.Get().MatchString(r.OfCase) {
		return false
	}
	if r.Also != nil && !r.Also.New && onlyMoves.Get().MatchString(r.OfCase) {
		return true // a change of a file does not show it
	}
	if r.Trigger == "" && !b.has("changed") && sentence.Ends.Get().MatchString(r.OfCase) {
		return true // each turn ends
	}
	files := r.Scope
	if r.Trigger != "file_write" {
		if r.Trigger != "" && !slices.ContainsFunc(r.Scope, everyCall.Get().MatchString) {
			return false
		}
		if places := r.Places(); places != nil {
			files = *places
		}
	}
	if names := b.hit.Terms("words"); r.Also != nil && !r.Also.New && !b.has("changed") && slices.ContainsFunc(names, func(t sentence.Term) bool { return t.Code && t.Kind == sentence.Name }) {
		return !b.byText(r, files) // what is added has a name, which a change of the files need not have
	}
	if b.has("changed") || len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return b.wide(f, r.OfCase) }) {
		return false
	}
	return !b.byPlace(r) && !b.byText(r, files)
}

// onlyMoves is a case in which files get another name or go.
var onlyMoves = lazy.Regexp{Source: `^(?:you )?(?:(?:renam|mov|relocat|delet|remov)(?:e|ing)(?:,? (?:or|and) |, |/)?)+ (?:an? |any |the |existing )*(?:pages?|files?|docs?|documents?|modules?|components?|folders?)$`}

// byPlace limits a rule about the first write to the place that its case names. It is not ok where
// it names none.
func (b *builder) byPlace(r *ruletext.Rule) (ok bool) {
	dir := b.s.OfFolder()
	if dir != "" {
		dir += "/"
	}
	globs, example := b.casePlaces(r.OfCase, dir)
	switch {
	case len(globs) == 0:
		return false
	case r.BeforeFirst != nil:
		r.BeforeFirst.Write = globs
	case r.Requires != nil && r.Trigger == "file_write":
		r.Scope = globs
	default:
		return false
	}
	for i := range r.Tests {
		if r.Tests[i].Write != "" {
			r.Tests[i].Write = example
		}
	}
	r.Why = strings.Replace(r.Why, "the first write to **", "the first write to "+strings.Join(globs, ", "), 1)
	return true
}

// wide reports whether a pattern tells of no case: it is about all files, or those of languages
// that the case does not name.
func (b *builder) wide(glob, words string) bool {
	if dir := b.s.OfFolder(); dir != "" && !docsFolder.Get().MatchString(dir+"/") {
		glob = strings.TrimPrefix(glob, dir+"/")
	} else if dir == "" && slices.Contains(b.s.Globs, glob) {
		return true
	}
	if b.hit.Form.Reminder() && b.ofOtherFolder(glob, words) {
		return true
	}
	ofKind := func(k forms.Kind) bool { return slices.Contains(k.Files, glob) }
	if glob != "**" && !strings.HasPrefix(glob, "**/*.") ||
		slices.Contains(repo.Documents, glob) ||
		slices.Contains(frontFiles, glob) ||
		slices.ContainsFunc(forms.All().Kinds, ofKind) ||
		slices.Contains(filesSaid(words), glob) {
		return false
	}
	above := []string{words}
	if !b.hit.Form.Reminder() {
		above = append(append(above, b.s.Lead), b.s.Section[max(0, len(b.s.Section)-2):]...)
	}
	named, _ := survey.FilesOf(survey.LanguagesIn(strings.Join(above, "\n")))
	return !slices.Contains(named, glob)
}

// allBelow is a pattern of all files below a folder, or of those of a language.
var allBelow = lazy.Regexp{Source: `^((?:[^*/{}]+/)+)\*\*(?:/\*\.[^/]*)?$`}

// ofOtherFolder reports whether a pattern is about all of a folder that the words of a case do not name.
func (b *builder) ofOtherFolder(glob, words string) bool {
	m := allBelow.Get().FindStringSubmatch(glob)
	if m == nil || slices.Contains(repo.Documents, glob) || slices.Contains(b.s.Globs, glob) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(strings.ToLower(strings.Trim(m[1], "/")), "/"), func(folder string) bool {
		return strings.Contains(strings.ToLower(words), strings.TrimSuffix(folder, "s"))
	})
}

var telltales = sync.OnceValue(func() []forms.Telltale {
	list := forms.All().Telltales
	for i := range list {
		list[i].Said = regexp.MustCompile(list[i].Words)
	}
	return list
})

// ofChange matches a name in `code` that is long enough to be found in the text of a change.
var ofChange = lazy.Regexp{Source: `[A-Za-z_]{3}`}

// textOf are the patterns of the texts that only a change of a case has, with a text of each: names
// in `code`, and kinds of things whose uses look alike.
func (b *builder) textOf(words string) (patterns, shown []string) {
	for _, t := range b.hit.Terms("words") {
		if !t.Code || t.Kind != sentence.Name || !ofChange.Get().MatchString(t.Text) {
			continue
		}
		pattern, with := b.pattern(t.Text)
		if strings.Contains(t.Text, "*") { // a name with any part
			pattern, with = strings.ReplaceAll(pattern, `\*`, `\w*`), pathglob.Each(with, func(s string) string { return strings.ReplaceAll(s, "*", "A") })
		}
		patterns, shown = append(patterns, pattern), append(shown, with...)
	}
	for _, t := range telltales() {
		if t.Said.MatchString(words) {
			patterns, shown = append(patterns, t.Pattern), append(shown, t.Bad)
		}
	}
	return patterns, shown
}

// worksWith is a case about work with a thing, whose name such a change need not add.
var worksWith = lazy.Regexp{Source: `^(?:you (?:are )?)?work(?:ing)? (?:with|on|in)\b`}

// byText makes a rule about what changes add, where the words of its case tell that. It is not ok
// where they do not.
func (b *builder) byText(r *ruletext.Rule, files []string) (ok bool) {
	patterns, shown := b.textOf(r.OfCase)
	if len(patterns) == 0 || worksWith.Get().MatchString(r.OfCase) || r.Requires == nil && (r.Also == nil || r.Also.New) {
		return false
	}
	if len(files) == 0 || files[0] == "**" {
		files = []string{b.usual()}
	}
	adds := strings.Join(pathglob.Each(patterns, putsIn), " or ")
	if len(patterns) > 1 {
		adds = "(" + adds + ")"
	}
	write := ruletext.Case{Write: pathglob.Sample(files[0]), Content: shown[0]}
	good := ruletext.Case{Write: write.Write, Content: "result = other(1)"}
	n := ruletext.Rule{ID: r.ID, Trigger: "file_write", Scope: files, When: adds, Source: r.Source, Quote: r.Quote, Severity: "warn", Message: strings.TrimSuffix(r.Message, " {{missing}}"), Warns: true}
	for _, s := range shown {
		n.Tests = append(n.Tests, ruletext.AsStop(ruletext.Case{Write: write.Write, Content: s}))
	}
	n.Tests = append(n.Tests, ruletext.AsPass(good))
	if r.Also != nil {
		n.Exclude = r.Also.With
		for _, w := range r.Also.With {
			n.When += fmt.Sprintf(" and not wrote(%q)", w)
		}
		late := write
		late.Before = []ruletext.Step{{Write: pathglob.Sample(r.Also.With[0])}}
		n.Tests = append(n.Tests, ruletext.AsPass(late))
	} else {
		n.Message = strings.TrimSuffix(n.Message, " first.") + " before you commit."
	}
	n.Why = fmt.Sprintf("It warns of writes that add %s.", strings.Join(pathglob.Each(shown, strings.TrimSpace), ", "))
	*r = n
	return true
}
