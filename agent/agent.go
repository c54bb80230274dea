// Package agent describes coding agents, each by one value: how its hook events are read
// and answered, which tools it has, where its settings, sessions and programs are, and
// what it is able to do.
//
// A [Registry] holds the agents of a program. The zero Registry has those that Sentinel
// knows; [New] adds agents of your own. There is no global list:
//
//	agents, err := agent.New(agent.Agent{Name: "ours", Decode: decode, Encode: encode})
//	ag, err := agents.Resolve("", stdin)
//	ev, err := ag.Decode(stdin)
//	d, err := engine.Evaluate(ctx, ev)
//	ans := ag.Encode(ev, d)
//
// Nothing here reads or writes a stream or ends the process; the caller does, so that the
// same code serves the command, an embedder and the tests.
//
// docs/hook-protocol.md and docs/agents show what is read and written, byte for byte, and
// CONTRIBUTING.md how an agent is added.
package agent

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/install"
)

// The value of an agent and its parts.
type (
	// Agent is all that Sentinel knows of one coding agent.
	Agent = wire.Agent
	// Answer is the result of a hook process, for its agent.
	Answer = wire.Answer
	// Sign says by what an event is known.
	Sign = wire.Sign
	// Abilities are what an agent can do with an answer, and how it behaves.
	Abilities = wire.Abilities
	// PhaseTimeout is a timeout of its own for the events of a phase.
	PhaseTimeout = wire.PhaseTimeout
	// Tools are the names of the tools that an agent has of its own, by what they do.
	Tools = wire.Tools
	// Results say how an agent tells what came of a command, in the text of the result.
	Results = wire.Results
	// ResultLine is a line of a result, after the output of the command.
	ResultLine = wire.ResultLine
	// ToolKeys are keys among the arguments of some tools.
	ToolKeys = wire.ToolKeys
	// Sessions are the records that an agent keeps of its sessions.
	Sessions = wire.Sessions
	// Project is a folder whose sessions are looked for.
	Project = wire.Project
	// Belonging says whether records are of a project.
	Belonging = wire.Belonging
	// Traces are what shows that an agent is on a machine, and that a process is one.
	Traces = wire.Traces
	// Starts are what shows that a command line starts an agent without hooks.
	Starts = wire.Starts
	// Missing is something that older versions of an agent do not do.
	Missing = wire.Missing
	// Plugin is Sentinel's plugin for an agent.
	Plugin = wire.Plugin
	// Canary says how an agent is started for one call that must be stopped.
	Canary = wire.Canary
	// Seen says how the answers to one program of an agent were seen to work.
	Seen = wire.Seen
	// Claim is how one thing was seen to work.
	Claim = wire.Claim
)

// The settings of an agent.
type (
	// Settings say where one agent keeps its hooks and how they are written.
	Settings = install.Settings
	// Place is where agents look for their settings.
	Place = install.Place
	// Scope says for whom a hook is registered.
	Scope = install.Scope
	// Hook says what is registered, and writes its command line.
	Hook = install.Hook
	// Form is what has to be known of an agent's file to edit it.
	Form = install.Form
	// Want is one entry that is to be in the file.
	Want = install.Want
	// Object is a JSON object to be written, in order.
	Object = install.Object
	// Pair is a member of an Object.
	Pair = install.Pair
	// Shell reads an agent's command line.
	Shell = install.Shell
	// Script is a hook that is a whole file.
	Script = install.Script
	// Step is what only a user can do before the agent runs the hook.
	Step = install.Step
	// Reach says in which folders an agent loads a repository's hooks.
	Reach = install.Reach
)

// Scopes, shells, reaches, and the shapes of a settings file.
const (
	Repository = install.Repository
	User       = install.User

	Posix      = install.Posix
	Cmd        = install.Cmd
	PowerShell = install.PowerShell

	ReachUnknown = install.ReachUnknown
	ReachRoot    = install.ReachRoot
	ReachBelow   = install.ReachBelow

	Nested = install.Nested
	Flat   = install.Flat
	Listed = install.Listed
)

// ExitBlock is the [Answer].Exit that stops a call, to the agents that know one.
const ExitBlock = exit.Block

// Whether records are of a project.
const (
	Elsewhere = wire.Elsewhere
	Perhaps   = wire.Perhaps
	Here      = wire.Here
)

// InGroup is an entry in the nested shape: a group with a matcher and one handler.
func InGroup(event, matcher string, handler Object) Want {
	return install.InGroup(event, matcher, handler)
}

// Denial is the text for a call that must not happen: one line, safe to print. An agent
// that cannot ask its user gets it for a question as well.
func Denial(d sentinel.Decision) string { return wire.Denial(d) }

// Question is what the user is asked: one line, safe to print.
func Question(d sentinel.Decision) string { return wire.Question(d) }

// Context is what a decision has for the model, safe to print; "" for nothing.
func Context(d sentinel.Decision) string { return wire.Context(d) }

// Proceeds reports whether the call may go on, as far as Sentinel is concerned. An
// unknown verdict stops it.
func Proceeds(d sentinel.Decision) bool { return wire.Proceeds(d) }
