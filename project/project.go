package project

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Options says where Sentinel's files are and how to judge. nil is usable: no
// user's folder, no cache, no state.
type Options struct {
	ConfigDir string // a folder named directly; then no other is looked for, but the user's
	UserDir   string // the user's own folder of configuration and rules
	CacheDir  string // for compiled rules, which are sealed with the key in StateDir; "" keeps none
	StateDir  string // for the user's key, trust and notes; "" keeps none
	Home      string // what ~ means in a path
	Program   string // what this program is called; "" means sentinel

	// Backends are added to those that Sentinel has, by the name that rules use,
	// and built for each folder. One with the name of Sentinel's replaces it.
	Backends map[string]func(config.Config) (sentinel.Backend, error)

	// Agents are the agents whose tools and session records are known; the zero
	// value has those that Sentinel knows.
	Agents agent.Registry

	// Mapper is asked first what a tool call does, for tools that no configuration
	// can describe. If it returns sentinel.ErrUnknownTool, Sentinel's own mapping
	// decides. For a file action only Path is used; the rest is derived from it. nil
	// knows no tool.
	Mapper sentinel.ToolMapper

	// DenyUnknown blocks a call of a tool that neither Sentinel nor a folder knows, with
	// sentinel.ErrUnknownTool in Decision.Err. false lets it pass: no rule can be about it.
	// A folder's fail_open has no part in this, unlike FailOpen in sentinel.Options: it is about
	// rules that could not be judged, and the call may lie in several folders, or in none.
	DenyUnknown bool

	// Lock is shared by the callers of one GPU, instead of a lock file. The
	// configuration's lock.scope then has no effect. nil means the lock file of the
	// session or of the machine.
	Lock sentinel.Lock

	// Sink gets what [Project.Record] and the user's approvals and pauses would add to the
	// log, in the place of its file: the lines of one event a call. It may be called
	// concurrently. Its error is that of what was recorded. nil writes the log that the
	// configuration names.
	Sink func([]telemetry.Record) error

	Deadline time.Duration // for an event; 0 means that the context alone bounds it
	// Ends is when the answer is due of a process that answers one event: the time
	// for loading is part of it. The zero value leaves it to Deadline.
	Ends    time.Time
	NoModel bool   // ask only the builtin judge
	Explain bool   // see sentinel.Options.Explain
	NoLog   bool   // write no telemetry, also to Sink, and remember no text that was given
	NoCache bool   // ask again about calls that were judged before
	Only    string // the id of the one rule that is judged; "" means all

	// Unpinned opens what the folders have, even where pinned rules are in force. It is
	// for work on the files themselves.
	Unpinned bool

	// Profile is the profile that every model is asked with, in the place of the one that
	// the configuration or the model's name chooses; "" leaves that to them.
	Profile string

	// Shadow says when shadow rules that ask a model are judged. [Project.MatchSources]
	// finds those that are judged after the answer.
	Shadow sentinel.ShadowMode

	// ForAgent says that an agent acts on the answer. Then pauses and approvals of
	// the user hold (and an approval is used up), a call that is stopped gets a code
	// for its approval, and a call that another process is judging is not judged
	// twice. It needs a StateDir.
	ForAgent bool
	// Numbered says that the agent gives each call an id. Without ids, an event that
	// is equal to one of a moment ago counts as the same call.
	Numbered bool

	// TellsResults says that the agent tells whether a command that it ran succeeded.
	TellsResults bool

	// Record is the format of the agent's record of a session, which tells how commands end
	// that it does not wait for; "" looks at none.
	Record string

	// Question says that the agent asks its user about the call. Such an event has no id,
	// and one that is the same as one of a moment ago counts as the same question.
	Question bool

	RuntimeDir string              // $XDG_RUNTIME_DIR, for a lock of the whole machine; "" means the cache folder
	Getenv     func(string) string // for the keys of web services, by the names that the configuration gives; nil knows none

	loadEnds time.Time // when the projects' rules have to be read; zero: any time

	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil discards

	key  func() []byte // the user's, once; nil reads it each time
	pins *pinning      // nil pins nothing

	tight bool // see [Project.Tighten]
}

// Environment returns the options that the sentinel command opens a project with: where the
// user's files are, by the variables of the environment that getenv reads (os.Getenv, or a
// test's own). A program that embeds Sentinel and uses them shares the user's rules, key,
// trust and caches with the command. It need not: see [Options].
func Environment(getenv func(string) string) *Options {
	e := environment{getenv}
	cache := ".cache"
	if runtime.GOOS == "darwin" {
		cache = "Library/Caches"
	}
	return &Options{
		ConfigDir:  getenv("SENTINEL_CONFIG_DIR"),
		UserDir:    e.folder("XDG_CONFIG_HOME", ".config"),
		CacheDir:   e.folder("XDG_CACHE_HOME", cache),
		StateDir:   e.folder("XDG_STATE_HOME", ".local/state"),
		Home:       e.home(),
		RuntimeDir: getenv("XDG_RUNTIME_DIR"),
		Getenv:     getenv,
	}
}

// environment finds the user's folders.
type environment struct{ getenv func(string) string }

// home is the user's folder, or "". One without a full path would be another in every
// working folder.
func (e environment) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if h := e.getenv(name); filepath.IsAbs(h) {
			return h
		}
	}
	return ""
}

// folder is a folder of the user: below the variable xdg when it is set, else
// below the home folder. "" when neither is there.
func (e environment) folder(xdg, fallback string) string {
	base := e.getenv(xdg)
	if !filepath.IsAbs(base) { // the XDG specification ignores relative ones
		if e.home() == "" {
			return ""
		}
		base = filepath.Join(e.home(), filepath.FromSlash(fallback))
	}
	return filepath.Join(base, "sentinel")
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

// fenceKey is the user's secret, nil where it cannot be kept. A project reads it once.
func (o *Options) fenceKey() []byte {
	if o.key != nil {
		return o.key()
	}
	return o.readKey()
}

func (o *Options) readKey() []byte {
	if o.StateDir == "" {
		return nil
	}
	key, err := state.Key(o.StateDir)
	if err != nil {
		o.Logger.Debug("sentinel: the user's key cannot be kept", "folder", o.StateDir, "error", err)
	}
	return key
}

// stateFolder is a folder of the user's state, "" where nothing can be kept.
func (o *Options) stateFolder(names ...string) string {
	if o.StateDir == "" {
		return ""
	}
	return filepath.Join(append([]string{o.StateDir}, names...)...)
}

// backendNames are the names that rules may use.
func (o *Options) backendNames(c *config.Config) []string {
	return append(c.BackendNames(), o.addedBackends()...)
}

// addedBackends are the names of the backends that the program adds, sorted.
func (o *Options) addedBackends() []string { return slices.Sorted(maps.Keys(o.Backends)) }

// A Project is what applies where an agent works. It is a [sentinel.Engine],
// safe for concurrent use.
type Project struct {
	// Folders are the user's own, if there is one, then those of the projects,
	// the nearest first. It may be empty: then nothing is judged.
	Folders []*Folder

	opts  Options
	roots []string // where the agent says that its project is
	start string   // the first folder that it was opened at
	haste bool     // only the user's own rules are read
}

var _ sentinel.Engine = (*Project)(nil)

// Inspect returns the views of the project for commands that show or check it.
func (p *Project) Inspect() *Inspector { return &Inspector{p} }

// Notices returns the lines about the project.
func (p *Project) Notices() *Notices { return &Notices{p} }

// Past returns what is kept of sessions.
func (p *Project) Past() *Past { return &Past{p} }

// Pins returns the pins of the project's folders.
func (p *Project) Pins() *Pins { return &Pins{p} }

// Open finds and reads the folders that apply at the folders starts: where the
// event happens, then the roots that the agent names, if it names any. It never
// fails; what is wrong with a file is a problem of its [Folder]. Rules that come with
// a dependency, as in node_modules, are not among them.
func Open(starts []string, opts *Options) *Project {
	p := openUser(opts)
	p.opts.loadEnds = p.opts.half(time.Now())
	for _, at := range p.places(starts) {
		if f := load(at, &p.opts); !at.gone || f.Held() {
			f.outer = p.nearest() != nil
			p.Folders = append(p.Folders, f)
		}
	}
	return p
}

// places are where the folders of projects are, for what happens at starts.
func (p *Project) places(starts []string) []place {
	if len(starts) > 1 {
		p.roots = slices.DeleteFunc(slices.Clone(starts[1:]), func(dir string) bool { return !filepath.IsAbs(dir) })
	}
	if i := slices.IndexFunc(starts, func(s string) bool { return s != "" }); i >= 0 {
		p.start = starts[i]
	}
	if p.opts.ConfigDir != "" {
		return []place{placeNamed(p.opts.ConfigDir, p.start)}
	}
	found, _ := findUpward(starts, p.opts.pins, maxLookups)
	seen := map[string]bool{} // in another working tree as well: paths lead there
	return slices.DeleteFunc(found, func(at place) bool {
		twice := at.err == nil && seen[at.realDir()]
		seen[at.realDir()] = seen[at.realDir()] || at.err == nil
		return twice || at.ofDependency(false)
	})
}

// newProject is a project without folders.
func newProject(opts *Options) *Project {
	p := &Project{}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Logger == nil {
		p.opts.Logger = slog.New(slog.DiscardHandler)
	}
	return p
}

// openUser opens the user's own folder.
func openUser(opts *Options) *Project {
	p := newProject(opts)
	p.opts.key = sync.OnceValue(p.opts.readKey)
	if dir := p.opts.UserDir; dir != "" && filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			p.Folders = append(p.Folders, load(place{dir: filepath.Clean(dir), user: true}, &p.opts))
		}
	}
	p.opts.pins = newPinning(&p.opts, p.Folders)
	return p
}

// OpenUser opens the user's own folder and no project. It is for work on a
// repository whose own configuration must have no influence, such as an audit.
// Without a configuration of the user everything has its default. Options.ConfigDir,
// which the user names, is read as [Open] does.
func OpenUser(opts *Options) *Project {
	p := Open(nil, opts)
	if len(p.Folders) == 0 {
		f := p.user()
		f.Dir = p.opts.UserDir
		p.Folders = []*Folder{f}
	}
	return p
}

// Tighten has what cannot be judged stopped, whatever the folders say, and asks about
// what is not certain: for a session in which the guard itself was changed.
func (p *Project) Tighten() { p.opts.tight = true }

// Strict reports whether any folder wants what cannot be judged to be stopped.
func (p *Project) Strict() bool {
	if p.opts.tight {
		return true
	}
	for _, f := range p.Folders {
		if !f.Config.FailOpen {
			return true
		}
	}
	return false
}

// Problems are those of all folders, with the settings of each that have no effect
// until it is trusted. Looking at trust takes time, so the hook does not call it.
func (i *Inspector) Problems() []rule.Problem {
	p := i.project
	var all []rule.Problem
	for _, f := range p.Folders {
		all = append(all, f.Located(append(slices.Clone(f.Problems()), p.untrusted(f)...))...)
	}
	return all
}

// Evaluate implements [sentinel.Engine]: it matches, and judges what was matched. With
// Options.ForAgent the gate is around the judging, as in [Docket.Decide].
func (p *Project) Evaluate(ctx context.Context, ev sentinel.Event) (sentinel.Decision, error) {
	start := p.opts.now()
	docket := p.Match(ctx, ev)
	d, err := p.evaluate(ctx, docket)
	if err != nil {
		p.opts.Logger.Debug("sentinel: the call is not settled", "error", err)
	}
	docket.Undo(ctx, &d, false)
	d.Took = p.opts.now().Sub(start)
	if d.Verdict == sentinel.VerdictUndecided {
		return d, d.Err
	}
	return d, nil
}

func (p *Project) evaluate(ctx context.Context, docket *Docket) (sentinel.Decision, error) {
	if !p.opts.ForAgent {
		return docket.Judge(ctx)
	}
	j, err := docket.Decide(ctx)
	return j.Decision, cmp.Or(err, j.Unkept)
}

// log is the log that is written here, and the folder that says so: the nearest
// project that has one, else the user's own.
func (p *Project) log() (owner *Folder, file string) {
	for _, f := range p.Folders {
		path, err := f.logFile(&p.opts)
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
