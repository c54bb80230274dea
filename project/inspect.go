package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// This file serves commands that inspect a project. It asks no model, and sends
// nothing to a server that prompts may not be sent to.

// A Use is a backend that a folder asks for something.
type Use struct {
	Backend string
	Model   string   // "" when the backend has none
	Named   bool     // the model is not the backend's own: requests name it
	For     []string // what it is asked for, in words: "rules", "rule no-secrets", "fallback", …
}

// Purposes of a backend. Others are "rule ID" and "fallback of rule ID".
const (
	ForRules         = "rules"       // those that name no backend of their own
	ForNoRule        = "no rule yet" // it is the global one by default, and no rule asks it
	ForFallback      = "fallback"
	ForSecondOpinion = "second opinion"
	ForContext       = "session context"
	ForScribe        = "scribe"
)

// Uses lists the backends that the folder's configuration and rules ask, each
// model of one by itself: that of the configuration first.
func (f *Folder) Uses() []Use {
	var uses []Use
	add := func(name, model, purpose string) {
		own := f.Config.Model(name)
		u := Use{Backend: name, Model: cmp.Or(model, own)}
		u.Named = u.Model != own
		at := slices.IndexFunc(uses, func(v Use) bool { return v.Backend == u.Backend && v.Model == u.Model })
		if at < 0 {
			uses, at = append(uses, u), len(uses)
		}
		if !slices.Contains(uses[at].For, purpose) {
			uses[at].For = append(uses[at].For, purpose)
		}
	}
	c := &f.Config
	global := ForNoRule
	if f.configured || slices.ContainsFunc(f.Rules(), func(r *rule.Rule) bool {
		spec := r.Spec()
		return spec.Err == nil && cmp.Or(spec.Backend, c.Backend) == c.Backend && spec.Model == ""
	}) {
		global = ForRules
	}
	add(c.Backend, "", global)
	for _, name := range c.Fallback {
		add(name, "", ForFallback)
	}
	if second := c.SecondBackend(); second != "" {
		add(second, "", ForSecondOpinion)
	}
	for _, r := range f.Rules() {
		spec := r.Spec()
		if spec.Err != nil {
			continue
		}
		if spec.Backend != "" && spec.Backend != c.Backend || spec.Model != "" {
			add(cmp.Or(spec.Backend, c.Backend), spec.Model, "rule "+spec.ID)
		}
		for _, name := range spec.Fallback {
			if !slices.Contains(c.Fallback, name) {
				add(name, "", "fallback of rule "+spec.ID)
			}
		}
	}
	if c.Context.Enabled && c.ContextBackend() != sentinel.Builtin {
		add(c.ContextBackend(), c.ContextModel(), ForContext)
	}
	if c.Scribe.Enabled && c.Backend != sentinel.Builtin {
		add(c.Backend, c.ExtractionModel(), ForScribe)
		add(c.Backend, c.SynthesisModel(), ForScribe)
	}
	return uses
}

// Ping says why a backend could not be asked. One that may not be asked is not
// contacted: the error is [sentinel.ErrRefused]. A backend that has no way to be
// pinged gives [errors.ErrUnsupported].
func (p *Project) Ping(ctx context.Context, f *Folder, u Use) error {
	b, err := p.judges(f).build(u.Backend, u.Model)
	if err != nil {
		return err
	}
	pinger, ok := sentinel.As[sentinel.Pinger](b)
	if !ok {
		return fmt.Errorf("project: %w: the backend %s cannot be pinged", errors.ErrUnsupported, u.Backend)
	}
	model := ""
	if u.Named {
		model = u.Model
	}
	return pinger.Ping(ctx, model)
}

// judges are the backends of a folder for work that no agent's session started.
func (p *Project) judges(f *Folder) *judges { return &judges{f, &p.opts, CommandSession} }

// Refused are the things that the folder's configuration asks for and that are not
// done until the user trusts it, as one sentence each.
func (p *Project) Refused(f *Folder) []error {
	var refused []error
	note := func(err error) {
		if errors.Is(err, sentinel.ErrRefused) && !slices.ContainsFunc(refused, func(e error) bool { return e.Error() == err.Error() }) {
			refused = append(refused, err)
		}
	}
	_, err := f.logFile(p.opts.StateDir)
	note(err)
	for _, u := range f.Uses() {
		_, err := p.judges(f).build(u.Backend, u.Model)
		note(err)
	}
	return refused
}

// Where names the server or the program that a backend of the folder asks, without
// what is secret in it; "" when it has none.
func (p *Project) Where(f *Folder, u Use) string {
	about := f.Config.About(u.Backend)
	return about.Shown()
}

// Outage returns what is known of the failures of a backend, over all processes
// of the user; ok is false when there are none.
func (p *Project) Outage(f *Folder, u Use) (o backend.Outage, ok bool) {
	if p.opts.StateDir == "" {
		return o, false
	}
	values := state.NewValues(filepath.Join(p.opts.StateDir, "breakers"))
	name := f.target(u.Backend)
	if o, ok = backend.OutageOf(values, name, u.Model); ok || u.Named {
		return o, ok
	}
	return backend.OutageOf(values, name, "") // requests that leave the model to the backend
}

// UsedToday returns what the model calls of the folder used since midnight.
func (p *Project) UsedToday(f *Folder) (tokens int64, money float64, err error) {
	if p.opts.StateDir == "" {
		return 0, 0, nil
	}
	ledger := state.NewLedger(filepath.Join(p.opts.StateDir, "usage", digest.Hex(f.Dir)))
	return ledger.Used(p.opts.now().Format(time.DateOnly))
}

// Lock returns the lock on the GPU of a session of the folder; "" means
// [CommandSession]. nil means that Options.Lock is used.
func (p *Project) Lock(f *Folder, session string) *gpulock.File {
	lock, _ := (&judges{f, &p.opts, cmp.Or(session, CommandSession)}).lock().(*gpulock.File)
	return lock
}

// Log is the log that is written here, as [Project.Record] writes it; nil when
// there is none.
func (p *Project) Log() *telemetry.Log {
	f, path := p.log()
	if f == nil {
		return nil
	}
	opts := &telemetry.Options{MaxMB: f.Config.LogMaxMB, Keep: f.Config.LogKeep}
	if base := f.base(); safefile.Within(path, base) {
		opts.Within = base
	}
	return telemetry.Open(path, opts)
}
