package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/setup"
)

// agents looks at every agent that is on this machine or has Sentinel's hook.
func (d *doctor) agents(ctx context.Context) []Finding {
	var checks []check
	for _, a := range d.Project.Agents.All() {
		if a.Settings.Known() {
			checks = append(checks, check{areaAgents, func(ctx context.Context) []Finding { return d.agent(ctx, a) }})
		}
	}
	found := gather(ctx, checks)
	switch {
	case len(found) > 0:
	case len(d.project.Folders) > 0:
		found = append(found, warn("none", "no agent's settings here start the hook, so no rule is asked", "sentinel init"))
	default:
		found = append(found, info("none", "no coding agent that Sentinel knows is on this machine, and none has its hook here",
			"sentinel init --agent NAME registers the hook all the same"))
	}
	return found
}

// agent looks at one agent.
func (d *doctor) agent(ctx context.Context, ag *agent.Agent) []Finding {
	a := &patient{doctor: d, agent: ag, name: ag.Name, here: d.machine(ctx, ag)}
	a.read(install.Repository)
	a.read(install.User)
	where, entry := d.plugin(&ag.Plugin)
	if !a.registered() && where == "" {
		if len(a.found) == 0 {
			a.found = a.unguarded()
		}
		return a.found
	}
	a.atHome()
	for _, r := range a.files {
		a.examine(ctx, r)
	}
	a.twice()
	a.several()
	if where != "" {
		a.examinePlugin(ctx, where, entry)
	}
	a.startedHere(where)
	a.steps()
	return a.found
}

// A patient is one agent that is examined.
type patient struct {
	*doctor
	agent *agent.Agent
	name  string
	here  presence
	files []registration
	stops string // the id of a rule that judges at the end of a turn
	found []Finding
}

// A registration is a settings file and for whom it holds.
type registration struct {
	install.Registration
	scope install.Scope
	want  install.Hook // what would be registered now
}

func (a *patient) add(f Finding) { a.found = append(a.found, f) }

// registered reports whether a file starts the hook.
func (a *patient) registered() bool {
	return slices.ContainsFunc(a.files, func(r registration) bool { return len(r.Entries) > 0 || len(r.Others) > 0 })
}

// command is the init that would put things right.
func (a *patient) command(s install.Scope) string {
	text := "sentinel init --agent " + a.name
	if s == install.User {
		text += " --user"
	}
	return text
}

// read looks into the settings files of a scope.
func (a *patient) read(s install.Scope) {
	if s == install.User && a.Home == "" {
		return
	}
	targets, err := a.agent.Targets(a.place, s)
	if err != nil {
		a.add(fail(a.name, message(err), "start sentinel doctor in a folder with a full path"))
		return
	}
	if more, err := a.place.AlsoRead(a.name, &a.agent.Settings, s); err == nil {
		targets = append(targets, more...)
	}
	needs := a.project.Inspect().HookNeeds()
	a.stops = needs.Stop
	want := a.wanted(s)
	var found []registration
	for _, t := range targets {
		want := want
		if s == install.User {
			want = setup.Widened(t, want)
		}
		r, err := install.Look(t, want)
		switch {
		case err != nil:
			text := strings.ReplaceAll(message(err), t.File, a.display(t.File))
			a.add(fail(a.name, text, "correct it: "+a.name+" may not read it either, and then runs no hook; afterwards "+a.command(s)))
		case r.Found || a.agent.Settings.PerEvent:
			found = append(found, registration{r, s, want})
		}
	}
	if a.agent.Settings.PerEvent {
		found = together(found)
	}
	a.files = append(a.files, found...)
}

// together makes one registration of files that hold one event each.
func together(files []registration) []registration {
	if len(files) == 0 {
		return nil
	}
	all := files[0]
	all.File, all.Found, all.Current = filepath.Dir(all.File), false, true
	all.Entries, all.Others, all.Missing = nil, nil, nil
	for _, r := range files {
		all.Entries, all.Others = append(all.Entries, r.Entries...), append(all.Others, r.Others...)
		all.Found, all.Changed = all.Found || r.Found, all.Changed || r.Changed
		all.Current = all.Current && (r.Current || !r.Found)
		if len(r.Entries) == 0 && len(r.Others) == 0 {
			all.Missing = append(all.Missing, strings.TrimSuffix(filepath.Base(r.File), ".ps1"))
		}
	}
	if !all.Found {
		return nil
	}
	return []registration{all}
}

// wanted is the hook that init would register.
func (d *doctor) wanted(s install.Scope) install.Hook {
	c := d.config(s)
	h, _ := setup.Hook(d.project, &c)
	h.GOOS = d.GOOS
	return h
}

// config is the configuration that init goes by.
func (d *doctor) config(s install.Scope) config.Config { return setup.Config(d.project, s) }

// unguarded reports an agent that is here and has no hook.
func (a *patient) unguarded() []Finding {
	if a.here.where == "" {
		return nil
	}
	what := a.display(a.here.where) + " is here, and has no hook of Sentinel's: nothing that it does is checked"
	if file := a.borrowed(); file != "" {
		return []Finding{info(a.name, a.display(a.here.where)+" has no hook of its own; it may run the one in "+a.display(file), "to be certain: "+a.command(install.Repository))}
	}
	if len(a.project.Folders) == 0 {
		return []Finding{info(a.name, what, a.command(install.Repository))}
	}
	return []Finding{warn(a.name, what, a.command(install.Repository))}
}

// borrowed is the settings file of another agent whose hook this one runs as well, or "".
func (a *patient) borrowed() string {
	lender := a.Project.Agents.Find(a.agent.Abilities.RunsHooksOf)
	if lender == nil {
		return ""
	}
	targets, err := lender.Targets(a.place, install.Repository)
	if err != nil || len(targets) == 0 || a.Dir != a.Root && a.agent.Settings.Reach != install.ReachBelow {
		return ""
	}
	if r, err := install.Look(targets[0], a.wanted(install.Repository)); err == nil && len(r.Entries) > 0 {
		return targets[0].File
	}
	return ""
}

// has reports whether the hook is registered in a scope.
func (a *patient) has(s install.Scope) bool {
	return slices.ContainsFunc(a.files, func(r registration) bool { return r.scope == s && len(r.Entries) > 0 })
}

// twice reports a hook that is registered for the repository and the person.
func (a *patient) twice() {
	if a.has(install.Repository) && a.has(install.User) {
		a.add(info(a.name, "the hook is registered twice, in the repository's settings and in yours: a call is judged once", ""))
	}
}

// steps are those that only a person can take.
func (a *patient) steps() {
	for _, s := range []install.Scope{install.Repository, install.User} {
		if !a.has(s) {
			continue
		}
		a.left(a.agent.Steps(a.place, s))
	}
}

// left shows what is left to the user, each step once.
func (a *patient) left(steps []install.Step) {
	for _, step := range steps {
		f := person(a.name, a.fromHome(step.What), a.fromHome(step.Do))
		if step.Done != "" {
			f = ok(a.name, "trusted: "+a.fromHome(step.Done))
		}
		if !slices.Contains(a.found, f) {
			a.add(f)
		}
	}
}

// atHome says whether the agent is on this machine, and what its version lacks.
func (a *patient) atHome() {
	if a.here.where == "" {
		a.add(info(a.name, "the agent itself was not found on this machine", ""))
		return
	}
	what := a.display(a.here.where)
	if a.here.version != "" {
		what += ", version " + a.here.version
	}
	a.add(ok(a.name, what))
	a.wrapped()
	strict := !a.config(install.Repository).FailOpen
	for _, m := range a.agent.Traces.Missing {
		if older(a.here.version, m.Before) && (strict || !m.Strict) {
			a.add(warn(a.name, a.agent.DisplayName()+" "+a.here.version+" "+m.What, m.Do))
		}
	}
}
