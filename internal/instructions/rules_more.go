package instructions

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// adds warns of other package managers where a line says with which one packages are added.
func (b *builder) adds() []ruletext.Rule {
	act, use := b.act(), b.hit.Terms("use")
	if !b.has("act") {
		act = forms.ActOf(sentence.Term{Kind: 'a', Text: "dependencies"})
	}
	if act.Name != "dependencies" || len(use) == 0 {
		return nil
	}
	wanted := withoutArguments(sentence.Cleaned(use[0]))
	if managed.Get().MatchString(sentence.Cleaned(use[0])) || scaffold.Get().MatchString(wanted) || ownPackage.Get().MatchString(b.quote) {
		return nil // it installs what is named already
	}
	i := slices.IndexFunc(forms.All().Rivals, func(group []string) bool { return slices.Contains(group, sentence.Program(wanted)) })
	if i < 0 || !strings.Contains(wanted, " ") || survey.Operator.Get().MatchString(wanted) {
		return nil
	}
	var scope, bad []string
	for _, c := range act.Commands {
		if of := sentence.Program(c); of == sentence.Program(wanted) || !slices.Contains(forms.All().Rivals[i], of) || b.namesCommand(of) {
			continue
		}
		scope, bad = append(scope, c), append(bad, strings.TrimRight(c, " ?*")+" left-pad")
	}
	if len(bad) == 0 {
		return nil
	}
	list := b.direct(wanted, scope, wanted, bad...)
	list[0].When += ` and not hasFlag(cmd, "-g", "--global")`
	return list
}

// mergeAct wants one way to merge pull requests, which is named by its act.
func (b *builder) mergeAct() []ruletext.Rule {
	method, ok := strings.CutSuffix(b.act().Name, "-merge")
	if !ok {
		return nil
	}
	b.hit.Slots["method"] = method
	return b.merges()
}

// merged forbids merges of a branch.
func (b *builder) merged() []ruletext.Rule {
	name := b.namedBranch()
	if !branchForm.Get().MatchString(name) {
		return nil
	}
	r := ruletext.Rule{ID: name, Trigger: "bash", Scope: []string{"git merge " + name, "git merge * " + name, "git merge origin/" + name, "git merge upstream/" + name}, Message: "Rebase the branch instead."}
	r.Why = "It stops merges of " + name + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git merge " + name}), ruletext.AsStop(ruletext.Case{Bash: "git merge origin/" + name}), ruletext.AsPass(ruletext.Case{Bash: "git rebase " + name}), ruletext.AsPass(ruletext.Case{Bash: "git merge my-feature"})}
	return []ruletext.Rule{r}
}

// alternatives warns of what is used in the place of a program that a line chooses.
func (b *builder) alternatives() []ruletext.Rule {
	use := b.hit.Terms("use")
	if len(use) != 1 {
		return nil
	}
	wanted := sentence.Cleaned(use[0])
	others := slices.DeleteFunc(slices.Clone(forms.All().Alternatives[sentence.Program(wanted)]), b.namesCommand)
	if len(others) == 0 || survey.Operator.Get().MatchString(wanted) {
		return nil
	}
	return b.direct(wanted, allExact(others), wanted, others...)
}

// alsoFile wants a file to change with others; what goes into a folder is something else.
func (b *builder) alsoFile() []ruletext.Rule {
	if slices.ContainsFunc(b.hit.Terms("with"), func(t sentence.Term) bool { return strings.HasSuffix(t.Text, "/") || !survey.Certain(t.Text) }) {
		return nil
	}
	return b.also()
}

// newAlso wants files to change when others are new.
func (b *builder) newAlso() (list []ruletext.Rule) {
	changed, _ := b.paths("changed")
	if b.partNamed() != "" {
		return nil
	}
	if len(changed) == 2 && changed[1] == changed[0]+"/**" {
		changed = changed[1:] // what is new is in the folder
	}
	if len(changed) != 1 || strings.HasSuffix(changed[0], "/*") || strings.HasSuffix(changed[0], "/*/**") || strings.Contains(changed[0], "/") && !strings.Contains(changed[0], "*") {
		return nil // one file is new only once
	}
	for _, with := range b.choices("with") {
		if !slices.Contains(with.globs, changed[0]) && !(strings.HasSuffix(changed[0], "/**") && ofFolder.Get().MatchString(with.names[0])) {
			list = append(list, newNeeds(changed, with.globs, with.String()))
			if besideEach.Get().MatchString(b.hit.Phrase.Words) {
				list[len(list)-1].Message = "Something new needs " + with.String() + " beside it. {{missing}}"
			}
		}
	}
	return list
}

// besideEach finds words that ask for a file next to each new one.
var besideEach = lazy.Regexp{Source: `\b(?:sibling|neighbou?ring|adjacent|next to it|beside it|alongside it|in the same (?:folder|directory)|symlinks?)\b`}

// newNeeds is a rule that wants one of some files to change when another is new.
func newNeeds(changed, with []string, name string) ruletext.Rule {
	r := together(changed, with, name)
	r.Also.New, r.Also.Except, r.Message = true, besideNew(changed), "Something new needs its place in "+name+" too. {{missing}}"
	r.Why = fmt.Sprintf("It wants %s to change with a new file at %s.", name, strings.Join(changed, ", "))
	from := pathglob.Sample(changed[0])
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: from, Old: "a", Content: "b"}), ruletext.AsPass(ruletext.Case{Bash: "git commit -m x", Before: []ruletext.Step{{Edit: from}}}))
	return r
}

// besideNew are files that come with what is new in a folder, and are nothing new themselves: what tells of
// the folder, and what makes a package of it.
func besideNew(changed []string) (list []string) {
	for _, g := range []string{"**/{README,CHANGELOG,CONTRIBUTING,CLAUDE,AGENTS}.md", "**/__init__.py", "**/.gitkeep"} {
		own := func(c string) bool { return path.Ext(c) == path.Ext(g) }
		if !slices.ContainsFunc(changed, own) {
			list = append(list, g)
		}
	}
	return list
}
