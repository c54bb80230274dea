package setup

import (
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/project"
)

// Hook is the hook that init registers where a configuration and rules apply. refused
// are names of tools that cannot be written into settings.
func Hook(p *project.Project, c *config.Config) (h install.Hook, refused []string) {
	needs := p.Inspect().HookNeeds()
	h = install.Hook{Timeout: time.Duration(c.HookTimeoutS) * time.Second, Strict: !c.FailOpen, Reads: needs.Reads}
	for _, list := range []struct {
		names   []string
		pattern func(string) (string, bool)
	}{{needs.Tools, install.ToolPattern}, {needs.Prefixes, install.PrefixPattern}} {
		for _, name := range list.names {
			if pattern, ok := list.pattern(name); ok {
				h.Tools = append(h.Tools, pattern)
			} else {
				refused = append(refused, name)
			}
		}
	}
	return h, refused
}

// needed is the hook that the rules in force need, and those that are written in dir where
// pinned ones are in force instead: a person accepts them next, and lint is about them.
func (s *setup) needed(dir string, c *config.Config) (h install.Hook, refused []string) {
	written := *s.Project
	written.Unpinned = true
	h, refused = Hook(project.Open([]string{dir}, s.Project), c)
	more, others := Hook(project.Open([]string{dir}, &written), c)
	h.Reads = h.Reads || more.Reads
	for _, tool := range more.Tools {
		if !slices.Contains(h.Tools, tool) {
			h.Tools = append(h.Tools, tool)
		}
	}
	return h, slices.Compact(slices.Sorted(slices.Values(append(refused, others...))))
}

// Widened is h for the settings in t, which start the hook for tools that only read as well
// if they do so now: the rules of another folder of the user's may need it.
func Widened(t install.Target, h install.Hook) install.Hook {
	wide := h
	wide.Reads = true
	if r, err := install.Look(t, wide); err == nil && len(r.Entries) > 0 && (len(r.Lacks) == 0 || r.Reads(h)) {
		return wide
	}
	return h
}

// targets yields the settings files in which agents keep their hooks, or an agent's error.
// Two agents may share a file. dir is where the user works.
func targets(opts *project.Options, dir string, s install.Scope, agents []*agent.Agent) iter.Seq2[install.Target, error] {
	at := agent.Place{Root: place.Root(dir), Home: opts.Home, Getenv: opts.Getenv, Program: opts.Program}
	return func(yield func(install.Target, error) bool) {
		for _, a := range agents {
			files, err := a.Targets(at, s)
			if err != nil && !yield(install.Target{}, err) {
				return
			}
			for _, t := range files {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// registered are the agents whose settings start the hook in the scope.
func (o *Options) registered() (names []string) {
	for t, err := range targets(o.Project, o.Dir, o.scope(), o.Project.Agents.All()) {
		if err != nil || slices.Contains(names, t.Agent) {
			continue
		}
		if r, err := install.Look(t, install.Hook{}); err == nil && len(r.Entries) > 0 {
			names = append(names, t.Agent)
		}
	}
	return names
}

// Config is the configuration that a scope's hook goes by.
func Config(p *project.Project, s install.Scope) config.Config {
	for _, f := range p.Folders {
		if f.User == (s == install.User) {
			return f.Config
		}
	}
	return config.Default()
}

// hookProgram is the path of this program, "" where the PATH finds it: the line
// is kept short, since the model reads it with every block.
func hookProgram(name string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if found, err := exec.LookPath(name); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(self)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return ""
		}
	}
	if base := strings.TrimSuffix(filepath.Base(self), ".exe"); base != name {
		return "" // a test or a program of another name: the PATH has to find it
	}
	return self
}
