// Package wire holds what the agents have in common: the value that describes one of
// them, and the parts that their protocols are made of.
package wire

import (
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/install"
)

// An Agent is all that Sentinel knows of one coding agent. Only Name is needed; what
// is not set is not known, and the parts of Sentinel that need it pass the agent over.
type Agent struct {
	// Name is how the flag --agent, [sentinel.Event].Agent and the configuration call
	// it: small letters, digits and hyphens.
	Name    string
	Aliases []string // other names that --agent takes
	Title   string   // for people: "Claude Code"; "" means Name

	// Decode reads one event. It ignores fields that it does not know, because agents
	// add some with every release. An error wraps [sentinel.ErrEvent] and says what is
	// wrong and where; the event that comes with it must not be used. Decode is safe
	// for concurrent use and keeps no state between calls.
	Decode func(stdin []byte) (sentinel.Event, error)
	// Encode answers an event. It is pure. An unknown verdict, with
	// [sentinel.VerdictUndecided] among them, is the agent's deny. It never approves a
	// call: that would skip the question that the agent itself asks its user.
	Encode func(ev sentinel.Event, d sentinel.Decision) Answer
	// Speaks names the agent whose protocol this one speaks, in place of Decode and
	// Encode. Its events then count as those of that agent.
	Speaks string
	// Marks are signs that no other agent sends. They count for more than the flag
	// --agent, because one agent runs hooks that were registered for another one.
	Marks []Sign
	// Signs are what else its events are known by, where no agent's mark is found.
	Signs []Sign
	// Never are fields that no event with one of Signs has.
	Never []string

	Abilities Abilities
	Tools     Tools
	Results   Results
	Settings  install.Settings
	// Guards are further files, not among those of Settings, that make the agent run other
	// hooks or none, or say whom it trusts: from the root of a repository, or after ~/ from
	// the home folder. A folder ends in /. The rule guard-files is about each.
	Guards   []string
	Sessions Sessions
	Traces   Traces
	Starts   Starts
	Plugin   Plugin
	Canary   Canary

	// Trial is an event that the agent sends before it runs a command in dir, with the
	// fields that identify the agent. It must encode as JSON. nil means that the hook
	// cannot be tried.
	Trial func(dir, command string) map[string]any

	// Seen says how the agent's answers were seen to work, for the documentation: one
	// row for each of its programs.
	Seen []Seen
}

// DisplayName is the title, or the name without one.
func (a *Agent) DisplayName() string {
	if a.Title == "" {
		return a.Name
	}
	return a.Title
}

// Timeout is how long the agent waits for the answer to an event when the hook was
// registered without a timeout. After that most agents let the call pass. 0 means that
// it is not known, or that the agent waits for ever.
func (a *Agent) Timeout(phase sentinel.Phase) time.Duration {
	for _, t := range a.Abilities.PhaseTimeouts {
		if t.Phase == phase {
			return t.Timeout
		}
	}
	return a.Abilities.Timeout
}

// Targets are the settings files that the hook belongs into.
func (a *Agent) Targets(p install.Place, s install.Scope) ([]install.Target, error) {
	return p.Targets(a.Name, &a.Settings, s)
}

// Steps are what only a user can do before the agent runs the hook.
func (a *Agent) Steps(p install.Place, s install.Scope) []install.Step {
	if a.Settings.Steps == nil {
		return nil
	}
	return a.Settings.Steps(p, s)
}

// Abilities are what an agent can do with an answer, and how it behaves.
type Abilities struct {
	AsksUser      bool // before a tool, about a shell command
	ReplacesOnAsk bool // takes changed arguments with that question: the user's yes runs those, see [sentinel.Decision.Input]
	WaitsOnAsk    bool // a run without a user waits for ever on that question
	ContextBefore bool // reads context before a tool
	ContextAfter  bool // reads context after a tool
	TellsEnd      bool // has an event for the end of a session
	TellsResults  bool // tells after a shell command whether it succeeded, by its exit status
	StaysAtWork   bool // goes on with its turn where the answer to the end of it is a block
	HearsPerson   bool // its prompts are a person's: those of subagents and timers have no event, or Event.Prompt is "" there
	NoStart       bool // has no event for the start of a session: its first prompt counts as the start
	// NumbersCalls says that each tool call has an id of its own, Event.Tool.ID. The
	// same call twice looks like one event sent twice where it has none.
	NumbersCalls bool
	// ErrorDenies says that every exit status but 0 denies a call. Most agents let it
	// pass at exit status 1.
	ErrorDenies bool
	// RunsHooksOf names the agent whose settings' hooks it can run as well.
	RunsHooksOf string

	Timeout       time.Duration // see [Agent.Timeout]
	PhaseTimeouts []PhaseTimeout

	// How the agent treats an answer, for people: with a block, a question and a
	// warning.
	OnBlock, OnAsk, OnWarn string
}

// A PhaseTimeout is a timeout of its own for the events of a phase.
type PhaseTimeout struct {
	Phase   sentinel.Phase
	Timeout time.Duration
}

// Tools are the names of the tools that an agent has of its own, by what they do.
type Tools struct {
	Write, Run, Read []string // they write files, run commands, read files
	Search           []string // they show the lines of files that a text is found in
	MCP              []string // they call a tool of an MCP server that their arguments name
	Harmless         []string // they do nothing that a rule could be about

	// Bookkeeping are tools that serve the agent's own work: lists of tasks, plans, modes,
	// questions to its user. Records leave their calls out.
	Bookkeeping []string

	Patch      []string   // of Write: they take a patch
	Verbs      []string   // of Write: their argument command says what they do to the file
	Edits      []string   // of Write: they change a part of a file, whatever their arguments
	Services   []string   // of Run: their arguments name a service and an operation of the AWS command line
	Modes      []string   // of Search: output_mode says whether they show lines; without it they show names of files
	NamesOnly  []string   // of Search: where names_only is true they show names of files
	PowerShell []string   // of Run: the command is PowerShell text
	NoCommand  []string   // of Run: they may come without a command
	Folders    []ToolKeys // the arguments that hold the folder a tool runs in

	// Separator is the text between server and tool in the name of an MCP tool without a
	// prefix; "" if all names have a prefix.
	Separator string
}

// ToolKeys are keys among the arguments of some tools.
type ToolKeys struct {
	Tools, Keys []string
	// Own says that other agents' tools with these names do not have the keys.
	Own bool
}

// Sessions are the records that an agent keeps of its sessions.
type Sessions struct {
	// Format is the name of their format, which is the name of the agent that introduced
	// it: a constant of package agent. "" means that they cannot be read; Sentinel then
	// keeps its own record.
	Format string
	// Homes are the folders in which all records are. nil means none.
	Homes func(install.Place) []string
	// Projects is a pattern for the folders of single projects below a home; "" means that
	// the agent has no such folders. Belongs says whether a folder is that of a project.
	Projects string
	Belongs  func(dir string, p Project) Belonging
	// Files are patterns for the records, below a project's folder or else below a home.
	Files []string
	// Late says that a record is written some time after the event that it is about.
	Late bool
	// ParentFolder says that the record of a subagent is in a folder which has the name of
	// the session that it is part of. Others say it in the record.
	ParentFolder bool
	// OtherIDs says that a call has another id in the records than in its events.
	OtherIDs bool
}

// A Project is a folder whose sessions are looked for.
type Project struct {
	Roots []string               // its names: the path, and the one without symbolic links
	Holds func(path string) bool // reports whether a folder is the project's or below it
}

// Belonging says whether records are of a project.
type Belonging uint8

const (
	Elsewhere Belonging = iota // they are not
	Perhaps                    // each record has to say where it was held
	Here                       // they are
)

// Traces are what shows that an agent is on a machine, and that a process is one.
type Traces struct {
	Programs []string // on the PATH
	Paths    []string // below the home folder, or absolute; * matches anything
	// Repository are files and folders of a repository that show that somebody works on it
	// with the agent; * matches anything.
	Repository []string
	// Version says that the program answers --version at once and opens no window.
	Version bool
	// Processes are programs that are the agent itself, and not an editor in which a
	// user works too.
	Processes []string
	// Environment are variables that the agent sets for the commands that it runs:
	// NAME, or NAME=TEXT where the text is a part of the value.
	Environment []string
	Missing     []Missing
}

// Starts are what shows that a command line starts the agent without hooks, so that a
// second agent works unguarded.
type Starts struct {
	Programs []string // of its command line
	// Options start it without hooks, without the settings that register hooks, or without
	// questions to the user. Each is a whole word, or the beginning of one with a * at its
	// end.
	Options []string
	// Tasks are the options and sub-commands that give it work to do. In another
	// folder the hooks of this project do not guard it.
	Tasks []string
	// Changes are sub-commands that change its hooks, plugins or servers: two words, and
	// the second may end in *.
	Changes []string
	// Variables say where its settings are.
	Variables []string
}

// Missing is something that older versions of an agent do not do.
type Missing struct {
	Before string // the version that brought it
	Strict bool   // it matters only where fail_open is false
	What   string // after the agent's title and version: "does not know …"
	Do     string
}

// A Plugin is Sentinel's plugin for an agent.
type Plugin struct {
	Find  func(install.Place) string // the folder or file that shows that it is installed; "" if it is not
	Flags []string                   // of the hook that it starts

	// Steps are what is left to the user once it is installed; nil for none.
	Steps func(install.Place) []install.Step
}

// A Canary says how the agent is started, by the first of Traces.Programs and with the
// user's own settings, so that a model server on this machine has it make one call. In
// its texts {URL} is replaced by the URL of that server, {PROMPT} by the prompt, {FILE} by
// the path of a file that holds Settings.
type Canary struct {
	// Speaks is the protocol of the server: messages (Anthropic), responses or chat
	// (OpenAI), or generate (Google). "" means that the agent cannot be started so.
	Speaks   string
	Args     []string
	Env      []string // NAME=value
	Settings string
	Tool     string // writes a file
	Input    string // its arguments in JSON, with {PATH}, or {REL} from the working directory
}

// Seen says how the answers to one program of an agent were seen to work.
type Seen struct {
	Program string // as it is called in a table; "" means the agent's title
	Page    string // of docs/agents, or its path from there; "" for none
	Version string // that was run or read; "" when it is not known

	Block, Ask, Warn, Context, Stop Claim

	// Parts are what is to be said of parts of package e2e that all agents are put through,
	// by their names. One that begins with "no" was not run, and says why.
	Parts map[string]string
}

// A Claim is how one thing was seen to work.
type Claim struct {
	// Test is the test of package e2e that runs the real program: a function, or
	// FUNCTION/part with a part that all agents are put through.
	Test string
	// Recorded says that the bytes of the answer are held to an event that the real
	// program sent. With neither, the event was made after the documentation.
	Recorded bool
	Never    bool   // the agent has nothing of the kind
	Note     string // after the claim
}
