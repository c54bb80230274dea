package instructions

import (
	"regexp"
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// fullModule is the full name of a module of Ansible.
var fullModule = lazy.Regexp{Source: `^[a-z_]\w*\.[a-z_]\w*\.([a-z_]\w*)$`}

// tasks are the files that name modules of Ansible.
var tasks = []string{"**/{tasks,handlers,roles,playbooks,plays}/**/*.{yml,yaml}", "**/*playbook*.{yml,yaml}", "**/site.{yml,yaml}"}

// shortModules are rules against the short names of modules where a line wants the full ones. Such a name
// is not a command.
func (b *builder) shortModules() (list []ruletext.Rule) {
	deny, use := b.hit.Terms("deny"), b.hit.Terms("use")
	if len(deny) == 0 || len(use) == 0 {
		return nil
	}
	for i, d := range deny {
		u := use[min(i, len(use)-1)]
		m := fullModule.Get().FindStringSubmatch(u.Text)
		if m == nil || m[1] != d.Text {
			return nil
		}
		r := ruletext.Rule{ID: d.Text, Trigger: "file_write", Scope: tasks, When: putsIn(`(?m)^\s*(?:-\s+)?` + regexp.QuoteMeta(d.Text) + `\s*:`), Message: "Use " + u.Text + " instead."}
		r.Why = "It stops tasks with the short name " + d.Text + "."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "roles/a/tasks/main.yml", Content: "- name: x\n  " + d.Text + ":\n    a: b\n"}), ruletext.AsPass(ruletext.Case{Write: "roles/a/tasks/main.yml", Content: "- name: x\n  " + u.Text + ":\n    a: b\n"}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: d.Text + ": 1"})}
		list = append(list, r)
	}
	return list
}

// ofModules reports whether what a line forbids is the short name of a module whose full one it names.
func (b *builder) ofModules() bool {
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool {
		m := fullModule.Get().FindStringSubmatch(t.Text)
		return m != nil && slices.ContainsFunc(b.denied(), func(d sentence.Term) bool { return d.Text == m[1] })
	})
}

// noCommands are the rules of a line about something that only looks like a command. It is ok for such a line.
func (b *builder) noCommands() (list []ruletext.Rule, ok bool) {
	if b.ofModules() {
		return b.shortModules(), true
	}
	list = b.toBranch()
	return list, len(list) > 0 || importFrom.Get().MatchString(b.hit.Phrase.Words)
}
