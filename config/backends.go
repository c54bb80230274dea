package config

import (
	"cmp"
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/anthropic"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/backend/openai"
	"github.com/agentsentinel/sentinel/internal/judge"
	"github.com/agentsentinel/sentinel/internal/judge/claude"
	"github.com/agentsentinel/sentinel/internal/judge/command"
	"github.com/agentsentinel/sentinel/internal/judge/copilot"
)

// Backends is the table of the judges that Sentinel has itself, without
// builtin, which has no settings. A judge is one line: its name, its settings, and what it is.
// Everything else about it is said by the methods of its settings.
type Backends struct {
	Ollama    ollama.Settings    `yaml:"ollama" json:"ollama" jsonschema:"A model server of your own."`
	Claude    claude.Settings    `yaml:"claude" json:"claude" jsonschema:"Claude Code's command line, claude -p."`
	Copilot   copilot.Settings   `yaml:"copilot" json:"copilot" jsonschema:"GitHub Copilot's command line, copilot -p."`
	OpenAI    openai.Settings    `yaml:"openai" json:"openai" jsonschema:"Any server with OpenAI's chat completions: llama.cpp, vLLM, LM Studio, OpenAI."`
	Anthropic anthropic.Settings `yaml:"anthropic" json:"anthropic" jsonschema:"Anthropic's Messages API."`
	Command   command.Settings   `yaml:"command" json:"command" jsonschema:"A program of your own: the question as JSON on its standard input, the answer as JSON on its output."`

	// Other holds the settings of backends that a program adds to Sentinel's own,
	// by name, as JSON. The program reads them from here.
	Other map[string]json.RawMessage `yaml:",inline" json:"other,omitempty"`
}

// standard is the backend that judges when the configuration names none. The
// top-level keys ollama_url and ollama_concurrency, which are older than the table,
// are about it.
const standard = ollama.Name

// standardServer is the server that b names for the standard backend, and its key.
func (b *Backends) standardServer() (url *string, key string) {
	return &b.Ollama.URL, "backends." + standard + ".url"
}

// rows reads the table: the settings of each judge by its name. Those are b's own,
// to be changed.
func (b *Backends) rows() iter.Seq2[string, judge.Settings] {
	v := reflect.ValueOf(b).Elem()
	return func(yield func(string, judge.Settings) bool) {
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			if s, ok := v.Field(i).Addr().Interface().(judge.Settings); ok && !yield(name, s) {
				return
			}
		}
	}
}

func defaultBackends() (b Backends) {
	for _, s := range b.rows() {
		s.SetDefaults()
	}
	return b
}

// Judges returns the judges that Sentinel has itself and that have settings, by
// name, as c configures them.
func (c *Config) Judges() iter.Seq2[string, judge.Settings] {
	b := c.Backends
	if server, _ := b.standardServer(); *server == "" {
		*server = c.GlobalOllamaURL
	}
	return b.rows()
}

// SettingsOf returns one of [Config.Judges].
func (c *Config) SettingsOf(name string) (judge.Settings, bool) {
	for n, s := range c.Judges() {
		if n == name {
			return s, true
		}
	}
	return nil, false
}

// About describes a backend as c configures it; one that only a program of its own
// knows is described by the zero value and its model.
func (c *Config) About(backend string) judge.About {
	if s, ok := c.SettingsOf(backend); ok {
		return s.About()
	}
	var other struct {
		Model string `json:"model"`
	}
	if raw, ok := c.Backends.Other[backend]; !ok || json.Unmarshal(raw, &other) != nil {
		return judge.About{}
	}
	return judge.About{Model: other.Model}
}

// ownNames are the names of Sentinel's own backends in the order of the table.
var ownNames = sync.OnceValue(func() []string {
	var names []string
	for name := range (&Backends{}).rows() {
		names = append(names, name)
	}
	return append(names, sentinel.Builtin)
})

// BackendNames returns the names that the key backend and a rule may use:
// Sentinel's own, then the others that the file configures, sorted.
func (c *Config) BackendNames() []string {
	names := slices.Clone(ownNames())
	own := len(names)
	for name := range c.Backends.Other {
		names = append(names, name)
	}
	slices.Sort(names[own:])
	return names
}

// Model returns the model that a backend is asked for when the rule names none:
// the backend's own setting, else the top-level model if this is the global
// backend, else the backend's default. "" leaves it to the backend.
func (c *Config) Model(backend string) string {
	about := c.About(backend)
	switch {
	case about.Model != "":
		return about.Model
	case c.GlobalModel != "" && backend == c.Backend && !c.foreign(c.GlobalModel, backend):
		return c.GlobalModel
	}
	return about.DefaultModel
}

// OllamaURL returns where Ollama listens: backends.ollama.url, else the
// top-level ollama_url, else http://localhost:11434.
func (c *Config) OllamaURL() string { return c.About(standard).Server }

// Slots returns how many requests a backend may get at the same time.
func (c *Config) Slots(backend string) int {
	if c.About(backend).SharesGPU {
		return c.OllamaConcurrency
	}
	return c.MaxParallel
}

// Logprobs reports whether the probability of a verdict is its confidence.
func (c *Config) Logprobs() bool {
	for _, s := range c.Judges() {
		if s.About().Logprobs {
			return true
		}
	}
	return false
}

// ContextBackend returns the backend that writes session summaries.
func (c *Config) ContextBackend() string {
	if c.Context.Backend != "" {
		return c.Context.Backend
	}
	return c.Backend
}

// ContextModel returns the model that writes session summaries, and advice after a tool
// where the rule names none: context.model, else the one that [Config.Model] gives.
func (c *Config) ContextModel() string {
	backend := c.ContextBackend()
	if c.Context.Model != "" && !c.foreign(c.Context.Model, backend) {
		return c.Context.Model
	}
	return c.Model(backend)
}

// ScribeBackend returns the backend that the Scribe asks.
func (c *Config) ScribeBackend() string { return cmp.Or(c.Scribe.Backend, c.Backend) }

// ExtractionModel returns the model that finds conventions for the Scribe:
// scribe.extraction_model, else scribe.model, else the top-level model where the Scribe
// asks the global backend, else the one that [Config.Model] gives.
func (c *Config) ExtractionModel() string { return c.scribeModel(c.Scribe.ExtractionModel) }

// SynthesisModel returns the model that writes drafts for the Scribe, found as
// [Config.ExtractionModel] is.
func (c *Config) SynthesisModel() string { return c.scribeModel(c.Scribe.SynthesisModel) }

func (c *Config) scribeModel(step string) string {
	models := []string{step, c.Scribe.Model}
	if c.ScribeBackend() == c.Backend {
		models = append(models, c.GlobalModel)
	}
	for _, m := range models {
		if m != "" && !c.foreign(m, c.ScribeBackend()) {
			return m
		}
	}
	return c.Model(c.ScribeBackend())
}

// foreign reports whether a model is the standard backend's default, named for a
// vendor that cannot have it: a file still names it after its backend was changed.
func (c *Config) foreign(model, backend string) bool {
	return c.About(backend).OwnModels && model == c.About(standard).DefaultModel
}

// SecondBackend returns the backend that confirms a block, or "" when none
// does.
func (c *Config) SecondBackend() string {
	switch {
	case c.Judge.SecondOpinion != "block":
		return ""
	case c.Judge.SecondBackend != "":
		return c.Judge.SecondBackend
	case len(c.Fallback) > 0:
		return c.Fallback[0]
	}
	return ""
}
