package webapi

import (
	"cmp"
	"fmt"

	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of a backend that is a web service.
type Settings struct {
	BaseURL   string `yaml:"base_url" json:"base_url" form:"url" jsonschema:"Where the service answers."`
	APIKeyEnv string `yaml:"api_key_env" json:"api_key_env" form:"variable" jsonschema:"Name of the environment variable that holds the key. Empty sends none."`
	Model     string `yaml:"model" json:"model" jsonschema:"Model of this backend; the service has no default."`
}

// About describes a service with these settings.
func (s Settings) About(provider string) judge.About {
	return judge.About{Model: s.Model, NeedsModel: true, Provider: provider, Server: s.BaseURL, KeyEnv: s.APIKeyEnv}
}

// Identity holds what changes answers. The key is part of it, because a gateway may
// choose by it.
func (s Settings) Identity(name, model string) string {
	return judge.Identity(name, "base_url", s.BaseURL, "api_key_env", s.APIKeyEnv, "model", model)
}

// Service returns the URL that prompts may go to and the variable that holds the
// key; usual has the defaults. A cloned repository may name only the usual variable:
// the value of any other one would go to whatever server listens.
func (s Settings) Service(site *judge.Site, usual Settings) (base, keyName string, err error) {
	base, keyName = cmp.Or(s.BaseURL, usual.BaseURL), cmp.Or(s.APIKeyEnv, usual.APIKeyEnv)
	if _, err := site.Server("base_url", base); err != nil {
		return "", "", err
	}
	if keyName != usual.APIKeyEnv && !site.Trusted() {
		return "", "", judge.NotTrusted(fmt.Sprintf("`api_key_env` names %s", keyName))
	}
	return base, keyName, nil
}
