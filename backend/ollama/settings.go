package ollama

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// Settings are the keys of backends.ollama.
type Settings struct {
	URL            string `yaml:"url" json:"url" form:"url" default:"http://localhost:11434" jsonschema:"Where Ollama listens."`
	Model          string `yaml:"model" json:"model" default:"(model)" jsonschema:"Model of this backend."`
	KeepAlive      string `yaml:"keep_alive" json:"keep_alive" same:"how long a model stays loaded" form:"keep_alive" jsonschema:"How long the model stays loaded: 10m, 1h; 0 unloads it, -1 keeps it."`
	NumCtx         int    `yaml:"num_ctx" json:"num_ctx" min:"256" max:"16777216" jsonschema:"Tokens of the model's context."`
	NumPredict     int    `yaml:"num_predict" json:"num_predict" min:"1" max:"1000000" jsonschema:"Tokens for a model's thoughts with think: true."`
	SchemaBranches int    `yaml:"schema_branches" json:"schema_branches" min:"1" max:"2" jsonschema:"2 lets a clean answer leave out its reason. 1 is for servers that refuse such a schema."`
	Profile        string `yaml:"profile" json:"profile" jsonschema:"Name of a profile. Empty chooses by the model."`
	Confidence     string `yaml:"confidence" json:"confidence" same:"part of each request, and so of the key by itself" enum:"stated,logprob" jsonschema:"Which confidence counts: stated by the model, or logprob, its probability of the answer."`
}

// SetDefaults sets each key to its default. URL and Model stay empty, because keys
// outside of these settings come before their defaults.
func (s *Settings) SetDefaults() {
	*s = Settings{KeepAlive: "10m", NumCtx: DefaultNumCtx, NumPredict: DefaultThinking, SchemaBranches: 2, Confidence: "stated"}
}

// About describes the judge with these settings.
func (s *Settings) About() judge.About {
	return judge.About{
		About: backend.About{Server: s.server(), Paid: isCloud, SharesGPU: true},
		Model: s.Model, DefaultModel: DefaultModel, Profiled: true, Profile: s.Profile, Logprobs: s.Confidence == "logprob",
		Needs: "[Ollama](https://ollama.com) and a model", DataTo: "that server", Costs: "your machine's time",
	}
}

// Identity holds what changes answers: not keep_alive, and not confidence, which is
// part of each request.
func (s *Settings) Identity(model string) string {
	return judge.Identity(Name, "url", s.server(), "model", model,
		"num_ctx", s.NumCtx, "num_predict", s.NumPredict, "schema_branches", s.SchemaBranches, "profile", s.Profile)
}

func (s *Settings) server() string { return cmp.Or(s.URL, DefaultURL) }

// Build makes the backend. A configuration that is not trusted may name neither a
// server on another machine nor a model that the server passes on to one.
func (s *Settings) Build(site *judge.Site) (sentinel.Backend, error) {
	if isCloud(site.Only) && !site.Trusted() {
		return nil, refuseCloud(site, site.Only)
	}
	server, err := site.Server("backends.ollama.url", s.server())
	if err != nil {
		return nil, err
	}
	keep, err := s.keepAlive()
	if err != nil {
		return nil, fmt.Errorf("%w: backends.ollama.keep_alive: %w", sentinel.ErrUnavailable, err)
	}
	b := New(server, &Options{Model: site.Model, KeepAlive: keep, NumCtx: s.NumCtx, Thinking: s.NumPredict, SchemaBranches: s.SchemaBranches, Memory: site.Memory, Count: site.Count})
	return localOnly{b, site}, nil
}

// keepAlive reads a duration or a number of seconds, as the server does.
func (s *Settings) keepAlive() (time.Duration, error) {
	keep, err := time.ParseDuration(s.KeepAlive)
	if seconds, notNumber := strconv.Atoi(s.KeepAlive); notNumber == nil {
		keep, err = time.Duration(seconds)*time.Second, nil
	}
	if keep == 0 {
		keep = time.Nanosecond // Options takes 0 for its default
	}
	return keep, err
}
