package setup

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// A Narrow hook is registered, and not for every tool or event that a rule is about: the
// agent does not show those calls.
type Narrow struct {
	Agent string   // its name
	File  string   // of settings, as a user in the folder writes it
	Tools []string // or events, for which the hook is not started
	Rule  string   // the id of a rule that waits for such calls
	User  bool     // the file is in the user's own folders

	program string // what this program is called; "" is sentinel
}

// String is a sentence with the command that puts it right.
func (n Narrow) String() string {
	return fmt.Sprintf("the hook in %s is not started for %s, so the rule %s is not asked there; run `%s`",
		text.OneLine(n.File), text.OneLine(strings.Join(n.Tools, ", ")), text.OneLine(n.Rule), Rehook(n.program, n.Agent, n.User))
}

// Rehook is the command of a program that registers an agent's hook again and changes
// nothing else.
func Rehook(program, agent string, user bool) string {
	command := install.ProgramName(program) + " init --hooks --agent " + agent
	if user {
		command += " --user"
	}
	return command
}

// Narrows are the registered hooks that miss calls which rules of p are about, of the
// agents with these names, or of all without one. dir is where the user works. A
// file that cannot be read is left out: `sentinel doctor` reports it.
func Narrows(p *project.Project, opts *project.Options, dir string, names ...string) []Narrow {
	needs := p.Inspect().HookNeeds()
	return narrows(p, opts, dir, names, &needs)
}

// NarrowsOf are those that miss calls which one rule of p is about.
func NarrowsOf(p *project.Project, opts *project.Options, dir, rule string) []Narrow {
	needs := p.Inspect().HookNeeds(rule)
	return narrows(p, opts, dir, nil, &needs)
}

func narrows(p *project.Project, opts *project.Options, dir string, names []string, needs *project.Needs) (found []Narrow) {
	if needs.Any() == "" {
		return nil
	}
	seen := map[string]bool{} // two agents may share a file
	for _, a := range opts.Agents.All() {
		if len(names) > 0 && !slices.Contains(names, a.Name) {
			continue
		}
		user := looked(p, opts, dir, a, install.User, seen)
		repository := looked(p, opts, dir, a, install.Repository, seen)
		for i, n := range []Narrow{missed(repository, user, needs), missed(user, nil, needs)} {
			if n.User = i > 0; n.Rule != "" {
				n.Agent, n.File, n.program = a.Name, place.From(dir, n.File), opts.Program
				found = append(found, n)
			}
		}
	}
	return found
}

// looked are the settings of an agent in a scope that start the hook, and those that could
// where each file is for one event.
func looked(p *project.Project, opts *project.Options, dir string, a *agent.Agent, s install.Scope, seen map[string]bool) (all []install.Registration) {
	c := Config(p, s)
	h, _ := Hook(p, &c)
	hooked := false
	for t, err := range targets(opts, dir, s, []*agent.Agent{a}) {
		if err != nil || seen[t.File] {
			continue
		}
		seen[t.File] = true
		if r, err := install.Look(t, h); err == nil && (len(r.Entries) > 0 || a.Settings.PerEvent) {
			all, hooked = append(all, r), hooked || len(r.Entries) > 0
		}
	}
	if !hooked {
		return nil
	}
	return all
}

// missed is what settings do not show, and others, which hold everywhere, do not either.
func missed(settings, others []install.Registration, needs *project.Needs) (n Narrow) {

	others = slices.DeleteFunc(slices.Clone(others), func(o install.Registration) bool { return o.Settings.FormOf(o.File).Alone })
	note := func(r *install.Registration, what, rule string) {
		if rule != "" {
			n.Rule, n.File = cmp.Or(n.Rule, rule), r.File
			n.Tools = slices.Compact(slices.Sorted(slices.Values(append(n.Tools, what))))
		}
	}
	for i := range settings {
		r := &settings[i]
		for _, tool := range r.Lacks {
			if !slices.ContainsFunc(others, func(o install.Registration) bool { return o.Covers(tool) }) {
				note(r, tool, needs.Rule(tool))
			}
		}
		for _, event := range unregistered(r) {
			switch elsewhere := slices.ContainsFunc(others, func(o install.Registration) bool { return o.Has(event) }); {
			case elsewhere:
			case r.Settings.IsBefore(event):
				note(r, event, needs.Any())
			case r.Settings.IsStop(event):
				note(r, event, needs.Stop)
			}
		}
	}
	return n
}

// unregistered are the events that a file of settings could start the hook for.
func unregistered(r *install.Registration) []string {
	if r.Settings.PerEvent && len(r.Entries) == 0 {
		return []string{strings.TrimSuffix(filepath.Base(r.File), ".ps1")}
	}
	return r.Missing
}

// NoteNarrows says, after a change of the rules, what the hooks miss now.
func NoteNarrows(opts *project.Options, dir string, say func(format string, args ...any)) {
	if len(Hooked(opts, dir)) == 0 {
		say("note: %s", Unhooked(opts.Program))
	}
	for _, n := range Narrows(project.Open([]string{dir}, opts), opts, dir) {
		say("note: %s", n)
	}
}

// Unhooked says that nothing starts the hook where the user works.
func Unhooked(program string) string {
	return fmt.Sprintf("no agent's settings here start the hook, so no rule is asked; run `%s init`", install.ProgramName(program))
}

// Hooked are the settings and plugins that start the hook where the user works. Those of an
// agent whose hooks are switched off are left out.
func Hooked(opts *project.Options, dir string) (where []string) {
	at := agent.Place{Root: place.Root(dir), Home: opts.Home, Getenv: opts.Getenv, Program: opts.Program}
	for _, a := range opts.Agents.All() {
		if !a.Settings.Known() {
			continue
		}
		where = append(where, hookedBy(a, at, dir)...)
	}
	return slices.Compact(slices.Sorted(slices.Values(where)))
}

func hookedBy(a *agent.Agent, at agent.Place, dir string) (where []string) {
	for _, s := range []install.Scope{install.Repository, install.User} {
		if s == install.User && at.Home == "" {
			continue
		}
		files, _ := a.Targets(at, s)
		more, _ := at.AlsoRead(a.Name, &a.Settings, s)
		for _, t := range append(files, more...) {
			r, err := install.Look(t, install.Hook{})
			if err != nil {
				continue
			}
			if len(r.Off) > 0 {
				return nil
			}
			if len(r.Entries) > 0 || len(r.Others) > 0 {
				where = append(where, place.From(dir, t.File))
			}
		}
	}
	if at.Home != "" && a.Plugin.Find != nil {
		if plugin := a.Plugin.Find(at); plugin != "" {
			where = append(where, plugin)
		}
	}
	return where
}
