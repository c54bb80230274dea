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

// warmTime bounds a warm-up whose caller sets no limit: a large model on a slow
// disk takes minutes to load.
const warmTime = 10 * time.Minute

// Warm has the models loaded that the rules ask first, so that the first
// judgement of a session does not wait for that: a server gives a load up when its
// caller goes away, and a hook cannot stay as long as loading a large model takes. It
// is background work.
//
// Only backends that are a [sentinel.Warmer] are asked, and no more of them than
// rules name, by themselves or by the default. Nothing is sent to a server that
// the folder's configuration may not name. Of several processes that warm the
// same model of the same server one does, and the others return at once. Without
// a deadline of ctx it ends after ten minutes.
func (p *Project) Warm(ctx context.Context) error {
	if p.opts.NoModel {
		return nil
	}
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, warmTime)
		defer cancel()
	}
	var errs []error
	for _, f := range p.Folders {
		errs = append(errs, f.warm(ctx, &p.opts))
	}
	return errors.Join(errs...)
}

func (f *Folder) warm(ctx context.Context, o *Options) error {
	j := &judges{folder: f, opts: o}
	var backends map[string]sentinel.Backend
	var errs []error
	for _, m := range f.models() {
		if !f.isWarmed(o, m.backend) {
			continue
		}
		if backends == nil {
			backends = j.all()
		}
		errs = append(errs, j.warm(ctx, backends[m.backend], m))
	}
	return errors.Join(errs...)
}

// isWarmed reports whether a backend may have models to load. To look at any
// other one would build it.
func (f *Folder) isWarmed(o *Options, name string) bool {
	_, added := o.Backends[name]
	return added || f.Config.About(name).SharesGPU
}

// warm has one model loaded, unless another process does.
func (j *judges) warm(ctx context.Context, b sentinel.Backend, m model) error {
	warmer, ok := sentinel.As[sentinel.Warmer](b)
	if !ok {
		return nil // it has nothing to load; or it is refused, which its first question will say
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
		if s.Err != nil || s.Severity == sentinel.SeverityInfo && !s.Post {
			continue // asks no model
		}
		m := f.model(s)
		if m.backend != sentinel.Builtin && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// model is what a rule asks first. Advice after a tool is written by the model that
// summarizes the session, unless the rule names another one.
func (f *Folder) model(s *sentinel.RuleSpec) model {
	c := &f.Config
	if s.Post && s.Backend == "" {
		return model{c.ContextBackend(), cmp.Or(s.Model, c.ContextModel())}
	}
	backend := cmp.Or(s.Backend, c.Backend)
	return model{backend, cmp.Or(s.Model, c.Model(backend))}
}
