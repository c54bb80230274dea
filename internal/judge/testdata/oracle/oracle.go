// Package oracle is the judge that a test adds: its folder, but for its tests.
package oracle

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// Name is the name of the backend.
const Name = "oracle"

// Settings are the keys of backends.oracle.
type Settings struct {
	Word  string `yaml:"word" json:"word" jsonschema:"Word of each violation."`
	Model string `yaml:"model" json:"model" default:"delphi" jsonschema:"Model of this backend."`
}

// SetDefaults sets each key to its default.
func (s *Settings) SetDefaults() { *s = Settings{Word: "doom"} }

// About describes the judge with these settings.
func (s *Settings) About() judge.About {
	return judge.About{
		About: backend.About{SharesGPU: true, Pinged: "foresees in %v"},
		Model: s.Model, DefaultModel: "delphi",
		Needs: "an offering", DataTo: "Delphi", Costs: "a goat",
	}
}

// Identity holds what changes answers.
func (s *Settings) Identity(model string) string {
	return judge.Identity(Name, "word", s.Word, "model", model)
}

// Build makes the backend.
func (s *Settings) Build(site *judge.Site) (sentinel.Backend, error) {
	return oracle{s.Word, site.Model}, nil
}

type oracle struct{ word, model string }

// Complete looks for the word.
func (o oracle) Complete(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	text := fmt.Sprintf(`{"violation":%t,"confidence":1,"reason":"it speaks of %s"}`, strings.Contains(req.Action.Target, o.word), o.word)
	return sentinel.Response{Text: text, Backend: Name, Model: o.model}, nil
}

// Ping finds it at home.
func (oracle) Ping(context.Context, string) error { return nil }
