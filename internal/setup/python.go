package setup

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/install"
)

// replacePython takes the hooks of the Python Sentinel out of the agents' settings, if
// the user wants that.
func (s *setup) replacePython() error {
	changes, err := s.planEach(install.PlanPythonRemoval)
	if err != nil {
		return err
	}
	changes = slices.DeleteFunc(changes, func(c install.Change) bool { return !c.Changed() })
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
	done, err := s.apply(changes, "took the hooks of the Python Sentinel out of")
	s.changes += done
	return err
}
