package anthropic

import (
	"net/http"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of backends.anthropic.
type Settings webapi.Settings

// SetDefaults sets each key to its default.
func (s *Settings) SetDefaults() {
	*s = Settings{BaseURL: DefaultBaseURL, APIKeyEnv: DefaultKeyName, NumPredict: DefaultThinking}
}

// About describes the judge with these settings.
func (s *Settings) About() judge.About {
	about := webapi.Settings(*s).About(Name)
	about.OwnModels = true
	about.Needs, about.DataTo, about.Costs = "a key and a model", "Anthropic, or your gateway", "per token"
	return about
}

// Identity holds what changes answers.
func (s *Settings) Identity(model string) string { return webapi.Settings(*s).Identity(Name, model) }

// Build makes the backend, if prompts may go to its server.
func (s *Settings) Build(site *judge.Site) (sentinel.Backend, error) {
	access, err := webapi.Settings(*s).Access(site, webapi.Settings{BaseURL: DefaultBaseURL, APIKeyEnv: DefaultKeyName})
	if err != nil {
		return nil, err
	}
	return New(&Options{
		BaseURL: access.Base, Key: access.Key, KeyName: access.KeyName, TLS: access.TLS,
		Model: site.Model, Thinking: s.NumPredict, Proxy: http.ProxyFromEnvironment, Memory: site.Memory,
	}), nil
}
