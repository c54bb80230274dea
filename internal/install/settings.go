package install

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// A Scope says for whom a hook is registered.
type Scope uint8

const (
	Repository Scope = iota // everybody who works in one repository
	User                    // one user, in all repositories
)

// A Place is where agents look for their settings.
type Place struct {
	Root string // of the repository
	Home string // the user's home folder
	// Getenv reads the environment, in which some agents find the folder of their
	// user's settings; nil means that no variable is set.
	Getenv func(string) string
	GOOS   string // "" means the system this runs on
	// Program is what this program is called; it tells its hook from others. "" means
	// sentinel.
	Program string
}

// Base is the repository or the home folder.
func (p Place) Base(s Scope) string {
	if s == User {
		return p.Home
	}
	return p.Root
}

// UnderHome is a path below the home folder, "" where there is none.
func (p Place) UnderHome(path ...string) string {
	if p.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{p.Home}, path...)...)
}

// Env returns the absolute folder that a variable names, or else the usual one.
func (p Place) Env(name, usual string) string {
	if p.Getenv != nil {
		if dir := p.Getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return usual
}

// System is the operating system, as GOOS has it.
func (p Place) System() string {
	if p.GOOS == "" {
		return runtime.GOOS
	}
	return p.GOOS
}

// Settings say where one agent keeps its hooks and how they are written: as entries
// of a JSON file, with Form and Wants, or as whole files, with Script and ReadScript.
// The zero value is an agent whose settings are not known.
type Settings struct {
	// Files are the files that the hook belongs into, in the order in which they are
	// written.
	Files func(Place, Scope) []string
	// Reads are files that the agent reads as well and that are never written. nil
	// means none.
	Reads func(Place, Scope) []string

	Form  func(file string) Form
	Wants func(file string, h Hook) []Want

	Script     func(file string, h Hook) Script
	ReadScript func(file, text, own string) (Entry, bool) // finds the entry in a file like those of Script; own is what this program is called, "" is sentinel
	PerEvent   bool                                       // each file is called like the one event that it is for
	Before     []string                                   // the events that come before a tool runs, of Wants or PerEvent
	Stop       []string                                   // and those at the end of a turn
	Executable bool                                       // the agent starts the file

	Windows Shell // that reads a command on Windows; elsewhere it is Posix
	Reach   Reach // in which folders the files of a repository count

	// Steps are what only a user can do before the agent runs the hook. nil means none.
	Steps func(Place, Scope) []Step
	// Notes are what else to say when the hook is written: sentences without a full
	// stop. nil means none.
	Notes func(Scope) []string
	// Off names what in a file keeps every hook from running. nil means nothing.
	Off func(text []byte) []string
}

// A Shape is how an agent's file holds its hooks.
type Shape uint8

const (
	Nested Shape = iota // hooks.EVENT[] are groups with a matcher; their hooks[] are the handlers
	Flat                // hooks.EVENT[] are the handlers
	Listed              // hooks[] are the handlers; each names its event as its trigger
)

// A Form is what has to be known of an agent's file to edit it.
type Form struct {
	Shape   Shape
	Dialect Dialect
	Head    Object        // members that the agent wants next to hooks
	Born    Object        // members of a new file; in an existing one they would say something untrue
	Unit    time.Duration // of a handler's timeout; 0 means a second
	Keys    []string      // of a handler, that Sentinel writes for this agent alone
	Alone   bool          // the file is of an agent that a user made, and holds for that one only

	own    string // what this program is called; "" is sentinel
	python bool   // it is about the hooks of the Python Sentinel, and not about ours
}

// A Want is one entry that is to be under an event: a handler, or in the nested
// shape a group with one handler.
type Want struct {
	Event string
	Item  Object
}

// InGroup makes the nested shape's group; matcher is "" for an event that has no
// tool.
func InGroup(event, matcher string, handler Object) Want {
	var group Object
	if matcher != "" {
		group = group.With("matcher", matcher)
	}
	return Want{Event: event, Item: group.With("hooks", Array{handler})}
}

// Known reports whether the hook can be written for the agent.
func (s *Settings) Known() bool { return s != nil && s.Files != nil }

// IsBefore reports whether an event comes before a tool runs.
func (s *Settings) IsBefore(event string) bool { return s != nil && slices.Contains(s.Before, event) }

// IsStop reports whether an event comes at the end of a turn.
func (s *Settings) IsStop(event string) bool { return s != nil && slices.Contains(s.Stop, event) }

// FormOf is the form of one of the agent's files; that of a script is empty.
func (s *Settings) FormOf(file string) Form {
	if s == nil || s.Form == nil {
		return Form{}
	}
	return s.Form(file)
}

// formFor is the form of a file for a program that is called own.
func (s *Settings) formFor(file, own string) Form {
	f := s.Form(file)
	f.own = own
	return f
}

// shell reads the agent's commands on a system.
func (s *Settings) shell(goos string) Shell {
	if goos != "windows" {
		return Posix
	}
	return s.Windows
}

// Target is a settings file of an agent.
type Target struct {
	Agent    string // its name, for messages
	Settings *Settings
	File     string
	// Root, when not "", is a folder that File must lie in, with no symbolic link
	// on the way: a repository could otherwise have a file written elsewhere.
	Root string
	// Program is what this program is called; "" means sentinel.
	Program string
	// Backup is where a copy of the file goes before the first change. It is
	// written once and never again. "" means File with ".before-sentinel" added.
	Backup string
}

// Targets returns the files that an agent's hook belongs into, in the order in
// which they are to be written. Most agents have one. Targets of two agents can be
// the same file.
func (p Place) Targets(agent string, settings *Settings, scope Scope) ([]Target, error) {
	return p.targets(agent, settings, settings.Files, scope)
}

// AlsoRead returns the files with hooks that the agent reads and [Place.Targets]
// does not name.
func (p Place) AlsoRead(agent string, settings *Settings, scope Scope) ([]Target, error) {
	if settings.Reads == nil {
		return nil, nil
	}
	return p.targets(agent, settings, settings.Reads, scope)
}

func (p Place) targets(agent string, settings *Settings, files func(Place, Scope) []string, scope Scope) ([]Target, error) {
	if files == nil {
		return nil, fmt.Errorf("install: agent %q has no settings file that is known here", agent)
	}
	if base := p.Base(scope); !filepath.IsAbs(base) {
		return nil, fmt.Errorf("install: the folder %q, in which %s keeps its settings, is not an absolute path", base, agent)
	}
	var targets []Target
	for _, file := range files(p, scope) {
		t := Target{Agent: agent, Settings: settings, File: file, Program: p.Program}
		if scope == Repository {
			t.Root = p.Root
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// scope says for whom the file holds: only a repository's has a root.
func (t Target) scope() Scope {
	if t.Root == "" {
		return User
	}
	return Repository
}
