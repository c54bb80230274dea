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
	APIKeyEnv  string `yaml:"api_key_env" json:"api_key_env" form:"variable" jsonschema:"Name of the environment variable that holds the key. Empty sends none."`
	Model      string `yaml:"model" json:"model" jsonschema:"Model of this backend; the service has no default."`
	NumPredict int    `yaml:"num_predict" json:"num_predict" min:"1" max:"1000000" jsonschema:"Tokens that a model may think, asked to or unasked, beyond those of its answer."`
	CAFile     string `yaml:"ca_file" json:"ca_file" jsonschema:"PEM file of the one authority whose certificate the server may have, in the place of the system's. Relative to the project's folder; ~/ is the home folder."`
	CertFile   string `yaml:"client_cert_file" json:"client_cert_file" jsonschema:"PEM file of the certificate that Sentinel shows the server."`
	KeyFile    string `yaml:"client_key_file" json:"client_key_file" jsonschema:"PEM file of its key. Empty looks for it in client_cert_file."`
	Profile    string `yaml:"profile" json:"profile" jsonschema:"How the model is asked: the name of a profile. Empty chooses by the model's name, and by what the server says of it."`
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
