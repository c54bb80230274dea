// Package sentinelcmd is the sentinel command as a function, so that anybody can
// build it with a judge of their own:
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
//			Backends: map[string]sentinelcmd.Builder{"ours": ourjudge.New},
//		}))
//	}
//
// Rules then name it with `backend: ours`.
package sentinelcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli"
)

// Builder makes a backend for a folder of rules with this configuration. It is
// called at most once for each folder, at the first question.
type Builder = func(config.Config) (sentinel.Backend, error)

// Config is what a program of your own adds to the command.
type Config struct {
	// Backends are the judges by the name that rules use. One with the name of
	// Sentinel's own replaces it.
	Backends map[string]Builder

	// Agents are coding agents that Sentinel does not know. One with the name of
	// Sentinel's own replaces it. Every command then knows them: the hook, init,
	// uninstall, doctor, replay.
	Agents []agent.Agent

	// Mapper says what the tools of your own agent do, where tool_map and
	// tool_args cannot. It is asked before Sentinel's own, which see the call when
	// it answers sentinel.ErrUnknownTool. nil knows none.
	Mapper sentinel.ToolMapper

	// Observe is told what the hook answered, at, and why: a call that no rule was
	// about is not told. It is called in a process of its own, once the agent has
	// its answer, so that it may take its time; ctx ends after half a minute. An
	// error becomes a note that "sentinel doctor" shows.
	//
	// The process has what finding files and services needs of the environment,
	// and the variables of OpenTelemetry (OTEL_*, TRACEPARENT, TRACESTATE). The
	// event and the decision hold no arguments, contents, prompts and answers, and
	// secrets in what they do hold are masked. nil observes nothing, and starts
	// nothing.
	Observe func(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error
}

// Main runs the command with the arguments, streams and environment of the
// process, and returns its exit status. nil adds nothing.
func Main(c *Config) (status int) {
	env := cli.Process()
	if c != nil {
		env.Backends, env.Mapper, env.Observe = c.Backends, c.Mapper, c.Observe
		agents, err := agent.New(c.Agents...)
		if err != nil {
			fmt.Fprintln(env.Stderr, err)
			return 1
		}
		env.Agents = agents
	}
	return cli.Run(env)
}
