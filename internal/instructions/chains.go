package instructions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// chains are the tool chains that a line is about: those that its words or its headings name,
// else those of the project, as far as its files tell.
func (b *builder) chains() (list []*forms.Chain) {
	all := forms.All().Chains
	of := func(in func(c *forms.Chain) bool) bool {
		for i := range all {
			if in(&all[i]) {
				list = append(list, &all[i])
			}
		}
		return len(list) > 0
	}
	texts := []string{b.quote, b.s.Text, survey.Plain(labelOnly(b.s.Lead))}
	for i := len(b.s.Section) - 1; i >= 0 && i >= len(b.s.Section)-2; i-- {
		texts = append(texts, b.s.Section[i])
	}
	for _, text := range append(texts, fileTopic(b.s.File)) {
		if of(func(c *forms.Chain) bool { return c.ByName.MatchString(text) }) {
			return list
		}
	}
	if b.p == nil || of(func(c *forms.Chain) bool { return b.p.Seen.Used[c.Name] }) {
		return list
	}
	of(func(c *forms.Chain) bool { return b.p.Seen.Named[c.Name] })
	return list
}

// addsDependencies are the commands of a list that add dependencies in the tool chains that a
// line is about: all, where one of these is an everyday one or none is known.
func (b *builder) addsDependencies(commands []string) []string {
	commands, chains := b.ofOneManager(commands), b.chains()
	said := slices.ContainsFunc(chains, func(c *forms.Chain) bool { return c.ByName.MatchString(b.quote) }) // then it is about these alone
	if len(chains) == 0 || !said && slices.ContainsFunc(chains, func(c *forms.Chain) bool { return c.Files == nil && c.Adds != nil }) {
		return commands
	}
	return slices.DeleteFunc(slices.Clone(commands), func(cmd string) bool {
		return !slices.ContainsFunc(chains, func(c *forms.Chain) bool { return slices.Contains(c.Adds, sentence.Program(cmd)) })
	})
}

// ofOwnKind is an addition of dependencies of one kind, which a manifest does not show.
var ofOwnKind = lazy.Regexp{Source: `(?i)\b(?:global|system|circular|internal|build-?time) (?:\w+ )?(?:dependenc|packages?\b)`}

// declared forbids new dependencies in the manifests of tool chains that have no command, or no
// usual one, to add them.
func (b *builder) declared() (list []ruletext.Rule) {
	if !slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { a := forms.ActOf(t); return a != nil && a.Name == "dependencies" }) {
		return nil
	}
	if ownPackage.Get().MatchString(b.quote) || addsTo.Get().MatchString(b.quote) || ofOwnKind.Get().MatchString(b.quote) {
		return nil
	}
	for _, c := range b.chains() {
		if c.Files == nil {
			continue
		}
		name := pathglob.Sample(c.Files[0])
		r := ruletext.Rule{ID: "dependencies in " + name, Trigger: "file_write", Scope: c.Files, Message: "Do without another dependency, or leave it to the user."}
		r.When = fmt.Sprintf("count(split(content, \"\\n\"), # matches `%s`) > count(split(old_content, \"\\n\"), # matches `%s`)", c.Adding, c.Adding)
		r.Why = "It stops new dependencies in " + strings.Join(c.Files, ", ") + "."
		r.Tests = []ruletext.Case{
			ruletext.AsStop(ruletext.Case{Write: name, Old: "x", Content: "x\n" + c.Bad}), ruletext.AsStop(ruletext.Case{Write: name, Content: c.Bad}),
			ruletext.AsPass(ruletext.Case{Write: name, Old: c.Bad, Content: c.Bad + " "}), ruletext.AsPass(ruletext.Case{Write: name, Old: "x", Content: "y"}), ruletext.AsPass(ruletext.Case{Write: "other.bin", Content: c.Bad}),
		}
		list = append(list, r)
	}
	return list
}

// inOtherChain reports whether a project's files tell of another tool chain than that of a
// command which does a job: the project's own command for the job may run either. Many projects
// have npm for their pages alone.
func (b *builder) inOtherChain(cmd string) bool {
	of, chains := sentence.Program(cmd), b.chains()
	if of == "npm" && slices.ContainsFunc(forms.All().Chains, func(c forms.Chain) bool { return c.Name != "npm" && (b.p.Seen.Used[c.Name] || b.p.Seen.Named[c.Name]) }) {
		return true
	}
	return len(chains) > 0 && !slices.ContainsFunc(chains, func(c *forms.Chain) bool { return slices.Contains(c.Programs, of) })
}

// ofOneChain reports whether commands that do a job do it for all that a line is about: not
// where each is of another tool chain, nor where the project has more chains than they are of.
func (b *builder) ofOneChain(commands []string) bool {
	found := map[string]bool{}
	for _, cmd := range commands {
		for _, c := range forms.All().Chains {
			if slices.Contains(c.Programs, sentence.Program(cmd)) {
				found[c.Name] = true
			}
		}
	}
	return len(found) == 0 || len(found) == 1 && !slices.ContainsFunc(b.chains(), func(c *forms.Chain) bool { return !found[c.Name] })
}
