package openai

import (
	"net/http"
	"strconv"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of backends.openai.
type Settings struct {
	BaseURL    string `yaml:"base_url" json:"base_url" form:"url" jsonschema:"Where the service answers."`
	APIKeyEnv  string `yaml:"api_key_env" json:"api_key_env" form:"variable" jsonschema:"Environment variable that holds the key. Empty sends none."`
	Model      string `yaml:"model" json:"model" jsonschema:"Model; it has no default."`
	NumPredict int    `yaml:"num_predict" json:"num_predict" min:"1" max:"1000000" jsonschema:"Tokens for a model's thoughts."`
	CAFile     string `yaml:"ca_file" json:"ca_file" same:"who may answer, not what" jsonschema:"PEM file of the only authority that may sign the server's certificate. Relative to the project, or ~/…"`
	CertFile   string `yaml:"client_cert_file" json:"client_cert_file" same:"who may answer, not what" jsonschema:"PEM file of Sentinel's own certificate."`
	KeyFile    string `yaml:"client_key_file" json:"client_key_file" same:"who may answer, not what" jsonschema:"PEM file of its key, unless client_cert_file has it."`
	Profile    string `yaml:"profile" json:"profile" jsonschema:"Name of a profile. Empty chooses by the model."`
}

func (s *Settings) service() webapi.Settings {
	return webapi.Settings{
		BaseURL: s.BaseURL, APIKeyEnv: s.APIKeyEnv, Model: s.Model, NumPredict: s.NumPredict,
		CAFile: s.CAFile, CertFile: s.CertFile, KeyFile: s.KeyFile,
	}
}

// SetDefaults sets each key to its default.
func (s *Settings) SetDefaults() {
	*s = Settings{BaseURL: DefaultBaseURL, APIKeyEnv: DefaultKeyName, NumPredict: DefaultThinking}
}

// About describes the judge with these settings.
func (s *Settings) About() judge.About {
	about := s.service().About(Name)
	about.Profiled, about.Profile = true, s.Profile
	about.Needs, about.DataTo, about.Costs = "a URL, a model, perhaps a key", "that server", "what it charges"
	return about
}

// Identity holds what changes answers.
func (s *Settings) Identity(model string) string {
	return s.service().Identity(Name, model) + " profile=" + strconv.Quote(s.Profile)
}

// Build makes the backend, if prompts may go to its server.
func (s *Settings) Build(site *judge.Site) (sentinel.Backend, error) {
	access, err := s.service().Access(site, webapi.Settings{BaseURL: DefaultBaseURL, APIKeyEnv: DefaultKeyName})
	if err != nil {
		return nil, err
	}
	return New(&Options{
		BaseURL: access.Base, Key: access.Key, KeyName: access.KeyName, TLS: access.TLS,
		Model: site.Model, Thinking: s.NumPredict, Proxy: http.ProxyFromEnvironment, Memory: site.Memory, Count: site.Count,
	}), nil
}
