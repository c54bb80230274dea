package project

import (
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// candidates are those of the folder's rules that may match one of the event's
// actions, in the order of their files: at PhasePost those with post, else the
// others. Rules that match none may be among them.
func (f *Folder) candidates(phase sentinel.Phase, actions []sentinel.Action) rule.Rules {
	return f.rules.candidates(actions, phase == sentinel.PhasePost)
}

// sessionEngines are the engines of a folder for the session that it last saw: the
// lock on the GPU is a session's.
type sessionEngines struct {
	folder *Folder
	opts   *Options

	mu      sync.Mutex
	session string
	engine  *sentinel.Options // which have the backends, nil before the first event
	whole   sentinel.Engine   // of all rules, nil before it is needed
	err     error
}

func newSessionEngines(f *Folder, o *Options) *sessionEngines {
	return &sessionEngines{folder: f, opts: o}
}

// forEvent is an engine with all rules that may match one of the event's actions.
func (s *sessionEngines) forEvent(ev sentinel.Event, actions []sentinel.Action) (sentinel.Engine, error) {
	if s.opts.Explain || s.folder.rules.isBuilt() {
		return s.get(ev.Session)
	}
	rules := s.folder.candidates(ev.Phase, actions)
	s.mu.Lock()
	defer s.mu.Unlock()
	return sentinel.New(rules.Engine(), s.options(ev.Session))
}

// get is the engine of all rules.
func (s *sessionEngines) get(session string) (sentinel.Engine, error) {
	rules := s.folder.Rules()
	s.mu.Lock()
	defer s.mu.Unlock()
	if opts := s.options(session); s.whole == nil && s.err == nil {
		s.whole, s.err = sentinel.New(rule.Rules(rules).Engine(), opts)
	}
	return s.whole, s.err
}

// options are those of the session's engines, which share their backends.
func (s *sessionEngines) options(session string) *sentinel.Options {
	if s.engine == nil || s.session != session {
		s.session, s.whole, s.err = session, nil, nil
		s.engine = engineOptions(s.folder, s.opts, session)
	}
	return s.engine
}
