package command

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of backends.command.
type Settings struct {
	Argv  []string `yaml:"argv" json:"argv" jsonschema:"Program and arguments; no shell sees them."`
	Model string   `yaml:"model" json:"model" jsonschema:"Name that the program is told as its model."`
}

// SetDefaults sets each key to its default.
func (s *Settings) SetDefaults() { *s = Settings{} }

// About describes the judge with these settings.
func (s *Settings) About() judge.About {
	about := judge.About{
		About: backend.About{Argv: s.Argv, Pinged: "is there; it was not run"}, Model: s.Model,
		Needs: "the program", DataTo: "wherever it sends it", Costs: "–",
	}
	if len(s.Argv) == 0 {
		about.Lacks = "has no program: write `backends: {command: {argv: [\"/path/to/judge\"]}}`"
	}
	return about
}

// Identity is empty: the program sees the action too, and may look at anything.
func (s *Settings) Identity(string) string { return "" }

// Build makes the backend. A program that a cloned repository brings along never
// runs before the repository is trusted.
func (s *Settings) Build(site *judge.Site) (sentinel.Backend, error) {
	if err := site.MayRun(); err != nil {
		return nil, err
	}
	return New(&Options{Argv: s.Argv, Model: s.Model, Dir: site.Dir, StateDir: site.StateDir}), nil
}
