package claude

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of backends.claude.
type Settings struct {
	Model string `yaml:"model" json:"model" default:"haiku" jsonschema:"Model of this backend."`
}

// SetDefaults sets each key to its default.
func (s *Settings) SetDefaults() { *s = Settings{} }

// About describes the judge with these settings.
func (s *Settings) About() judge.About {
	return judge.About{
		Model: s.Model, DefaultModel: DefaultModel, OwnModels: true, Program: DefaultPath, Provider: "anthropic",
		Pinged: "is there and signed in, told in %v",
	}
}

// Identity holds what changes answers.
func (s *Settings) Identity(model string) string {
	return judge.Identity(Name, "model", model)
}

// Build makes the backend.
func (s *Settings) Build(site *judge.Site) (sentinel.Backend, error) {
	return New(&Options{Model: site.Model, StateDir: site.StateDir}), nil
}
