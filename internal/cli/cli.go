// Package cli is the sentinel command: flags, streams, exit statuses. Everything
// it does, a library does for it.
//
// Exit statuses: 0 is done or allowed; 1 an error of sentinel itself or of its
// call; 2 a block, or that a person must be asked.
package cli

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/progress"
	"github.com/agentsentinel/sentinel/project"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitBlock = 2
)

// Env is the world of one run of the command: all it may see and touch.
type Env struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ []string // NAME=value: what a process that is left behind may get of it
	Dir     string   // absolute working directory
	Now     func() time.Time
	Color   bool // Stdout is a terminal that shows colours

	// Ancestry says what of the processes above this one shows that one of the agents
	// started it; "" if nothing does. nil looks at none.
	Ancestry func(agent.Registry) string

	// Patience bounds a command that looks at much at once; 0 means its own bound.
	Patience time.Duration

	Backends map[string]func(config.Config) (sentinel.Backend, error)
	Mapper   sentinel.ToolMapper // of tools that only its giver knows; nil knows none
	Agents   agent.Registry

	// Observe is told, in a process that is left behind, what came of a call. nil
	// leaves none behind.
	Observe func(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error
}

// Process is the world of this process.
func Process() *Env {
	// With it, Ollama's client would sign requests with a key of the user's, and
	// without that key fail. A repository's settings can set variables.
	os.Unsetenv("OLLAMA_AUTH")
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // the folder was removed: what needs it says so
	}
	return &Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(), Dir: dir, Now: time.Now,
		Ancestry: ancestry,
		Color:    os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && progress.IsTerminal(os.Stdout),
	}
}

// progress begins to show on standard error, where that is a terminal, how far
// work of so many steps is; 0 means that nobody knows how many.
func (e *Env) progress(title string, total int) *progress.Line {
	return progress.New(progress.Terminal(e.Stderr, e.Getenv("TERM")), title, total, e.Now)
}

// Run runs the command and returns its exit status. The hook is started for
// every tool call of an agent, so it goes past the command-line library.
func Run(env *Env) int {
	if len(env.Args) > 0 && env.Args[0] == "hook" {
		return runHook(env, env.Args[1:])
	}
	if len(env.Args) == 1 && env.Args[0] == sessionCommand {
		return runSessionWork(env)
	}
	if len(env.Args) == 1 && env.Args[0] == observeCommand {
		return runObserve(env)
	}
	if len(env.Args) == 1 && env.Args[0] == shadowCommand {
		return runShadowWork(env)
	}
	return runCommand(env)
}

// place is the working directory, for a sentence.
func (e *Env) place() string {
	if e.Dir == "" {
		return "the working directory, which does not exist any more"
	}
	return e.Dir
}

// home is the user's folder, "" when there is none.
func (e *Env) home() string { return project.Environment(e.Getenv).Home }

func (e *Env) userDir() string { return project.Environment(e.Getenv).UserDir }

func (e *Env) stateDir() string { return project.Environment(e.Getenv).StateDir }

// project are the options by which every command opens a project.
func (e *Env) project() *project.Options {
	o := project.Environment(e.Getenv)
	o.Backends, o.Mapper, o.Agents, o.Now = e.Backends, e.Mapper, e.Agents, e.Now
	return o
}

// agentPlace is where agents keep their settings and sessions, with root as the
// repository.
func (e *Env) agentPlace(root string) agent.Place {
	return agent.Place{Root: root, Home: e.home(), Getenv: e.Getenv}
}
