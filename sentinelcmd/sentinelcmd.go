// Package sentinelcmd is the sentinel command as a function, so that other
// programs can add judges, agents, tools, a lock or an observer of their own:
//
//	package main
//
//	import (
//		"os"
//
//		"github.com/agentsentinel/sentinel/sentinelcmd"
//		"example.com/ourjudge"
//	)
//
//	func main() {
//		os.Exit(sentinelcmd.Main(&sentinelcmd.Config{
//			Name:     "oursentinel",
//			Backends: map[string]sentinelcmd.Builder{"ours": ourjudge.New},
//		}))
//	}
//
// Rules then name it with `backend: ours`, and "oursentinel init" has agents start
// "oursentinel hook".
package sentinelcmd

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
)

// Builder makes a backend for a folder of rules with this configuration. Judging calls it
// at the first question; commands such as doctor call it to ask the backend what it is.
type Builder = func(config.Config) (sentinel.Backend, error)

// Config is what a program of your own adds to the command.
type Config struct {
	// Name is what your program is called: letters, digits, - and _. Its init has
	// agents start the hook by it, and help and messages name it. "" means sentinel.
	Name string

	// Version is that of your program; "" means that of its build.
	Version string

	// Backends are the judges by the name that rules use. One with the name of
	// Sentinel's own replaces it. One that shares a GPU or costs money says so as the
	// interface Describer of package backend has it.
	Backends map[string]Builder

	// Agents are coding agents that Sentinel does not know. One with the name of
	// Sentinel's own replaces it. Every command then knows them: the hook, init,
	// uninstall, doctor, replay.
	Agents []agent.Agent

	// Mapper says what the tools of your own agent do, where tool_map and
	// tool_args cannot. It is asked before Sentinel's own, which see the call when
	// it answers sentinel.ErrUnknownTool. nil knows none.
	Mapper sentinel.ToolMapper

	// Lock is shared by the callers of one GPU, in the place of Sentinel's lock
	// files. The commands of one machine are processes of their own, so it has to
	// hold between processes. nil means the lock files.
	Lock sentinel.Lock

	// Observe gets what the hook answered, when, and why. Calls that no rule is about
	// are left out. It is called in a process of its own, once the agent has
	// its answer, so that it may take its time; ctx ends after half a minute. An
	// error becomes a note that "sentinel doctor" shows. The trial calls of init and doctor
	// come too: most have the session "sentinel-doctor".
	//
	// The process has what finding files and services needs of the environment,
	// and the variables of OpenTelemetry (OTEL_*, TRACEPARENT, TRACESTATE). The
	// event and the decision hold no arguments, contents, prompts and answers, and
	// secrets in what they do hold are masked. nil observes nothing, and starts
	// nothing.
	Observe func(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error
}

// Main runs the command with the arguments, streams and environment of the
// process, and returns its exit status. nil adds nothing. It is called once in the
// life of a process.
func Main(c *Config) (status int) {
	// net/http reports there what a server sends unasked, in the server's words. At a
	// hook that would be text for the agent.
	log.SetOutput(io.Discard)
	env := command.Process()
	if c != nil {
		if err := env.SetName(c.Name); err != nil {
			fmt.Fprintln(os.Stderr, "sentinelcmd: "+err.Error())
			return exit.Error
		}
		env.Version, env.Backends, env.Mapper, env.Lock, env.Observe = c.Version, c.Backends, c.Mapper, c.Lock, c.Observe
		agents, err := agent.New(c.Agents...)
		if err != nil {
			fmt.Fprintln(env.Stderr, err)
			return exit.Error
		}
		env.Agents = agents
	}
	return cli.Run(env)
}
