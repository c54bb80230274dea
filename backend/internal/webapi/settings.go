package webapi

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of a backend that is a web service.
type Settings struct {
	BaseURL    string `yaml:"base_url" json:"base_url" form:"url" jsonschema:"Where the service answers."`
	APIKeyEnv  string `yaml:"api_key_env" json:"api_key_env" form:"variable" jsonschema:"Name of the environment variable that holds the key. Empty sends none."`
	Model      string `yaml:"model" json:"model" jsonschema:"Model of this backend; the service has no default."`
	NumPredict int    `yaml:"num_predict" json:"num_predict" min:"1" max:"1000000" jsonschema:"Tokens that a model may think, asked to or unasked, beyond those of its answer."`
}

// About describes a service with these settings.
func (s Settings) About(provider string) judge.About {
	about := judge.About{Model: s.Model, NeedsModel: true, Provider: provider, Server: s.BaseURL, KeyEnv: s.APIKeyEnv}
	if server, err := url.Parse(s.BaseURL); err != nil || !judge.Loopback(server.Hostname()) {
		about.Paid = judge.Always
	}
	return about
}

// Identity holds what changes answers. The key is part of it, because a gateway may
// choose by it.
func (s Settings) Identity(name, model string) string {
	return judge.Identity(name, "base_url", s.BaseURL, "api_key_env", s.APIKeyEnv, "model", model, "num_predict", s.NumPredict)
}

// Access is where prompts go and with which key.
type Access struct {
	Base    string // URL
	Key     string // "" sends none
	KeyName string // the key's variable, for messages
}

// Access returns how the service is asked; usual has the defaults. Without trust a server
// of this machine gets no key, whatever its variable is called: any program may listen
// there. A repository that names another variable than the usual one is refused with an
// error that says so; without it the server's refusal would look like the cause.
func (s Settings) Access(site *judge.Site, usual Settings) (a Access, err error) {
	a.Base, a.KeyName = cmp.Or(s.BaseURL, usual.BaseURL), cmp.Or(s.APIKeyEnv, usual.APIKeyEnv)
	if _, err := site.Server("base_url", a.Base); err != nil {
		return Access{}, err
	}
	a.Key = site.Getenv(a.KeyName)
	if site.Trusted() {
		return a, nil
	}
	if a.KeyName != usual.APIKeyEnv {
		return Access{}, judge.NotTrusted(fmt.Sprintf("`api_key_env` names %s", a.KeyName))
	}
	if a.Key != "" {
		a.Key, a.KeyName = "", a.KeyName+", which is not sent before `sentinel trust`"
	}
	return a, nil
}
