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
