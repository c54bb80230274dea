package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/judge"
	"github.com/agentsentinel/sentinel/internal/profile"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/telemetry"
)

// An Inspector answers questions about a project. It asks no
// model about an action, and sends nothing to a server that may not get prompts. It is safe for concurrent use. Its
// folders are those of Project.Folders.
type Inspector struct{ project *Project }

// backends are those of a folder for work that no agent's session started.
func (i *Inspector) backends(f *Folder) *backendSet {
	return &backendSet{f, &i.project.opts, CommandSession}
}

// Ping says why a backend could not be asked; nil means that it answers. A backend
// that may not be asked is not contacted: the error is [sentinel.ErrRefused]. Without
// a [sentinel.Pinger] it is [errors.ErrUnsupported].
func (i *Inspector) Ping(ctx context.Context, f *Folder, u Use) error {
	b, err := i.backends(f).build(u.Backend, u.Model)
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

// Profile names the profile that a model is asked with, and what is known of its server; "" where
// the backend has none. A server that may be asked tells of itself. One that serves its model
// anyway, and takes no money for it, is asked whether it applies schemas.
func (i *Inspector) Profile(ctx context.Context, f *Folder, u Use) (string, error) {
	set := i.backends(f)
	b, err := set.build(u.Backend, u.Model)
	if err != nil {
		return "", err
	}
	b, err = set.profiled(u.Backend, b)
	if p, ok := b.(*profile.Backend); ok && err == nil {
		about := set.about(u.Backend, b)
		return p.Describe(ctx, u.Model, untried(&about, u.Model))
	}
	return "", err
}

// untried is why a judge is asked nothing to find out about its server; "" if it may be.
func untried(about *judge.About, model string) string {
	switch {
	case about.Paid != nil && about.Paid(model):
		return "a call may cost money; a session's start tries them once a week"
	case about.SharesGPU:
		return "the model would have to be loaded; a session's start does both"
	}
	return ""
}

// NamedProfile is the profile that a model has by its name alone, among the user's and
// Sentinel's own; "" where the backend has none. A server, which may know better, is not asked.
func (i *Inspector) NamedProfile(f *Folder, name, model string) string {
	about := f.Config.About(name)
	profiles, err := i.project.opts.profiles()
	if !about.Profiled || err != nil {
		return ""
	}
	if p, err := profiles.For(name).Of(about.Profile, model, ""); err == nil && p != nil {
		return p.Name
	}
	return cmp.Or(about.Profile, profile.Generic)
}

// Refused says which settings of the folder's configuration have no effect until the
// user trusts it, one sentence each.
func (i *Inspector) Refused(f *Folder) []error {
	var refused []error
	note := func(err error) {
		if errors.Is(err, sentinel.ErrRefused) && !slices.ContainsFunc(refused, func(e error) bool { return e.Error() == err.Error() }) {
			refused = append(refused, err)
		}
	}
	_, err := f.logFile(&i.project.opts)
	note(err)
	if i.project.silent(f) && len(f.Written()) > 0 {
		note(judge.NotTrusted(i.project.opts.Program, "what its rules say is not shown to an agent that was started elsewhere"))
	}
	for _, u := range f.Uses() {
		_, err := i.backends(f).build(u.Backend, u.Model)
		note(err)
	}
	return refused
}

// About describes a backend of the folder. One of the program's own is built for it, to
// describe itself.
func (i *Inspector) About(f *Folder, u Use) judge.About {
	set := i.backends(f)
	var b sentinel.Backend
	if _, added := set.opts.Backends[u.Backend]; added {
		if built, err := set.build(u.Backend, u.Model); err == nil { // an error shows where it is asked
			b = built
		}
	}
	return set.about(u.Backend, b)
}

// Outage returns the failures of a backend, over all processes of the user; ok is
// false without any.
func (i *Inspector) Outage(f *Folder, u Use) (o backend.Outage, ok bool) {
	if i.project.opts.StateDir == "" {
		return o, false
	}
	values := i.project.opts.breakers()
	name := f.target(u.Backend)
	if o, ok = backend.OutageOf(values, name, u.Model); ok || u.Named {
		return o, ok
	}
	return backend.OutageOf(values, name, "") // requests that leave the model to the backend
}

// UsedToday returns the tokens that the model calls of the folder used since local
// midnight, and the money in the unit of the configured prices.
func (i *Inspector) UsedToday(f *Folder) (tokens int64, money float64, err error) {
	if i.project.opts.StateDir == "" {
		return 0, 0, nil
	}
	return i.project.opts.usage(f).Used(i.project.opts.now().Format(time.DateOnly))
}

// PaidToday returns how many calls the folder made since local midnight of judges
// that cost money.
func (i *Inspector) PaidToday(f *Folder) (int64, error) {
	if i.project.opts.StateDir == "" {
		return 0, nil
	}
	return i.project.opts.paidCalls(f).Calls(i.project.opts.now().Format(time.DateOnly))
}

// Lock returns the lock on the GPU of a session of the folder; "" means
// [CommandSession]. nil means that Options.Lock is used.
func (i *Inspector) Lock(f *Folder, session string) *gpulock.File {
	lock, _ := (&backendSet{f, &i.project.opts, cmp.Or(session, CommandSession)}).lock().(*gpulock.File)
	return lock
}

// Log is the log that [Project.Record] writes, or nil.
func (i *Inspector) Log() *telemetry.Log {
	f, path := i.project.log()
	if f == nil {
		return nil
	}
	return f.logAt(path).Open(nil)
}

// LogFile is the absolute path of the log that [Project.Record] writes, or
// "".
func (i *Inspector) LogFile() string {
	_, path := i.project.log()
	return path
}

// A FolderLog is the log that a folder's configuration names.
type FolderLog struct {
	Folder *Folder
	Path   string // absolute
}

// Logs are the logs of all folders that apply, each once and in the order of
// [Project.Folders]. The errors say why one is left out: a configuration that is not
// trusted names a file that it may not name.
func (i *Inspector) Logs() (logs []FolderLog, refused []error) {
	seen := map[string]bool{}
	for _, f := range i.project.Folders {
		path, err := f.logFile(&i.project.opts)
		switch {
		case err != nil:
			refused = append(refused, err)
		case path != "" && !seen[safefile.Resolve(path)]:
			seen[safefile.Resolve(path)] = true
			logs = append(logs, FolderLog{f, path})
		}
	}
	return logs, refused
}

// Loads reports whether [Models.Warm] has models to load.
func (i *Inspector) Loads() bool {
	return slices.ContainsFunc(i.project.Folders, func(f *Folder) bool {
		return slices.ContainsFunc(f.models(), func(m model) bool { return f.mayPreload(&i.project.opts, m.backend) })
	})
}
