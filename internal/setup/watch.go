package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// A Watch compares what an agent's settings say of the hook with what they said when
// the session began. nil compares nothing.
type Watch struct {
	Project *project.Project
	Opts    *project.Options
	Agent   *agent.Agent
	Session string
	Dir     string // where the event happens
}

// An Alarm is a change found in a project that the user has not looked at.
type Alarm struct {
	At    time.Time `json:"at"`
	Agent string    `json:"agent"`
	What  []string  `json:"what"`
	Rules bool      `json:"rules"` // the rules on disk are weaker than those that are pinned
	Was   standing  `json:"was"`
}

// String says in one line what was found.
func (a *Alarm) String() string { return strings.Join(a.What, "; ") }

// A standing has the state of the hook in an agent's settings.
type standing struct {
	At    time.Time         `json:"at"`
	Root  string            `json:"root"`
	Stamp string            `json:"stamp"` // of all files
	Files map[string]string `json:"files"` // by the name of a file: the digest of the hook's entries, after off where it switches hooks off
}

const (
	off        = "off "
	maxWatched = 32 // files that are compared, and paths that an agent is asked to watch
	maxLosses  = 3  // that are told
)

func watched(o *project.Options) *state.Values {
	return state.NewValues(filepath.Join(o.StateDir, "watched"))
}

func alarmsDir(o *project.Options) string { return filepath.Join(o.StateDir, "alarms") }

// Begin remembers what the settings say. A session that goes on is compared instead.
func (w *Watch) Begin() error {
	if w == nil || len(w.Look()) > 0 {
		return nil
	}
	return w.keep(w.stand(place.Root(w.Dir)))
}

// Ensure is Begin for an agent that did not tell of the beginning.
func (w *Watch) Ensure() error {
	if w == nil || watched(w.Opts).Has(w.name()) {
		return nil
	}
	return w.Begin()
}

// Look returns what the hook has lost since the session began, and raises the alarm. It
// costs a look at the times of a few files where nothing has changed.
func (w *Watch) Look() (lost []string) {
	if w == nil {
		return nil
	}
	was, ok := w.kept()
	if !ok || w.stamp(was.Root) == was.Stamp {
		return nil
	}
	var seen standing
	looked := json.Unmarshal(watched(w.Opts).Load(seenName(was.Root)), &seen) == nil && seen.At.After(was.At)
	if !looked {
		lost = w.lost(was)
	}
	if len(lost) == 0 {
		w.keep(w.stand(was.Root))
		return nil
	}
	w.raise(Alarm{What: lost, Was: was})
	return lost
}

// Weakened raises the alarm where weaker rules than those that are pinned lie on the
// disk.
func (w *Watch) Weakened() bool {
	if w == nil || !held(w.Project) {
		return false
	}
	w.raise(Alarm{What: []string{"the rules were changed and stop less than those that you know"}, Rules: true, Was: standing{Root: place.Root(w.Dir)}})
	return true
}

func held(p *project.Project) bool {
	for _, f := range p.Folders {
		if f.Held() {
			return true
		}
	}
	return false
}

// Alarm is the change found in the project of the event that the user has not looked at;
// nil when there is nothing, or when all is again as it was.
func (w *Watch) Alarm() *Alarm {
	if w == nil {
		return nil
	}
	a := AlarmIn(w.Opts, w.Dir)
	if a == nil || a.Rules && held(w.Project) {
		return a
	}
	if found, err := w.Opts.Agents.Named(a.Agent); err == nil && len(a.Was.Files) > 0 {
		was := *w
		if was.Agent = found; len(was.lost(a.Was)) > 0 {
			return a
		}
	}
	state.NewValues(alarmsDir(w.Opts)).Update(a.Was.Root, func([]byte) []byte { return nil })
	return nil
}

// AlarmIn is the alarm of a project that a folder lies in, as it was raised.
func AlarmIn(o *project.Options, dir string) *Alarm {
	if o.StateDir == "" {
		return nil
	}
	if _, err := os.Stat(alarmsDir(o)); err != nil {
		return nil // the usual case costs one system call
	}
	alarms := state.NewValues(alarmsDir(o))
	for ; ; dir = filepath.Dir(dir) {
		var a Alarm
		if alarms.Has(dir) && json.Unmarshal(alarms.Load(dir), &a) == nil {
			return &a
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// Seen ends the alarm of the project that a folder lies in: a person has looked, and
// what its agents' settings are now is what sessions are compared with.
func Seen(o *project.Options, dir string) error {
	if !watches(o) {
		return nil
	}
	root := place.Root(dir)
	if a := AlarmIn(o, dir); a != nil {
		root = a.Was.Root
	}
	seen, err := json.Marshal(standing{At: now(o), Root: root})
	if err == nil {
		err = watched(o).Update(seenName(root), func([]byte) []byte { return seen })
	}
	if err != nil {
		return err
	}
	return state.NewValues(alarmsDir(o)).Update(root, func([]byte) []byte { return nil })
}

// watches reports whether anything is kept that a session would be compared with.
func watches(o *project.Options) bool {
	if o.StateDir == "" {
		return false
	}
	_, noStanding := os.Stat(filepath.Join(o.StateDir, "watched"))
	_, noAlarm := os.Stat(alarmsDir(o))
	return noStanding == nil || noAlarm == nil
}

// seenName is not the name of a session: those begin with the name of an agent.
func seenName(root string) string { return "\x00seen\x00" + root }

func now(o *project.Options) time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func (w *Watch) raise(a Alarm) {
	a.At, a.Agent = now(w.Opts), w.Agent.Name
	if len(a.What) > maxLosses {
		a.What = append(a.What[:maxLosses:maxLosses], "and more")
	}
	err := state.NewValues(alarmsDir(w.Opts)).Update(a.Was.Root, func(old []byte) []byte {
		data, _ := json.Marshal(a.with(old))
		return data
	})
	book := w.Project.Past().Book()
	book.NoteOnce("hook", w.Agent.Name, a.String())
	if err != nil {
		book.NoteOnce("hook", w.Agent.Name, err.Error())
	}
}

// with adds what an alarm that is on already is about besides.
func (a Alarm) with(old []byte) Alarm {
	var o Alarm
	switch {
	case json.Unmarshal(old, &o) != nil:
	case a.Rules && !o.Rules:
		o.What, o.Rules = append(o.What, a.What...), true
		return o
	case o.Rules && !a.Rules:
		a.What, a.Rules = append(a.What, o.What[len(o.What)-1]), true
	}
	return a
}

func (w *Watch) name() string { return w.Agent.Name + "\x00" + w.Session }

func (w *Watch) kept() (s standing, ok bool) {
	return s, json.Unmarshal(watched(w.Opts).Load(w.name()), &s) == nil
}

func (w *Watch) keep(s standing) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return watched(w.Opts).Update(w.name(), func([]byte) []byte { return data })
}

// files are those that the agent reads hooks from, of the project at root and of the
// person.
func (w *Watch) files(root string) (all []install.Target) {
	at := agent.Place{Root: root, Home: w.Opts.Home, Getenv: w.Opts.Getenv, Program: w.Opts.Program}
	for _, name := range []string{w.Agent.Name, w.Agent.Abilities.RunsHooksOf} {
		a, err := w.Opts.Agents.Named(name)
		if err != nil {
			continue
		}
		for _, s := range []install.Scope{install.Repository, install.User} {
			targets, err := a.Targets(at, s)
			if err != nil {
				continue
			}
			also, _ := at.AlsoRead(a.Name, &a.Settings, s)
			all = append(append(all, targets...), also...)
		}
	}
	return all[:min(len(all), maxWatched)]
}

// stamp changes when one of the files does.
func (w *Watch) stamp(root string) string {
	var b strings.Builder
	for _, t := range w.files(root) {
		if info, err := os.Stat(t.File); err == nil {
			fmt.Fprintln(&b, t.File, info.Size(), info.ModTime().UnixNano())
		}
	}
	return short(b.String())
}

func short(s string) string { return digest.Hex(s)[:16] }

func (w *Watch) stand(root string) standing {
	s := standing{At: now(w.Opts), Root: root, Stamp: w.stamp(root), Files: map[string]string{}}
	for _, t := range w.files(root) {
		if r, err := install.Look(t, install.Hook{}); err == nil {
			s.Files[short(t.File)] = sumOf(r)
		}
	}
	if w.hasPlugin(root) {
		s.Files[plugin] = plugin
	}
	return s
}

// plugin is the name of an agent's plugin among the files.
const plugin = "plugin"

func (w *Watch) hasPlugin(root string) bool {
	find := w.Agent.Plugin.Find
	return find != nil && find(agent.Place{Root: root, Home: w.Opts.Home, Getenv: w.Opts.Getenv, Program: w.Opts.Program}) != ""
}

func sumOf(r install.Registration) string {
	sum := r.Sum
	if len(sum) > 16 {
		sum = sum[:16]
	}
	if len(r.Off) > 0 {
		return off + sum
	}
	return sum
}

// lost says what the hook has lost since.
func (w *Watch) lost(was standing) (lost []string) {
	for _, t := range w.files(was.Root) {
		before, known := was.Files[short(t.File)]
		name := text.OneLine(place.From(was.Root, t.File))
		r, err := install.Look(t, install.Hook{})
		sum := strings.TrimPrefix(before, off)
		switch {
		case err == nil && len(r.Off) > 0 && !strings.HasPrefix(before, off):
			lost = append(lost, name+": "+r.Off[0])
		case !known || sum == "" || err == nil && strings.TrimPrefix(sumOf(r), off) == sum:
		case err != nil:
			lost = append(lost, "the hook in "+name+" cannot be read any more: "+text.OneLine(err.Error()))
		case len(r.Entries) == 0:
			lost = append(lost, name+" does not start the hook any more")
		case !w.isOurs(t):
			lost = append(lost, "the hook in "+name+" was changed")
		}
	}
	if was.Files[plugin] != "" && !w.hasPlugin(was.Root) {
		lost = append(lost, "the plugin of Sentinel is not enabled any more")
	}
	return lost
}

// isOurs reports whether a file has the hook as init would write it now.
func (w *Watch) isOurs(t install.Target) bool {
	scope := install.User
	if t.Root != "" {
		scope = install.Repository
	}
	c := Config(w.Project, scope)
	h, _ := Hook(w.Project, &c)
	r, err := install.Look(t, h)
	if err != nil || !r.Current {
		return false
	}
	self, _ := os.Executable()
	for _, e := range r.Entries {
		if call, ok := e.Call(); !ok || call.Program != install.ProgramName(w.Opts.Program) && call.Program != self {
			return false
		}
	}
	return true
}

// Paths are what an agent that can is asked to watch: its settings, and the rules and
// configuration that apply.
func (w *Watch) Paths() (paths []string) {
	if w == nil {
		return nil
	}
	for _, t := range w.files(place.Root(w.Dir)) {
		paths = append(paths, t.File)
	}
	for _, f := range w.Project.Folders {
		rules := filepath.FromSlash(f.Config.RulesDir)
		if !filepath.IsLocal(rules) || filepath.Clean(rules) == "." { // the folder itself has the log
			rules = "rules"
		}
		paths = append(paths, project.ConfigFile(f.Dir), filepath.Join(f.Dir, rules))
	}
	return paths[:min(len(paths), maxWatched)]
}
