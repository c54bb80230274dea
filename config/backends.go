package config

import (
	"encoding/json"
	"slices"
)

// The names of the backends that Sentinel has itself.
const (
	BackendOllama    = "ollama"
	BackendClaude    = "claude"
	BackendCopilot   = "copilot"
	BackendOpenAI    = "openai"
	BackendAnthropic = "anthropic"
	BackendCommand   = "command"
	BackendBuiltin   = "builtin"
)

// What stands in for a model or a server that is not set.
const (
	defaultOllamaURL    = "http://localhost:11434"
	defaultOllamaModel  = "gemma3:4b"
	defaultClaudeModel  = "haiku"
	defaultCopilotModel = "gpt-5-mini"
)

// BackendNames returns the names that the key backend and a rule may use:
// Sentinel's own, then those that the file configures beside them, sorted.
func (c *Config) BackendNames() []string {
	names := []string{
		BackendOllama, BackendClaude, BackendCopilot, BackendOpenAI,
		BackendAnthropic, BackendCommand, BackendBuiltin,
	}
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
	if m := c.backendModel(backend); m != "" {
		return m
	}
	if c.GlobalModel != "" && backend == c.Backend && !foreign(c.GlobalModel, backend) {
		return c.GlobalModel
	}
	switch backend {
	case BackendOllama:
		return defaultOllamaModel
	case BackendClaude:
		return defaultClaudeModel
	case BackendCopilot:
		return defaultCopilotModel
	}
	return ""
}

// backendModel returns backends.X.model as far as it is set.
func (c *Config) backendModel(backend string) string {
	switch backend {
	case BackendOllama:
		return c.Backends.Ollama.Model
	case BackendClaude:
		return c.Backends.Claude.Model
	case BackendCopilot:
		return c.Backends.Copilot.Model
	case BackendOpenAI:
		return c.Backends.OpenAI.Model
	case BackendAnthropic:
		return c.Backends.Anthropic.Model
	case BackendCommand:
		return c.Backends.Command.Model
	}
	var other struct {
		Model string `json:"model"`
	}
	if raw, ok := c.Backends.Other[backend]; !ok || json.Unmarshal(raw, &other) != nil {
		return ""
	}
	return other.Model
}

// OllamaURL returns where Ollama listens: backends.ollama.url, else the
// top-level ollama_url, else http://localhost:11434.
func (c *Config) OllamaURL() string {
	switch {
	case c.Backends.Ollama.URL != "":
		return c.Backends.Ollama.URL
	case c.GlobalOllamaURL != "":
		return c.GlobalOllamaURL
	}
	return defaultOllamaURL
}

// ContextBackend returns the backend that writes session summaries.
func (c *Config) ContextBackend() string {
	if c.Context.Backend != "" {
		return c.Context.Backend
	}
	return c.Backend
}

// ContextModel returns the model that writes session summaries: context.model,
// else gemma3:4b for ollama and the backend's own for any other.
func (c *Config) ContextModel() string {
	backend := c.ContextBackend()
	switch {
	case c.Context.Model != "" && !foreign(c.Context.Model, backend):
		return c.Context.Model
	case backend == BackendOllama:
		return defaultOllamaModel
	}
	return c.Model(backend)
}

// ExtractionModel returns the model by which the Scribe finds conventions:
// scribe.extraction_model, else scribe.model, else what [Config.Model] says of
// the global backend, which the Scribe uses.
func (c *Config) ExtractionModel() string { return c.scribeModel(c.Scribe.ExtractionModel) }

// SynthesisModel returns the model by which the Scribe writes drafts, found as
// [Config.ExtractionModel] is.
func (c *Config) SynthesisModel() string { return c.scribeModel(c.Scribe.SynthesisModel) }

func (c *Config) scribeModel(step string) string {
	for _, m := range []string{step, c.Scribe.Model} {
		if m != "" && !foreign(m, c.Backend) {
			return m
		}
	}
	return c.Model(c.Backend)
}

// foreign reports whether a model is Ollama's default handed to a backend that
// cannot have it: files that were written for Ollama and then had their backend
// changed still name it.
func foreign(model, backend string) bool {
	switch backend {
	case BackendClaude, BackendCopilot, BackendAnthropic:
		return model == defaultOllamaModel
	}
	return false
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
