package setup

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/install"
)

// replacePython takes the hooks of the Python Sentinel out of the settings of all agents, if
// the user wants that. Those agents get ours.
func (s *setup) replacePython() error {
	changes := s.planPython()
	if len(changes) == 0 {
		return nil
	}
	for _, c := range changes {
		s.Say("%s starts the Python Sentinel too: with both, each call is judged twice.", c.File)
	}
	switch {
	case s.ReplacePython:
	case s.DryRun || s.Ask == nil:
		s.Say("note: `sentinel init --replace-python` takes its hooks out.")
		return nil
	case !s.Ask("Take its hooks out?"):
		s.Say("Its hooks stay; `sentinel init --replace-python` takes them out.")
		return nil
	}
	for _, c := range changes {
		if !slices.Contains(s.Agents, c.Agent) {
			s.Agents = append(s.Agents, c.Agent)
		}
	}
	done, err := s.apply(changes, "took the hooks of the Python Sentinel out of", s.written)
	s.changes += len(done)
	s.touched = append(s.touched, done...)
	return err
}

// planPython plans for every agent, also for those that get no hook else. Settings that
// cannot be read are left to those who get one.
func (s *setup) planPython() (changes []install.Change) {
	one := *s.Options
	for _, name := range s.Project.Agents.Names() {
		one.Agents = []string{name}
		planned, err := one.planEach(install.PlanPythonRemoval)
		if err != nil {
			continue
		}
		for _, c := range planned {
			known := slices.ContainsFunc(changes, func(o install.Change) bool { return o.File == c.File })
			if c.Changed() && !known {
				changes = append(changes, c)
			}
		}
	}
	return changes
}
