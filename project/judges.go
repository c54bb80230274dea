package project

import (
	"fmt"
	"net/url"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// newEngine builds the engine of rules by the configuration of f.
func newEngine(f *Folder, rules []*rule.Rule, o *Options) (sentinel.Engine, error) {
	c := &f.Config
	all := make([]sentinel.Rule, len(rules))
	for i, r := range rules {
		all[i] = r
	}
	return sentinel.New(all, &sentinel.Options{
		Backends: judges(f, o),
		Default:  c.Backend,
		Fallback: c.Fallback,

		SecondOpinion: secondOpinion(c),

		FailOpen:    c.FailOpen,
		Threshold:   threshold(c),
		MaxParallel: c.MaxParallel,
		RuleTimeout: time.Duration(c.TimeoutMS) * time.Millisecond,
		Think:       c.Think,
		ContentMax:  c.ContentMaxChars,
		CollectAll:  c.CollectAll,
		Logprobs:    c.Backends.Ollama.Confidence == "logprob",
		NoModel:     o.NoModel,
		Explain:     o.Explain,

		FenceKey: func() []byte { return fenceKey(o) },
		Logger:   o.Logger,
	})
}

// threshold is the confidence from which a violation counts. A written 0 means
// that every violation does; the engine and the log take 0 for their default.
func threshold(c *config.Config) float64 {
	if c.ConfidenceThreshold == 0 {
		return -1
	}
	return c.ConfidenceThreshold
}

// secondOpinion is the backend that confirms blocks, "" for none.
func secondOpinion(c *config.Config) string {
	if c.Judge.SecondOpinion != "block" {
		return ""
	}
	return c.SecondBackend()
}

// fenceKey is the user's secret, nil where it cannot be kept.
func fenceKey(o *Options) []byte {
	if o.StateDir == "" {
		return nil
	}
	key, err := state.Key(o.StateDir)
	if err != nil {
		o.Logger.Debug("sentinel: the user's key cannot be kept", "folder", o.StateDir, "error", err)
	}
	return key
}

// judges are the backends of a folder, by name. None is built before it is asked.
func judges(f *Folder, o *Options) map[string]sentinel.Backend {
	all := map[string]sentinel.Backend{
		sentinel.Builtin:     builtin.New(),
		config.BackendOllama: backend.Lazy(func() (sentinel.Backend, error) { return f.ollama(o) }),
	}
	for name, build := range o.Backends {
		all[name] = backend.Lazy(func() (sentinel.Backend, error) { return build(f.Config) })
	}
	return all
}

// backendNames are the names that rules may use.
func (o *Options) backendNames(c *config.Config) []string {
	names := c.BackendNames()
	for name := range o.Backends {
		names = append(names, name)
	}
	return names
}

// ollama builds the folder's Ollama backend: one slot for each call that the GPU
// can take, the rule's clock running only once the slot is there.
func (f *Folder) ollama(o *Options) (sentinel.Backend, error) {
	c := &f.Config
	server, err := url.Parse(c.OllamaURL())
	if err != nil {
		return nil, fmt.Errorf("%w: backends.ollama.url: %w", sentinel.ErrUnavailable, err)
	}
	if err := f.mayAsk(server, o.StateDir); err != nil {
		return nil, err
	}
	keep, err := time.ParseDuration(c.Backends.Ollama.KeepAlive)
	if err != nil {
		return nil, fmt.Errorf("%w: backends.ollama.keep_alive: %w", sentinel.ErrUnavailable, err)
	}
	b := ollama.New(server, &ollama.Options{
		Model: c.Model(config.BackendOllama), KeepAlive: keep,
		NumCtx: c.Backends.Ollama.NumCtx, SchemaBranches: c.Backends.Ollama.SchemaBranches,
	})
	return backend.Limited(backend.Timed(f.keepLocal(b, o.StateDir)), int64(c.OllamaConcurrency)), nil
}
