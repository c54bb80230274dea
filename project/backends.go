package project

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/judge"
	"github.com/agentsentinel/sentinel/internal/profile"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
)

// A backendSet builds the backends of a folder for a session. Each is built at its
// first question.
type backendSet struct {
	folder  *Folder
	opts    *Options
	session string
}

// all are the backends by name: Sentinel's own, and those that the program adds or
// replaces.
func (s *backendSet) all() map[string]sentinel.Backend {
	m := map[string]sentinel.Backend{sentinel.Builtin: builtin.New()}
	for name := range s.folder.Config.Judges() {
		m[name] = s.lazy(name)
	}
	for name := range s.opts.Backends {
		m[name] = s.lazy(name)
	}
	return m
}

// lazy builds and wraps a backend at its first question.
func (s *backendSet) lazy(name string) sentinel.Backend {
	return backend.Lazy(func() (sentinel.Backend, error) {
		b, err := s.build(name, "")
		if err != nil {
			return nil, err
		}
		if b, err = s.profiled(name, b); err != nil {
			return nil, err
		}
		return s.wrap(name, b), nil
	})
}

// build makes a backend without its wrappers. only is the one model that will be
// asked; "" means that requests may name any.
func (s *backendSet) build(name, only string) (sentinel.Backend, error) {
	if build, ok := s.opts.Backends[name]; ok {
		return build(s.folder.Config)
	}
	if name == sentinel.Builtin {
		return builtin.New(), nil
	}
	settings, ok := s.folder.Config.SettingsOf(name)
	if !ok {
		return nil, fmt.Errorf("%w: no backend is called %q", sentinel.ErrUnavailable, name)
	}
	f, stateDir := s.folder, s.opts.StateDir
	return settings.Build(&judge.Site{
		Model: f.Config.Model(name), Only: only, Dir: f.base(), StateDir: stateDir, Program: s.opts.Program,
		Getenv: s.opts.getenv, Memory: s.opts.serverMemory(),
		Trusted: func() bool { return f.Trusted(stateDir) },
		MayAsk:  func(server *url.URL) error { return f.mayAsk(server, s.opts) },
		MayRun:  func() error { return f.mayRun(s.opts) },
		Count:   s.count(name),
	})
}

// profiled has the models of a backend asked as their profiles say: Sentinel's own, and
// before them those of the user.
func (s *backendSet) profiled(name string, b sentinel.Backend) (sentinel.Backend, error) {
	about := s.folder.Config.About(name)
	if !about.Profiled {
		return b, nil
	}
	profiles, err := s.opts.profiles()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err)
	}
	return profile.Wrap(b, profile.Options{Profiles: profiles.For(name), Forced: cmp.Or(s.opts.Profile, about.Profile), Model: s.folder.Config.Model(name)}), nil
}

// profiles are those of the user's own folder, then Sentinel's. A repository has none: a
// profile says what counts as a violation.
func (o *Options) profiles() (profile.Set, error) {
	if o.UserDir == "" {
		return profile.Embedded(), nil
	}
	own, err := profile.ReadDir(filepath.Join(o.UserDir, "profiles"))
	return append(own, profile.Embedded()...), err
}

// wrap adds what a backend does not do itself: it remembers answers, keeps to the
// budget, leaves a dead server alone, shares slots and the GPU, and starts the
// rule's clock last.
func (s *backendSet) wrap(name string, b sentinel.Backend) sentinel.Backend {
	c, o, about := &s.folder.Config, s.opts, s.about(name, b)
	b = backend.Timed(b)
	if about.SharesGPU {
		b = backend.Limited(backend.Locked(b, s.lock()), int64(c.OllamaConcurrency))
	}
	if o.StateDir != "" {
		b = s.limited(name, about.Paid, b) // what the breaker holds back costs nothing
		b = backend.Breaker(b, o.breakers(), s.folder.target(name), &backend.BreakerOptions{
			Failures: c.Breaker.Failures, Pause: time.Duration(c.Breaker.PauseS) * time.Second, Now: o.Now,
		})
		b = backend.Budget(b, o.usage(s.folder), &backend.BudgetOptions{
			TokensPerDay: int64(c.Budget.TokensPerDay), MoneyPerDay: c.Budget.MoneyPerDay, Pricing: pricing(c), Now: o.Now, Logger: o.Logger,
		})
	}
	if settings, ok := c.SettingsOf(name); ok {
		if identity := settings.Identity(c.Model(name)); identity != "" {
			b = backend.Cached(b, s.cache(), identity)
		}
	}
	return b
}

// about describes a backend: as its settings do, or one of the program's own as that
// describes itself.
func (s *backendSet) about(name string, b sentinel.Backend) judge.About {
	about := s.folder.Config.About(name)
	if _, added := s.opts.Backends[name]; added {
		if d, ok := sentinel.As[backend.Describer](b); ok {
			about.About = d.About()
		}
	}
	return about
}

// limited keeps a judge whose calls cost money to the calls of a day.
func (s *backendSet) limited(name string, paid func(model string) bool, b sentinel.Backend) sentinel.Backend {
	c := &s.folder.Config
	if paid == nil {
		return b
	}
	return backend.CallLimit(b, s.opts.paidCalls(s.folder), &backend.CallsOptions{
		PerDay: c.Budget.PaidCallsPerDay, Now: s.opts.Now,
		Paid: func(model string) bool { return paid(cmp.Or(model, c.Model(name))) },
	})
}

// count counts what a judge asks by itself to the same limit, or is nil.
func (s *backendSet) count(name string) func(model string) error {
	if s.opts.StateDir == "" {
		return nil
	}
	limit := s.limited(name, s.folder.Config.About(name).Paid, sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) { return sentinel.Response{}, nil }))
	return func(model string) error {
		_, err := limit.Complete(context.Background(), sentinel.Request{Model: model})
		return err
	}
}

// paidCalls counts the calls of a folder's judges that cost money.
func (o *Options) paidCalls(f *Folder) *state.Ledger {
	return state.NewLedger(filepath.Join(o.StateDir, "paid", digest.Hex(f.Dir)))
}

// usage counts the tokens and the money of a folder's model calls.
func (o *Options) usage(f *Folder) *state.Ledger {
	return state.NewLedger(filepath.Join(o.StateDir, "usage", digest.Hex(f.Dir)))
}

// breakers keep which judges are left alone.
func (o *Options) breakers() *state.Values {
	return state.NewValues(filepath.Join(o.StateDir, "breakers"))
}

// target names a backend and the server or program that it asks.
func (f *Folder) target(name string) string {
	about := f.Config.About(name)
	return strings.TrimSpace(name + " " + about.Where())
}

// cache is where judgements are kept, nil for nowhere: then equal questions are
// still asked only once at a time.
func (s *backendSet) cache() backend.Store {
	c, o := &s.folder.Config.Cache, s.opts
	if !c.Enabled || c.MaxAgeH == 0 || o.NoCache || o.CacheDir == "" {
		return nil
	}
	return state.NewCache(filepath.Join(o.CacheDir, "judgements"), &state.CacheOptions{
		MaxBytes: int64(c.MaxMB) << 20, MaxAge: time.Duration(c.MaxAgeH) * time.Hour, Key: o.fenceKey, Now: o.Now, Logger: o.Logger,
	})
}

// lock is the lock with which the processes of the session, or of the machine, share the
// GPU.
func (s *backendSet) lock() sentinel.Lock {
	if s.opts.Lock != nil {
		return s.opts.Lock
	}
	c := &s.folder.Config
	path := gpulock.MachinePath(s.opts.RuntimeDir, filepath.Dir(s.opts.CacheDir))
	if c.Lock.Scope == "session" {
		path = gpulock.SessionPath(s.folder.base(), s.session)
	}
	return gpulock.New(path, &gpulock.Options{Logger: s.opts.Logger, Waits: gpulock.Waits{
		Synthesizer: seconds(c.Lock.SynthesizerTimeoutS), Accumulator: seconds(c.Context.LockTimeoutS), Scribe: seconds(c.Scribe.LockTimeoutS),
	}})
}

// seconds is a configured wait. 0 means no wait, which is a negative one in
// gpulock.Waits.
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

// serverMemory keeps what servers accept, for backends; nil where nothing can be
// kept.
func (o *Options) serverMemory() backend.Shared {
	if o.StateDir == "" {
		return nil
	}
	return state.NewValues(filepath.Join(o.StateDir, "servers"))
}

// engineOptions are how the folder's rules are judged in an agent's session.
func (f *Folder) engineOptions(o *Options, session string) *sentinel.Options {
	c := &f.Config
	return &sentinel.Options{
		Backends: f.backends.get(f, o, session),
		Default:  c.Backend,
		Fallback: c.Fallback,

		SecondOpinion: secondOpinion(c),

		FailOpen:    c.FailOpen && !o.tight,
		UnknownTool: sentinel.UnknownAllow, // see Options.DenyUnknown
		Threshold:   threshold(c),
		MaxParallel: c.MaxParallel,
		RuleTimeout: time.Duration(c.TimeoutMS) * time.Millisecond,
		Think:       c.Think,
		ContentMax:  c.ContentMaxChars,
		Windows:     c.ContentWindows,
		Before:      before,
		CollectAll:  c.CollectAll,
		Logprobs:    c.Logprobs(),
		NoModel:     o.NoModel,
		Explain:     o.Explain,
		Requests:    o.asked,
		FenceKey:    o.fenceKey,
		Logger:      o.Logger,
	}
}

// sessionBackends are the backends of a folder for the session that it last saw:
// the lock on the GPU is a session's, and slots are shared by all its calls.
type sessionBackends struct {
	mu      sync.Mutex
	session string
	all     map[string]sentinel.Backend
}

func (s *sessionBackends) get(f *Folder, o *Options, session string) map[string]sentinel.Backend {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || s.session != session {
		s.session, s.all = session, (&backendSet{f, o, session}).all()
	}
	return s.all
}

// maxBefore bounds what is read of a file that a call overwrites, in bytes.
const maxBefore = 4 << 20

// before is what the file of a write holds now.
func before(a *sentinel.Action) (content string, ok bool) {
	data, err := safefile.Read(safefile.Rooted(a.Root, a.Path), maxBefore)
	return string(data), err == nil
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
