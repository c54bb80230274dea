package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/project"
)

// A Proposal is what init does by itself, for a user to change.
type Proposal struct {
	Fresh     bool   // the folder is not set up yet: agents, packs and files are to be chosen
	Agents    []Used // whose settings get the hook
	Elsewhere bool   // some of them lack the hook in the user's own settings
	Judge     string // who judges; "" where config.yaml says it
	Model     string // of Ollama, and where that is
	Answers   bool   // Ollama does, with that model
}

// A Used agent is one that init finds.
type Used struct{ Name, Display, Where string }

// Propose looks at the machine and the repository. It asks the network for nothing but a
// judge on this machine, for a second at most.
func Propose(ctx context.Context, o *Options) (Proposal, error) {
	s, err := newSetup(o)
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{}
	names := s.hooked(s.scope())
	for _, name := range names {
		a, err := s.Project.Agents.Named(name)
		if err != nil {
			return p, err
		}
		p.Agents = append(p.Agents, Used{name, a.DisplayName(), place.Shown(s.place().Root, s.Project.Home, s.where(a, s.scope()))})
	}
	p.Elsewhere = len(s.unregistered(install.User, s.hooked(install.User))) > 0
	held, _ := s.isSettled()
	if p.Fresh = !s.settled; held {
		return p, nil
	}
	c := config.Default()
	p.Model = c.Model(c.Backend) + " on " + c.OllamaURL()
	p.Answers = pings(ctx, &c) == nil
	s.chooseBackend(p.Answers)
	p.Judge = s.backend
	return p, nil
}

// isSettled finds out whether the folder was set up before, and whether it holds a
// configuration and rules.
func (s *setup) isSettled() (config, rules bool) {
	config, rules = s.holds()
	_, err := os.Lstat(filepath.Join(s.dir, installedName))
	s.settled = config && rules || err == nil
	return config, rules
}

// holds reports whether there is a configuration, and whether there is a rule.
func (s *setup) holds() (config, rules bool) {
	_, err := os.Lstat(project.ConfigFile(s.dir))
	files, fault := os.ReadDir(filepath.Join(s.dir, "rules"))
	return !errors.Is(err, fs.ErrNotExist), len(files) > 0 || fault != nil && !errors.Is(fault, fs.ErrNotExist)
}
