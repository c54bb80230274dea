package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/setup"
)

// startedHere says whether the agent loads the hook when it is started in the folder that
// is looked at. plugin is what shows that it has Sentinel's plugin, "" for nothing.
func (a *patient) startedHere(plugin string) {
	if slices.ContainsFunc(a.files, func(r registration) bool { return len(r.Off) > 0 }) {
		return // nowhere, which has been said
	}
	user := a.has(install.User) || plugin != "" && !safefile.Within(plugin, a.Root)
	repository, below := a.has(install.Repository), a.Dir != a.Root
	do := setup.Rehook(a.Project.Program, a.name, true)
	switch reach := a.agent.Settings.Reach; {
	case !below && reach == install.ReachRoot && repository && !user:
		a.add(info(a.name, "only a "+a.agent.DisplayName()+" that is started in "+a.Root+" itself loads this hook: in a folder below, and in your other repositories, it is unguarded", do))
	case !below:
	case user:
		a.add(ok(a.name, "started in "+a.display(a.Dir)+", it runs the hook of your own settings"))
	case a.hookedIn(a.Dir):
		a.add(ok(a.name, "started in "+a.display(a.Dir)+", it runs the hook of that folder"))
	case !repository, reach == install.ReachBelow:
	case reach == install.ReachUnknown:
		a.add(info(a.name, "whether it loads the repository's hook when it is started in "+a.display(a.Dir)+" is not known", "to be certain: "+do))
	default:
		what := fmt.Sprintf("started in %s, %s loads no hook, and nothing that it does is checked: the repository's settings count only where it is started in %s",
			a.display(a.Dir), a.agent.DisplayName(), a.Root)
		if a.here.where == "" {
			a.add(warn(a.name, what, do))
			return
		}
		a.add(fail(a.name, what, do))
	}
}

// hookedIn reports whether the agent's settings in a folder start the hook.
func (a *patient) hookedIn(dir string) bool {
	targets, err := a.agent.Targets(agent.Place{Root: dir, Home: a.Home, Getenv: a.getenv, GOOS: a.GOOS, Program: a.Project.Program}, install.Repository)
	return err == nil && slices.ContainsFunc(targets, func(t install.Target) bool {
		r, err := install.Look(t, install.Hook{})
		return err == nil && len(r.Entries) > 0
	})
}

// several tells of registered commands that start different programs.
func (a *patient) several() {
	var paths, where []string
	for _, r := range a.files {
		for _, e := range r.Entries {
			c, plain := e.Call()
			path, _ := a.locate(c)
			if !plain || path == "" || slices.Contains(paths, resolved(path)) {
				continue
			}
			paths, where = append(paths, resolved(path)), append(where, a.display(path)+" in "+a.display(r.File))
		}
	}
	if len(paths) > 1 {
		a.add(warn(a.name, "the hook starts different programs: "+strings.Join(where, ", ")+"; if their versions differ, a call may be judged twice",
			"keep one: "+a.command(install.Repository)+" writes the entries of the repository anew"))
	}
}

// wrapped tells of a program of the agent that is a shell script and starts it with other
// settings or without hooks.
func (a *patient) wrapped() {
	text, err := safefile.Read(a.here.where, maxRead)
	if err != nil || !strings.HasPrefix(string(text), "#!") {
		return
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	if !strings.HasSuffix(strings.TrimSpace(first), "sh") { // many agents are scripts of Node or Python themselves
		return
	}
	words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|\"'()", r) })
	for _, word := range words {
		name, _, assigns := strings.Cut(word, "=")
		odd := assigns && slices.Contains(a.agent.Starts.Variables, name) || slices.ContainsFunc(a.agent.Starts.Options, func(option string) bool {
			begins, open := strings.CutSuffix(option, "*")
			return strings.HasPrefix(option, "-") && (word == option || open && strings.HasPrefix(word, begins))
		})
		if odd {
			a.add(warn(a.name, a.display(a.here.where)+" is a script that names "+word+": it may start the agent with other settings, or without hooks",
				"look what it does; doctor looks at the settings that the agent has without it"))
			return
		}
	}
}
