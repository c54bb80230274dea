package project

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
)

// preloadTime bounds [Models.Warm] if the caller sets no limit: a large model on a
// slow disk takes minutes to load.
const preloadTime = 10 * time.Minute

// Warm loads the models that the rules ask first, so that the first judgement of a
// session does not wait for that: a server stops loading when its caller
// disconnects, and a hook cannot wait as long as a large model takes to load. It is
// for a background process.
//
// Only backends that are a [sentinel.Warmer] are asked, and of them only those that
// rules ask, by name or as the default. Nothing is sent to a server that the
// folder's configuration may not name. If several processes load the same model of
// the same server, one does it and the others return at once. Without a deadline of
// ctx it ends after ten minutes.
func (m *Models) Warm(ctx context.Context) error {
	p := m.project
	if p.opts.NoModel {
		return nil
	}
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, preloadTime)
		defer cancel()
	}
	var errs []error
	for _, f := range p.Folders {
		errs = append(errs, f.preload(ctx, &p.opts))
	}
	return errors.Join(errs...)
}

func (f *Folder) preload(ctx context.Context, o *Options) error {
	j := &backendSet{folder: f, opts: o}
	var backends map[string]sentinel.Backend
	var errs []error
	for _, m := range f.models() {
		if !f.mayPreload(o, m.backend) {
			continue
		}
		if backends == nil {
			backends = j.all()
		}
		errs = append(errs, j.preload(ctx, backends[m.backend], m))
	}
	return errors.Join(errs...)
}

// mayPreload reports whether a backend may have models to load, or a server to find out
// about. Checking any other backend would build it.
func (f *Folder) mayPreload(o *Options, name string) bool {
	_, added := o.Backends[name]
	about := f.Config.About(name)
	return added || about.SharesGPU || about.Profiled
}

// preload loads one model, unless another process does.
func (j *backendSet) preload(ctx context.Context, b sentinel.Backend, m model) error {
	warmer, ok := sentinel.As[sentinel.Warmer](b)
	if !ok {
		return nil // it has nothing to load, or it is refused: then its first question fails
	}
	if dir := j.opts.StateDir; dir != "" {
		about := j.folder.Config.About(m.backend)
		done, mine := state.NewLocks(filepath.Join(dir, "warming")).Try(strings.Join([]string{m.backend, about.Where(), m.name}, " "))
		if !mine {
			return nil
		}
		defer done()
	}
	return warmer.Warm(ctx, m.name)
}

// A model of a backend; name is "" for a third party's own default.
type model struct{ backend, name string }

// models are what the rules of the folder ask first, each once, in the order of
// the rules.
func (f *Folder) models() []model {
	var all []model
	for _, r := range f.Rules() {
		s := r.Spec()
		if r.Off() || s.Err != nil || s.Severity == sentinel.SeverityInfo && !s.Post {
			continue // it asks no model
		}
		m := f.model(s)
		if m.backend != sentinel.Builtin && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// model is what a rule asks first. Advice after a tool is written by the backend that
// summarizes the session, unless the rule names another one.
func (f *Folder) model(s *sentinel.RuleSpec) model {
	c := &f.Config
	if s.Post && s.Backend == "" {
		return model{c.ContextBackend(), cmp.Or(s.Model, c.ContextModel())}
	}
	backend := cmp.Or(s.Backend, c.Backend)
	return model{backend, cmp.Or(s.Model, c.Model(backend))}
}
