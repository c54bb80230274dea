package copilot

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of backends.copilot.
type Settings struct {
	Model string `yaml:"model" json:"model" default:"gpt-5-mini" jsonschema:"Model of this backend."`
}

// SetDefaults sets each key to its default.
func (s *Settings) SetDefaults() { *s = Settings{} }

// About describes the judge with these settings.
func (s *Settings) About() judge.About {
	return judge.About{
		About: backend.About{
			Program: DefaultPath, Paid: judge.Always,
			Pinged: "is there; whether it is signed in shows only when it is asked; prompts go to its standard input and stand in no process list",
		},
		Model: s.Model, DefaultModel: DefaultModel, OwnModels: true, Provider: "github.copilot",
		Needs: "Copilot, signed in", DataTo: "GitHub", Costs: "your plan",
	}
}

// Identity holds what changes answers.
func (s *Settings) Identity(model string) string {
	return judge.Identity(Name, "model", model)
}

// Build makes the backend, if the user trusts the configuration that names it: each
// call sends what is judged to the vendor, and costs a part of the user's plan.
func (s *Settings) Build(site *judge.Site) (sentinel.Backend, error) {
	if err := site.OwnPlan(Name); err != nil {
		return nil, err
	}
	return New(&Options{Model: site.Model, StateDir: site.StateDir}), nil
}
