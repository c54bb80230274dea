package instructions

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// typeName is the name of a type.
var typeName = lazy.Regexp{Source: `^[A-Z][A-Za-z\d]{2,}$`}

// uses warns of one use of a type, where the line bans that and not its name: to inject it, to
// make one, to inherit from it.
func (b *builder) uses() (list []ruletext.Rule) {
	all := forms.All().Uses
	verb, _, _ := strings.Cut(b.hit.Slots["verb"], " ")
	i := slices.IndexFunc(all, func(u forms.Use) bool { return u.Acts.Get().MatchString(verb) })
	if i < 0 || !b.aboutCode() {
		return nil
	}
	globs, p := b.below(all[i].Files), ""
	if of, _ := b.codeFiles(); len(of) > 0 && !allCode.Get().MatchString(of[0]) {
		globs = of
	}
	p = pathglob.Sample(globs[0])
	for _, t := range b.hit.Terms("deny") {
		if !typeName.Get().MatchString(t.Text) || ofOtherEndings(globs, all[i].Files) {
			continue
		}
		named := func(s string) string { return strings.ReplaceAll(s, "NAME", t.Text) }
		pattern := regexp.MustCompile(named(all[i].Pattern))
		r := ruletext.Rule{ID: t.Text, Trigger: "file_write", Scope: globs, When: putsIn(pattern.String()), Message: b.withUnless(b.instead(0)), Warns: true}
		r.Why = "It stops writes that " + verb + " " + t.Text + "."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: named(all[i].Bad)}), ruletext.AsPass(ruletext.Case{Write: p, Content: named(all[i].Good)}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: named(all[i].Bad)})}
		if !b.p.InMany(r.Scope, r.Exclude, func(source []byte) bool { return bytes.Contains(source, []byte(t.Text)) && pattern.Match(source) }) {
			list = append(list, r)
		}
	}
	return list
}

// assigns forbids to give names a value.
func (b *builder) assigns() (list []ruletext.Rule) {
	globs, p := b.codeFiles()
	for _, t := range b.hit.Terms("deny") {
		name := regexp.QuoteMeta(t.Text)
		if !assignable.Get().MatchString(t.Text) || b.permitted(t.Text) {
			continue
		}
		pattern := regexp.MustCompile(`(^|[^\w$.])` + name + `\s*([-+*/|&^%]|\|\||&&|\?\?)?=([^=>~]|$)`)
		r := ruletext.Rule{ID: t.Text, Trigger: "file_write", Scope: globs, When: putsIn(pattern.String()), Message: b.withUnless(b.instead(0))}
		r.Why = "It stops writes that assign a value to " + t.Text + "."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: t.Text + " = 1"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "x = " + t.Text}), ruletext.AsPass(ruletext.Case{Write: p, Content: "if (" + t.Text + " == 1)"}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: t.Text + " = 1"})}
		if !b.p.InMany(r.Scope, r.Exclude, pattern.Match) {
			list = append(list, r)
		}
	}
	return list
}

// assignable is a name that may have a value.
var assignable = lazy.Regexp{Source: `^\$?[A-Za-z_]\w*(?:\.\w+)*$`}

// typeSuffix is the end of names of types, with a star for what is in front of it or not.
var typeSuffix = lazy.Regexp{Source: `^\*?([A-Z][A-Za-z\d]{2,})$`}

// typeKeywords are what declares a type, by the word for it in a line.
var typeKeywords = map[string]string{"interface": "interface", "struct": "struct", "annotation": `(?:annotation\s+class|@interface)`}

// typeNames forbids types whose names end in some way.
func (b *builder) typeNames() []ruletext.Rule {
	var suffixes []string
	for _, t := range b.hit.Terms("deny") {
		m := typeSuffix.Get().FindStringSubmatch(t.Text)
		if m == nil {
			return nil
		}
		suffixes = append(suffixes, m[1])
	}
	of, _, more := strings.Cut(b.hit.Slots["kind"], " ")
	keyword, ok := typeKeywords[strings.TrimSuffix(of, "s")]
	if !ok {
		keyword = "(?:class|interface|struct|record|enum|object|trait|protocol)"
	}
	if more && !ok && !strings.EqualFold(of, suffixes[0]) && b.hit.Severity == "block" {
		b.hit.Severity = forms.Reminder // a name does not tell which types these are
	}
	ends := "(?:" + strings.Join(suffixes, "|") + ")"
	if len(suffixes) == 1 {
		ends = suffixes[0]
	}
	pattern := `(?m)^\s*(?:[@\w]+(?:\([^)\n]*\))?\s+)*` + keyword + `\s+\w+` + ends + `\b`
	globs, p := b.codeFiles()
	shown, _, _ := strings.Cut(strings.NewReplacer(`(?:annotation\s+class|@interface)`, "annotation class", "(?:", "").Replace(keyword), "|")
	r := ruletext.Rule{ID: strings.Join(suffixes, " "), Trigger: "file_write", Scope: globs, When: putsIn(pattern), Message: b.withUnless("Name the type without " + strings.Join(suffixes, ", ") + ".")}
	r.Why = "It stops writes that declare a type whose name ends in " + strings.Join(suffixes, ", ") + "."
	for _, s := range suffixes {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: p, Content: shown + " Store" + s + " {"}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: p, Content: shown + " Store {"}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: shown + " Store" + suffixes[0] + " {"}))
	if match := regexp.MustCompile(pattern); b.p.InMany(globs, nil, match.Match) {
		return nil
	}
	return []ruletext.Rule{r}
}
