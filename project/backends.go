package project

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/anthropic"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/backend/claude"
	"github.com/agentsentinel/sentinel/backend/command"
	"github.com/agentsentinel/sentinel/backend/copilot"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/backend/openai"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/state"
)

// judges builds the backends of a folder for a session. None is built before it
// is asked.
type judges struct {
	folder  *Folder
	opts    *Options
	session string
}

// all are the backends by name.
func (j *judges) all() map[string]sentinel.Backend {
	m := map[string]sentinel.Backend{
		sentinel.Builtin:        builtin.New(),
		config.BackendOllama:    j.lazy(config.BackendOllama, j.ollama),
		config.BackendClaude:    j.lazy(config.BackendClaude, j.claude),
		config.BackendCopilot:   j.lazy(config.BackendCopilot, j.copilot),
		config.BackendOpenAI:    j.lazy(config.BackendOpenAI, j.openai),
		config.BackendAnthropic: j.lazy(config.BackendAnthropic, j.anthropic),
		config.BackendCommand:   j.lazy(config.BackendCommand, j.command),
	}
	for name, build := range j.opts.Backends {
		m[name] = j.lazy(name, func() (sentinel.Backend, error) { return build(j.folder.Config) })
	}
	return m
}

// lazy builds and wraps a backend at its first question.
func (j *judges) lazy(name string, build func() (sentinel.Backend, error)) sentinel.Backend {
	return backend.Lazy(func() (sentinel.Backend, error) {
		b, err := build()
		if err != nil {
			return nil, err
		}
		return j.wrap(name, b), nil
	})
}

// wrap puts around a backend what it does not do itself: remember answers, keep
// to the budget, leave a dead server alone, share slots and the GPU, and start the
// rule's clock only then.
func (j *judges) wrap(name string, b sentinel.Backend) sentinel.Backend {
	c, o := &j.folder.Config, j.opts
	b = backend.Timed(b)
	if name == config.BackendOllama {
		b = backend.Limited(backend.Locked(b, j.lock()), int64(c.OllamaConcurrency))
	}
	if o.StateDir != "" {
		b = backend.Breaker(b, state.NewValues(filepath.Join(o.StateDir, "breakers")), strings.TrimSpace(name+" "+j.where(name)), &backend.BreakerOptions{
			Failures: c.Breaker.Failures, Pause: time.Duration(c.Breaker.PauseS) * time.Second, Now: o.Now,
		})
		b = backend.Budget(b, state.NewLedger(filepath.Join(o.StateDir, "usage", digest.Hex(j.folder.Dir))), &backend.BudgetOptions{
			TokensPerDay: int64(c.Budget.TokensPerDay), MoneyPerDay: c.Budget.MoneyPerDay, Pricing: pricing(c), Now: o.Now, Logger: o.Logger,
		})
	}
	if !asksOnlyThePrompt(name) {
		return b
	}
	return backend.Cached(b, j.cache(), name+string(appendPlain(nil, reflect.ValueOf(c.Backends)))+c.Model(name))
}

// asksOnlyThePrompt reports whether the answers of a backend depend on nothing
// but the question and its settings, so that they can be kept. A program and a
// third party's backend see the action too.
func asksOnlyThePrompt(name string) bool {
	switch name {
	case config.BackendOllama, config.BackendClaude, config.BackendCopilot, config.BackendOpenAI, config.BackendAnthropic:
		return true
	}
	return false
}

// where names the server or program that is asked.
func (j *judges) where(name string) string {
	c := &j.folder.Config
	switch name {
	case config.BackendOllama:
		return c.OllamaURL()
	case config.BackendOpenAI:
		return c.Backends.OpenAI.BaseURL
	case config.BackendAnthropic:
		return c.Backends.Anthropic.BaseURL
	case config.BackendCommand:
		return strings.Join(c.Backends.Command.Argv, " ")
	}
	return ""
}

// cache is where judgements are kept, nil for nowhere: then equal questions are
// still asked only once at a time.
func (j *judges) cache() backend.Store {
	c, o := &j.folder.Config.Cache, j.opts
	if !c.Enabled || c.MaxAgeH == 0 || o.NoCache || o.CacheDir == "" {
		return nil
	}
	return state.NewCache(filepath.Join(o.CacheDir, "judgements"), &state.CacheOptions{
		MaxBytes: int64(c.MaxMB) << 20, MaxAge: time.Duration(c.MaxAgeH) * time.Hour, Key: o.fenceKey, Now: o.Now, Logger: o.Logger,
	})
}

// lock is what the processes of the session, or of the machine, share the GPU by.
func (j *judges) lock() sentinel.Lock {
	c := &j.folder.Config
	path := gpulock.MachinePath(j.opts.RuntimeDir, filepath.Dir(j.opts.CacheDir))
	if c.Lock.Scope == "session" {
		path = gpulock.SessionPath(j.folder.base(), j.session)
	}
	return gpulock.New(path, &gpulock.Options{Logger: j.opts.Logger, Waits: gpulock.Waits{
		Synthesizer: seconds(c.Lock.SynthesizerTimeoutS), Accumulator: seconds(c.Context.LockTimeoutS), Scribe: seconds(c.Scribe.LockTimeoutS),
	}})
}

// seconds is a configured wait; 0 means that there is none, as in gpulock.Waits
// a negative one.
func seconds(s float64) time.Duration {
	if s == 0 {
		return -1
	}
	return time.Duration(s * float64(time.Second))
}

func pricing(c *config.Config) func(string) (input, output float64) {
	return func(model string) (input, output float64) {
		p := c.Pricing[model]
		return p.Input, p.Output
	}
}

func (j *judges) ollama() (sentinel.Backend, error) {
	c := &j.folder.Config
	server, err := j.server("backends.ollama.url", c.OllamaURL())
	if err != nil {
		return nil, err
	}
	keep, err := time.ParseDuration(c.Backends.Ollama.KeepAlive)
	if err != nil {
		return nil, fmt.Errorf("%w: backends.ollama.keep_alive: %w", sentinel.ErrUnavailable, err)
	}
	return j.folder.keepLocal(ollama.New(server, &ollama.Options{
		Model: c.Model(config.BackendOllama), KeepAlive: keep,
		NumCtx: c.Backends.Ollama.NumCtx, SchemaBranches: c.Backends.Ollama.SchemaBranches,
		Memory: j.opts.serverMemory(),
	}), j.opts.StateDir), nil
}

// serverMemory is where backends keep how servers want to be asked; nil where
// nothing can be kept.
func (o *Options) serverMemory() backend.Shared {
	if o.StateDir == "" {
		return nil
	}
	return state.NewValues(filepath.Join(o.StateDir, "servers"))
}

// server is a URL that prompts may go to.
func (j *judges) server(key, text string) (*url.URL, error) {
	server, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", sentinel.ErrUnavailable, key, err)
	}
	return server, j.folder.mayAsk(server, j.opts.StateDir)
}

func (j *judges) claude() (sentinel.Backend, error) {
	return claude.New(&claude.Options{Model: j.folder.Config.Model(config.BackendClaude), StateDir: j.opts.StateDir}), nil
}

func (j *judges) copilot() (sentinel.Backend, error) {
	return copilot.New(&copilot.Options{Model: j.folder.Config.Model(config.BackendCopilot), StateDir: j.opts.StateDir}), nil
}

func (j *judges) openai() (sentinel.Backend, error) {
	base, key, err := j.service(j.folder.Config.Backends.OpenAI, openai.DefaultBaseURL, openai.DefaultKeyName)
	if err != nil {
		return nil, err
	}
	return openai.New(&openai.Options{
		BaseURL: base, Key: j.opts.getenv(key), KeyName: key,
		Model: j.folder.Config.Model(config.BackendOpenAI), Proxy: http.ProxyFromEnvironment,
		Memory: j.opts.serverMemory(),
	}), nil
}

func (j *judges) anthropic() (sentinel.Backend, error) {
	base, key, err := j.service(j.folder.Config.Backends.Anthropic, anthropic.DefaultBaseURL, anthropic.DefaultKeyName)
	if err != nil {
		return nil, err
	}
	return anthropic.New(&anthropic.Options{
		BaseURL: base, Key: j.opts.getenv(key), KeyName: key,
		Model: j.folder.Config.Model(config.BackendAnthropic), Proxy: http.ProxyFromEnvironment,
		Memory: j.opts.serverMemory(),
	}), nil
}

// service is a web service that prompts may go to, and the variable that holds
// its key. A cloned repository names no other variable than the usual one: what
// it holds would go to whoever listens.
func (j *judges) service(c config.API, url, keyName string) (base, key string, err error) {
	base, key = cmp.Or(c.BaseURL, url), cmp.Or(c.APIKeyEnv, keyName)
	if _, err := j.server("base_url", base); err != nil {
		return "", "", err
	}
	if key != keyName && !j.folder.Trusted(j.opts.StateDir) {
		return "", "", fmt.Errorf("%w: `api_key_env` names %s, and the configuration is not trusted; read it, then run `sentinel trust`", sentinel.ErrRefused, key)
	}
	return base, key, nil
}

// command builds the judge that is a program of the user's. One that a cloned
// repository brings along never runs before it is trusted.
func (j *judges) command() (sentinel.Backend, error) {
	if err := j.folder.mayRun(j.opts.StateDir); err != nil {
		return nil, err
	}
	c := j.folder.Config.Backends.Command
	return command.New(&command.Options{Argv: c.Argv, Model: c.Model, Dir: j.folder.base(), StateDir: j.opts.StateDir}), nil
}

// backendNames are the names that rules may use.
func (o *Options) backendNames(c *config.Config) []string {
	names := c.BackendNames()
	for name := range o.Backends {
		names = append(names, name)
	}
	return names
}
