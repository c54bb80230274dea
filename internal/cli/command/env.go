// Package command is what the commands of sentinel share: the world of a run, exit
// statuses, output, and questions to the user.
package command

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/project"
)

// Env is the world of one run of the command: all it may see and touch.
type Env struct {
	Name    string   // of the program; "" means [DefaultName]
	Version string   // of the program; "" means that of its build
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ []string // NAME=value: a detached process gets a part of it
	Dir     string   // absolute working directory
	Now     func() time.Time
	Color   bool // Stdout is a terminal that shows colours

	// Agents are those that the program knows.
	Agents agent.Registry

	// Doubt says why it is not certain that a person sits at the terminal; "" if it
	// is. nil has no doubt.
	Doubt func(agent.Registry, []person.Seen) string
	// Word is what a person has to type back; "" means a random one.
	Word string

	// Patience bounds a command that looks at much at once; 0 means its own bound.
	Patience time.Duration

	Backends map[string]func(config.Config) (sentinel.Backend, error)
	Mapper   sentinel.ToolMapper // of tools that only its giver knows; nil knows none
	Lock     sentinel.Lock       // in the place of the lock files; nil for those

	// Prints learns which values a command prints as JSON; nil but for what describes the
	// commands.
	Prints func(cmd *cobra.Command, values []any)

	// Observe gets the decision on a call, in a detached process. nil starts none.
	Observe func(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error
}

// Process is the world of this process.
func Process() *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // the folder was removed: what needs it says so
	}
	return &Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(), Dir: dir, Now: time.Now,
		Doubt: person.Doubt,
	}
}

// Colours sets Color where standard output is a terminal that shows colours. The hook
// does not ask.
func (e *Env) Colours() {
	if out, ok := e.Stdout.(*os.File); ok {
		e.Color = e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb" && progress.IsTerminal(out)
	}
}

// Progress begins to show on standard error, where that is a terminal, how far
// work of so many steps is; 0 means unknown.
func (e *Env) Progress(title string, total int) *progress.Line {
	return progress.New(progress.Terminal(e.Stderr, e.Getenv("TERM")), title, total, e.Now)
}

// Place is the working directory, for a sentence.
func (e *Env) Place() string {
	if e.Dir == "" {
		return "the working directory, which does not exist any more"
	}
	return e.Dir
}

// Home is the user's folder, "" if unknown.
func (e *Env) Home() string { return project.Environment(e.Getenv).Home }

// UserDir is the folder of the user's own configuration and rules, "" if unknown.
func (e *Env) UserDir() string { return project.Environment(e.Getenv).UserDir }

// StateDir is the folder of what is remembered for the user, "" if unknown.
func (e *Env) StateDir() string { return project.Environment(e.Getenv).StateDir }

// Options are those with which every command opens a project.
func (e *Env) Options() *project.Options {
	o := project.Environment(e.Getenv)
	o.Program, o.Backends, o.Mapper, o.Lock, o.Agents, o.Now = e.Name, e.Backends, e.Mapper, e.Lock, e.Agents, e.Now
	return o
}

// Abs is a path that the user gives, from the working directory.
func (e *Env) Abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Dir, path)
}

// AbsAll are paths that the user gives, from the working directory.
func (e *Env) AbsAll(paths []string) (all []string) {
	for _, path := range paths {
		all = append(all, e.Abs(path))
	}
	return all
}

// Width is that of the terminal: $COLUMNS, or what the terminal says, or 80.
func (e *Env) Width() int {
	if n, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && n > 0 {
		return min(max(n, 40), 200)
	}
	if f, ok := e.out().(*os.File); ok {
		if n := terminalWidth(f); n > 0 {
			return min(max(n, 40), 200)
		}
	}
	return 80
}

// Short is a path as a user in the working directory writes it.
func (e *Env) Short(path string) string { return place.From(e.Dir, path) }

// Added are the judges that the program has in addition to Sentinel's own.
func (e *Env) Added() []string { return slices.Sorted(maps.Keys(e.Backends)) }
