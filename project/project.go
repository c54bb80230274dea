package project

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Options says where Sentinel's files are and how to judge. nil is usable: no
// user's folder, no cache, no state.
type Options struct {
	ConfigDir string // a folder named directly; then no other is looked for, but the user's
	UserDir   string // the user's own folder of configuration and rules
	CacheDir  string // for compiled rules; "" keeps none
	StateDir  string // for the user's key, trust and notes; "" keeps none
	Home      string // what ~ means in a path

	// Backends are built for each folder by the name that rules use, beside
	// those that Sentinel has; one of the same name is replaced.
	Backends map[string]func(config.Config) (sentinel.Backend, error)

	// Agents are those whose tools and session records are known; the zero value has
	// those that Sentinel knows.
	Agents agent.Registry

	// Mapper is asked first what a tool call does, for tools that no configuration
	// can describe; sentinel.ErrUnknownTool leaves the call to those that Sentinel
	// knows. Of a file action Path counts, from which all else is made. nil knows
	// none.
	Mapper sentinel.ToolMapper

	Deadline time.Duration // for an event; 0 means that the context alone bounds it
	NoModel  bool          // ask only the builtin judge
	Explain  bool          // see sentinel.Options.Explain
	NoLog    bool          // write no telemetry, and remember nothing of what was said
	NoCache  bool          // ask anew what was judged before

	// Shadow says when shadow rules that ask a model are judged: see
	// [Project.KeepShadow] for those that are left until after the answer.
	Shadow sentinel.ShadowMode

	// ForAgent says that an agent acts on the answer. What a person has paused or
	// let through then counts (and is used up), a call that is stopped gets a code
	// for it, and a call that another process judges at this moment is not judged
	// twice. It needs a StateDir.
	ForAgent bool
	// Numbered says that the agent gives each call an id. Of one that does not, an
	// event that is the same as one of a moment ago counts as the same call.
	Numbered bool

	RuntimeDir string              // $XDG_RUNTIME_DIR, for a lock of the whole machine; "" means the cache folder
	Getenv     func(string) string // for the keys of web services, by the names that the configuration gives; nil knows none

	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil discards

	sessionContext func(context.Context, sentinel.Event) string // of the project that was opened
}

func (o *Options) getenv(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

func (o *Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// A Project is what applies where an agent works. It is an [sentinel.Engine],
// safe for concurrent use.
type Project struct {
	// Folders are the user's own, if there is one, then those of the projects,
	// the nearest first. It may be empty: then nothing is judged.
	Folders []*Folder

	opts Options
}

var _ sentinel.Engine = (*Project)(nil)

// Open finds and reads the folders that apply at the folders starts: where the
// event happens and the roots that the agent names. It never fails; what is
// wrong with a file is a problem of its [Folder].
func Open(starts []string, opts *Options) *Project {
	p := &Project{}
	if opts != nil {
		p.opts = *opts
	}
	p.opts.sessionContext = p.sessionContext
	if p.opts.Logger == nil {
		p.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if dir := p.opts.UserDir; dir != "" && filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			p.Folders = append(p.Folders, load(place{dir: filepath.Clean(dir), user: true}, &p.opts))
		}
	}
	if p.opts.ConfigDir != "" {
		event := ""
		for _, s := range starts {
			if event == "" {
				event = s
			}
		}
		p.Folders = append(p.Folders, load(named(p.opts.ConfigDir, event), &p.opts))
		return p
	}
	for _, at := range findUpward(starts) {
		p.Folders = append(p.Folders, load(at, &p.opts))
	}
	return p
}

// Strict reports whether any folder wants what cannot be judged to be stopped.
func (p *Project) Strict() bool {
	for _, f := range p.Folders {
		if !f.Config.FailOpen {
			return true
		}
	}
	return false
}

// Problems are those of all folders, and what is not done in each until it is
// trusted. The hook does not ask: looking at trust takes time that only a person
// who asks should spend.
func (p *Project) Problems() []sentinel.Problem {
	var all []sentinel.Problem
	for _, f := range p.Folders {
		all = append(append(all, f.Problems...), p.untrusted(f)...)
	}
	return all
}

// nearest is the first folder that is not the user's own, or nil.
func (p *Project) nearest() *Folder {
	for _, f := range p.Folders {
		if !f.User {
			return f
		}
	}
	return nil
}

// Evaluate implements [sentinel.Engine]. To the folders that were opened it adds
// those found upward from each path that the call touches.
func (p *Project) Evaluate(ctx context.Context, ev sentinel.Event) (sentinel.Decision, error) {
	start := p.opts.now()
	if ev.Phase != sentinel.PhasePre && ev.Phase != sentinel.PhasePost {
		return sentinel.Decision{Verdict: sentinel.VerdictAllow}, nil
	}
	if p.opts.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.opts.Deadline)
		defer cancel()
	}
	if ev.Phase == sentinel.PhasePost {
		d := p.advise(ctx, ev)
		d.Took = p.opts.now().Sub(start)
		identify(&d)
		return d, nil
	}
	panels := p.panels(ctx, ev)
	sit := p.sit(ev, panels)
	defer sit.close()
	decisions := make([]sentinel.Decision, len(panels))
	var wait sync.WaitGroup
	for i, b := range panels {
		wait.Go(func() {
			d, err := b.evaluate(sit.seated(ctx, &b), ev)
			if err != nil {
				d.Err = err
			}
			decisions[i] = d
		})
	}
	wait.Wait()
	if d, ok := sit.relayed(); ok {
		d.Took = p.opts.now().Sub(start)
		return d, nil
	}
	sit.unpaused(decisions)
	d := conclude(panels, decisions)
	sit.letThrough(&d)
	d.Notice = p.notice(ev, d.Verdict, panels, decisions)
	d.Took = p.opts.now().Sub(start)
	identify(&d)
	sit.finish(d)
	if d.Verdict == sentinel.VerdictUndecided {
		return d, d.Err
	}
	return d, nil
}

// identify gives a decision that leaves a record its name there.
func identify(d *sentinel.Decision) {
	if len(d.Findings) > 0 || d.Err != nil {
		d.ID = newID()
	}
}

// conclude joins what the panels decided. One that could not judge the event at
// all stops it if it is strict; else it takes nothing from what another one is
// certain of, and without that the event is undecided.
func conclude(panels []panel, decisions []sentinel.Decision) sentinel.Decision {
	var certain []sentinel.Decision
	var undecided sentinel.Decision
	failed, strict, denied := false, false, false
	for i, d := range decisions {
		if d.Verdict != sentinel.VerdictUndecided {
			certain = append(certain, d)
			continue
		}
		failed, undecided = true, d
		strict = strict || panels[i].strict
		denied = denied || panels[i].strict && !panels[i].folder.User // a pause has been looked at, see unpaused
	}
	if len(decisions) == 0 {
		return sentinel.Decision{Verdict: sentinel.VerdictAllow}
	}
	if !failed {
		return sentinel.Join(certain...)
	}
	if len(certain) > 0 {
		if d := sentinel.Join(certain...); d.Verdict > sentinel.VerdictAllow && (!strict || d.Verdict == sentinel.VerdictBlock) {
			return d
		}
	}
	if denied {
		undecided.Err = strictError{undecided.Err}
	}
	return undecided // the caller of a strict project makes a deny of it
}

// ErrStrict is what the error of [Project.Evaluate] is when a project that the call
// touches could not judge it and is strict: the call is to be denied. It may be one
// that [Project.Strict] does not know, which is found by the paths of the call.
var ErrStrict = errors.New("the project is strict")

// strictError is an error that is ErrStrict too, and says what it said.
type strictError struct{ error }

func (strictError) Is(target error) bool { return target == ErrStrict }

func (e strictError) Unwrap() error { return e.error }

// Record writes what came of an event to the log of the nearest folder that has
// one, and notes for the person what no log would show: a tool that nobody
// knows.
func (p *Project) Record(ev sentinel.Event, d sentinel.Decision) error {
	if d.Relayed {
		return nil // whoever judged it has recorded it
	}
	var errs []error
	if d.Unknown && len(p.Folders) > 0 {
		errs = append(errs, p.Note("unknown-tool", ev.Agent, ev.Tool.Name))
	}
	if d.Quiet() {
		return errors.Join(errs...) // the usual call: not even a log is looked for
	}
	if f, path := p.log(); f != nil && !p.opts.NoLog {
		errs = append(errs, p.writeLog(f, path, ev, d))
	}
	errs = append(errs, p.keepPrompts(ev, d))
	return errors.Join(errs...)
}

// Note keeps something that a person should hear of later.
func (p *Project) Note(kind, agent, text string) error {
	if p.opts.StateDir == "" {
		return nil
	}
	return state.Append(p.opts.StateDir, state.Note{Time: p.opts.now(), Kind: kind, Agent: agent, Text: text})
}

// LogFile is the absolute path of the telemetry log, or "" when there is none.
func (p *Project) LogFile() string {
	_, path := p.log()
	return path
}

// log is the log that is written here, and the folder that says so: the nearest
// project that has one, else the user's own.
func (p *Project) log() (owner *Folder, file string) {
	for _, f := range p.Folders {
		path, err := f.logFile(p.opts.StateDir)
		switch {
		case err != nil || path == "":
		case f.User:
			owner, file = f, path
		default:
			return f, path
		}
	}
	return owner, file
}
