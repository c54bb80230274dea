// Package setup sets Sentinel up in a repository or for a user, and takes it out again.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Options say what is set up or taken out, and where.
type Options struct {
	Agents       []string // whose settings get the hook; none means those that are found
	Packs        []string
	Usual        bool // Packs were not chosen: they are for a folder that is not set up yet
	Backend      string
	User, DryRun bool
	Restore      bool // brings back what was removed
	Purge        bool // removes what was kept while Sentinel worked, too
	Hooks        bool // write the hook alone, for Agents or those that have it
	// ReplacePython takes the hooks of the Python Sentinel out: with both, each call
	// would be judged twice.
	ReplacePython bool
	Ask           func(question string) bool // asks the user; nil without a user to ask
	Where         string                     // InProject, InUser or InBoth; "" is as User says

	Dir     string                           // absolute working directory; "" if it was removed
	Project *project.Options                 // of the projects of this user
	Say     func(format string, args ...any) // prints a line
}

// root is the repository that Dir lies in.
func (o *Options) root() string { return place.Root(o.Dir) }

// place is where agents look for their settings.
func (o *Options) place() agent.Place {
	return agent.Place{Root: o.root(), Home: o.Project.Home, Getenv: o.Project.Getenv, Program: o.Project.Program}
}

func (o *Options) scope() install.Scope {
	if o.User {
		return install.User
	}
	return install.Repository
}

// A setup writes what init writes, or with dryRun says so.
type setup struct {
	*Options
	root    string // the repository, or the user's home
	dir     string // the folder of configuration and rules
	changes int
	fresh   bool // no configuration and no rule was there before
	settled bool // configuration and rules were there before, or init was
	backend string
	why     string // why this backend was chosen
	written *written
	found   bool     // the agents were not named
	created []string // files of Sentinel's own
	touched []string // these, and settings
}

func newSetup(o *Options) (*setup, error) {
	own := *o
	s := &setup{Options: &own}
	if names := s.backendNames(); o.Backend != "" && !slices.Contains(names, o.Backend) {
		return nil, fmt.Errorf("no backend is called %q; there are: %s", o.Backend, strings.Join(names, ", "))
	}
	chosen, err := chosenPacks(o.Packs)
	if err != nil {
		return nil, err
	}
	s.Packs = chosen
	s.written = o.openWritten()
	for _, dir := range []string{o.Project.StateDir, o.Project.CacheDir} {
		if dir != "" {
			s.written.makes(filepath.Join(dir, "x"))
		}
	}
	if o.User {
		if s.root, s.dir = o.Project.Home, o.Project.UserDir; s.root == "" || s.dir == "" {
			return nil, errors.New("--user: HOME is not set to a full path")
		}
		return s, nil
	}
	if o.Dir == "" {
		return nil, errors.New("the working directory does not exist any more")
	}
	s.root = o.root()
	s.dir = filepath.Join(s.root, ".claude", "sentinel")
	return s, nil
}

// backendNames are the judges that this program has.
func (s *setup) backendNames() []string {
	c := config.Default()
	return append(c.BackendNames(), s.added()...)
}

// added are the judges that the program has in addition to Sentinel's own.
func (s *setup) added() []string { return slices.Sorted(maps.Keys(s.Project.Backends)) }

// init writes what is not there yet in one scope.
func (o *Options) init(ctx context.Context) (done Done, err error) {
	s, err := newSetup(o)
	if err != nil {
		return done, err
	}
	if o.Hooks {
		return done, s.rehook()
	}
	s.findAgents()
	if _, err := s.planHooks(); err != nil { // settings that cannot be edited: before anything is written
		return done, err
	}
	if s.Backend == "" {
		c := config.Default()
		s.chooseBackend(pings(ctx, &c) == nil)
	} else {
		s.backend, s.why = s.Backend, "You chose it; `backend` in config.yaml changes it."
	}
	config, rules := s.isSettled()
	s.fresh = !config && !rules
	if ctx.Err() != nil { // the last moment: what follows is written whole
		return done, errors.New("interrupted; nothing was written")
	}
	if err := s.write(); err != nil {
		return done, err
	}
	s.trust()
	if s.changes == 0 {
		s.Say("Nothing to do: Sentinel is set up in %s.", s.root)
		s.advise()
		return done, nil
	}
	if s.DryRun {
		return done, nil
	}
	done = Done{Agents: s.Agents, Commit: s.commit()}
	s.pin()
	if s.why == "" {
		s.Say("Judge: %s (from config.yaml)", s.backend)
	} else {
		s.Say("Judge: %s. %s", s.backend, s.why)
	}
	s.advise()
	return done, nil
}

// rehook writes the hook and nothing else.
func (s *setup) rehook() error {
	if len(s.Agents) == 0 {
		if s.Agents = s.registered(); len(s.Agents) == 0 {
			return fmt.Errorf("no agent has the hook in %s; name one with --agent", s.root)
		}
	}
	defer s.remember()
	if err := s.writeHooks(); err != nil {
		return err
	}
	if s.changes == 0 {
		s.Say("Nothing to do: the hook is registered for every tool that the rules need.")
	}
	s.steps()
	return nil
}

// write does the steps, and keeps what they wrote even if one fails.
func (s *setup) write() error {
	defer s.remember()
	for _, step := range []func() error{s.writeConfig, s.writeRules, s.writeIgnores, s.replacePython, s.writeHooks} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// trust trusts what init itself has written, by the hand of the person who ran it. Of
// a repository that brought something along it says what waits.
func (s *setup) trust() {
	if s.User || s.DryRun {
		return
	}
	p := project.Open([]string{s.root}, s.Project)
	for _, f := range p.Folders {
		if f.User || f.Dir != s.dir {
			continue
		}
		if s.fresh {
			if err := f.Trust(s.Project.StateDir); err != nil { // the hook works, and settings that need no trust hold
				s.Say("note: your trust in this configuration cannot be kept, so settings that need it do not hold: %s", strings.TrimPrefix(err.Error(), "project: "))
			}
			return
		}
		if waits := p.Inspect().Refused(f); len(waits) > 0 {
			s.Say("note: %s of this repository's configuration waits for you: read it, then run `sentinel trust`", text.Count(len(waits), "setting"))
		}
	}
}

// pin has what was written in force from now on, whatever was pinned of it before.
func (s *setup) pin() {
	if s.User {
		return
	}
	p := project.Open([]string{s.root}, s.Project)
	for _, f := range p.Folders {
		if f.Dir != s.dir {
			continue
		}
		if err := p.Pins().Repin(f, s.created...); err != nil {
			s.Say("note: the rules cannot be pinned, so a change that weakens them is not noticed: %v", err)
		}
	}
}

// remember keeps the digests of what was written, for uninstall.
func (s *setup) remember() {
	if s.DryRun || !s.written.changed {
		return
	}
	if err := s.written.save(); err != nil {
		s.Say("note: what was written cannot be noted, so uninstall will leave it: %v", err)
	}
}

// pings asks Ollama on this machine for the model that judges unless another is set.
func pings(ctx context.Context, c *config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	use := project.Use{Backend: c.Backend, Model: c.Model(c.Backend)}
	return project.Open(nil, nil).Inspect().Ping(ctx, &project.Folder{User: true, Config: *c}, use)
}

// chooseBackend takes a model where one answers on this machine.
func (s *setup) chooseBackend(answers bool) {
	c := config.Default()
	model, server := c.Model(c.Backend), c.OllamaURL()
	switch s.backend = c.Backend; {
	case answers:
		s.why = fmt.Sprintf("Ollama answers on %s with %s. To judge without a model, set `backend: builtin` in config.yaml.", server, model)
	case s.asksModel():
		s.why = fmt.Sprintf("Rules here ask a model, and Ollama with %s does not answer on %s yet: start it and `ollama pull %s`, or set another `backend` in config.yaml.", model, server, model)
	default:
		s.backend = sentinel.Builtin
		s.why = fmt.Sprintf("Ollama with %s does not answer on %s, so the rules' own expressions judge, with no model. To use one: start it, `ollama pull %s`, and set `backend: ollama` in config.yaml.", model, server, model)
	}
}

// asksModel reports whether a rule that was there before has no verdict without a model.
func (s *setup) asksModel() bool {
	for _, f := range project.Open([]string{s.root}, s.Project).Folders {
		for _, r := range f.Written() {
			if d := r.Definition(); f.Dir == s.dir && d.Backend == "" && d.When == "" && d.Prompt != "" && d.Severity != sentinel.SeverityInfo.String() {
				return true
			}
		}
	}
	return false
}

const configTemplate = `# yaml-language-server: $schema=%s
# Every key with its default: docs/configuration.md, or "%s".

# Who judges: ollama (a model on this machine), builtin (the rules' own
# expressions, no model), …
backend: %s

# What becomes of an action when a rule cannot be judged: true lets it pass.
fail_open: true

# One JSON line for each evaluation, relative to the project's folder.
log_file: %s
`

// logName is the name of the log that init sets.
const logName = "sentinel.log"

func (s *setup) writeConfig() error {
	path := project.ConfigFile(s.dir)
	log := ".claude/sentinel/" + logName
	if s.User {
		log = logName
	}
	if _, err := os.Stat(path); err == nil {
		s.backend = s.config().Backend
		if name := filepath.Base(path); name != "config.yaml" {
			s.why = "As " + name + " says."
		}
	}
	return s.create(path, []byte(fmt.Sprintf(configTemplate, settings.SchemaID(config.Schema()), text.Command(s.Project.Program, "config schema"), s.backend, log)))
}

// writeIgnores keeps what Sentinel writes while it works out of the repository.
func (s *setup) writeIgnores() error {
	if s.User {
		return nil
	}
	if err := s.create(filepath.Join(s.root, ".sentinel", ".gitignore"), []byte(ignoreAll)); err != nil {
		return err
	}
	if !s.DryRun {
		return s.ignoreLog()
	}
	file := filepath.Join(s.dir, ".gitignore")
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		s.Say("would write %s", file)
	}
	return nil
}

// ignoreLog keeps the log out of git, and nothing else.
func (s *setup) ignoreLog() error {
	file := filepath.Join(s.dir, ".gitignore")
	before, _ := safefile.ReadNoFollow(file, maxWritten) // Ignore says what is wrong with it
	if string(before) == ignoreAll {                     // uninstall left it
		before = nil
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	if err := telemetry.Ignore(filepath.Join(s.dir, logName)); err != nil {
		return err
	}
	if after, err := safefile.ReadNoFollow(file, maxWritten); err == nil && before == nil {
		s.written.add(file, after)
		s.Say("wrote %s", file)
	}
	return nil
}

// planHooks says how the hook gets into the settings of each agent.
func (s *setup) planHooks() ([]install.Change, error) {
	c, dir := s.config(), s.root
	if s.User && s.Dir != "" {
		dir = s.Dir // the user's hook judges by the rules of this folder too
	}
	h, refused := s.needed(dir, &c)
	h.Program = hookProgram(install.ProgramName(s.Project.Program))
	for _, name := range refused {
		s.Say("note: %s is not a tool's name, so no agent is told of it", text.OneLine(name))
	}
	var left []string
	changes, err := s.planEach(func(t install.Target) (install.Change, error) {
		want := h
		if s.User {
			want = Widened(t, h)
		}
		c, err := install.Plan(t, want)
		if err == nil || !s.found {
			return c, err
		}
		if !errors.Is(err, install.ErrNoFolder) {
			return c, fmt.Errorf("%w (to leave %s out, name the others with --agent)", err, t.Agent)
		}
		if !slices.Contains(left, t.Agent) {
			left = append(left, t.Agent)
			s.Say("note: %s is left out: %s", t.Agent, strings.TrimPrefix(err.Error(), "install: "))
		}
		return install.Change{Target: t}, nil
	})
	if err != nil || len(left) < len(s.Agents) || len(left) == 0 {
		return changes, err
	}
	s.found, s.Agents = false, s.Project.Agents.Installable()[:1] // rules without any hook would guard no agent
	s.Say("No agent that is found here can have the hook: it is for %s.", s.Project.Agents.Find(s.Agents[0]).DisplayName())
	more, err := s.planHooks()
	return append(changes, more...), err
}

// planEach plans a change of every settings file of the agents. Two agents may
// share one.
func (o *Options) planEach(plan func(install.Target) (install.Change, error)) (changes []install.Change, err error) {
	var agents []*agent.Agent
	for _, name := range o.Agents {
		a, err := o.Project.Agents.Named(name)
		if err != nil {
			return nil, err
		}
		agents = append(agents, a)
	}
	seen := map[string]bool{}
	for t, err := range targets(o.Project, o.Dir, o.scope(), agents) {
		if err != nil {
			return nil, err
		}
		if seen[t.File] {
			continue
		}
		seen[t.File] = true
		c, err := plan(t)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// writeHooks puts the hook into the settings of each agent.
func (s *setup) writeHooks() error {
	changes, err := s.planHooks()
	if err != nil {
		return err
	}
	done, err := s.apply(changes, "added the hook to", s.written)
	s.changes += len(done)
	s.touched = append(s.touched, done...)
	return err
}

// apply makes changes, or shows them, and returns the files that there were. It notes the
// folders that it makes in w.
func (o *Options) apply(changes []install.Change, did string, w *written) (done []string, err error) {
	for _, c := range changes {
		for _, note := range c.Notes {
			o.Say("note: %s", note)
		}
		if !c.Changed() {
			continue
		}
		done = append(done, c.File)
		if o.DryRun {
			c.File = place.From(o.Dir, c.File)
			o.Say("%s", strings.TrimSuffix(c.Diff(), "\n"))
			continue
		}
		w.makes(c.File)
		if err := c.Apply(); err != nil {
			return done, err
		}
		o.Say("%s %s", did, c.File)
	}
	return done, nil
}

// config is the configuration that is there, or the default one.
func (s *setup) config() config.Config {
	file := project.ConfigFile(s.dir)
	data, err := safefile.Read(file, strictyaml.MaxSize)
	if err != nil {
		return config.Default()
	}
	c, _ := config.Parse(filepath.Base(file), data, s.added()...)
	return c
}

// create writes a file that is not there yet, and says so.
func (s *setup) create(path string, data []byte) error {
	done, err := s.put(path, data)
	if done {
		s.Say("%s %s", s.wrote(), path)
	}
	return err
}

// put writes a file that is not there yet. done says that it was not.
func (s *setup) put(path string, data []byte) (done bool, err error) {
	if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	s.changes++
	if s.DryRun {
		return true, nil
	}
	s.written.makes(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	if err := safefile.Replace(path, data, 0o644); err != nil {
		return false, err
	}
	s.written.add(path, data)
	s.created, s.touched = append(s.created, path), append(s.touched, path)
	return true, nil
}
