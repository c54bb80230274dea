package project

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// engineOptions are how the folder's rules are judged in an agent's session.
func (f *Folder) engineOptions(o *Options, session string) *sentinel.Options {
	c := &f.Config
	return &sentinel.Options{
		Backends: f.backends.get(f, o, session),
		Default:  c.Backend,
		Fallback: c.Fallback,

		SecondOpinion: secondOpinion(c),

		FailOpen:    c.FailOpen && !o.tight,
		UnknownTool: sentinel.UnknownAllow, // it is noted
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
	path := filepath.FromSlash(a.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Root, path)
	}
	data, err := safefile.Read(path, maxBefore)
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
