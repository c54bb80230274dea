// Package hook speaks the hook protocols of coding agents: it decodes the event
// that an agent writes to a hook's standard input, and encodes the decision as
// the bytes and the exit code that this agent understands.
//
// Each agent has one file and one type behind [Agent]. Nothing here reads or
// writes a stream, looks at the environment or ends the process; the caller
// does, so that the same code serves the command, an embedder and the tests.
//
//	ag, err := hook.Resolve("", stdin)
//	ev, err := ag.Decode(stdin)
//	d, err := engine.Evaluate(ctx, ev)
//	ans := ag.Encode(ev, d)
//
// docs/hook-protocol.md and docs/agents show what is read and written, byte for
// byte.
package hook

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/nearest"
)

// An Agent is the hook protocol of one coding agent.
//
//  1. It is safe for concurrent use and keeps no state between calls.
//  2. Decode accepts one event. Fields it does not know are ignored, because
//     agents add some with every release. An error wraps [sentinel.ErrEvent] and
//     says what is wrong and where; the event that comes with it is not to be
//     used.
//  3. Encode is pure. A verdict it does not know, [sentinel.VerdictUndecided]
//     among them, is the agent's deny. It never approves a call: that would skip
//     the question that the agent itself asks its user.
type Agent interface {
	// Name is what the --agent flag and Event.Agent call it: "claude".
	Name() string
	Decode(stdin []byte) (sentinel.Event, error)
	Encode(ev sentinel.Event, d sentinel.Decision) Answer
}

// Answer is what a hook process gives back to its agent. Stdout and Stderr are
// nil when nothing is to be written.
type Answer struct {
	Stdout, Stderr []byte
	Exit           int

	// Kept are the texts of [sentinel.Decision.Context] that the agent would drop
	// at this moment and that the answer therefore leaves out. The caller may keep
	// them for the session and give them with the next event that takes context:
	// as the Advice of a finding with VerdictAllow, one for each text.
	Kept []string
}

// protocol is an Agent that can tell its own events from those of others.
type protocol interface {
	Agent
	// sends reports whether an event can only have come from this agent.
	sends(ev payload) bool
	// timeout is how long the agent waits for a hook that was registered without
	// a timeout; 0 means that this is not known, or for ever.
	timeout(phase sentinel.Phase) time.Duration
}

// marker is a protocol that knows its own events by marks that nobody else
// makes. They count for more than the --agent flag, because one agent runs hooks
// that were registered for another one.
type marker interface {
	protocol
	// marks reports whether the event bears such a mark. It implies sends.
	marks(ev payload) bool
}

// protocols returns every agent. [Detect] and [Resolve] ask them in this order,
// so those whose events bear plainer marks stand first: what Qwen Code sends
// looks like VS Code's otherwise.
func protocols() []protocol {
	return []protocol{
		windsurf{}, cline{}, cursor{},
		codex{}, gemini{}, qwen{}, opencode{},
		copilot{}, vscode{}, amazonq{},
		claude{},
	}
}

// DefaultTimeout returns how long an agent waits for the answer to an event when
// the hook was registered without a timeout. After that most agents let the call
// pass. 0 means that it is not known, or that the agent waits for ever.
func DefaultTimeout(ag Agent, phase sentinel.Phase) time.Duration {
	if p, ok := ag.(protocol); ok {
		return p.timeout(phase)
	}
	return 0
}

// NumbersCalls reports whether an agent gives each tool call an id of its own, as
// the events say in Event.Tool.ID. Of one that does not, the same call once more
// looks like the same event sent twice.
func NumbersCalls(ag Agent) bool {
	switch ag.(type) {
	case claude, codex, vscode, qwen, opencode:
		return true
	}
	return false
}

// Names returns the names of the agents, sorted. [ByName] knows more: see there.
func Names() []string {
	var names []string
	for _, p := range protocols() {
		names = append(names, p.Name())
	}
	slices.Sort(names)
	return names
}

// ByName returns the agent of that name; "q" and "kiro" are other names of
// "amazonq". The error for any other name says which known one is near, if any, and
// lists all.
func ByName(name string) (Agent, error) {
	canonical := name
	if name == "q" || name == "kiro" {
		canonical = "amazonq"
	}
	for _, p := range protocols() {
		if p.Name() == canonical {
			return p, nil
		}
	}
	known, guess := Names(), ""
	if near := nearest.Word(name, known); near != "" {
		guess = fmt.Sprintf("; the nearest known one is %q", near)
	}
	return nil, fmt.Errorf("hook: unknown agent %q%s (known: %s)", name, guess, strings.Join(known, ", "))
}

// Detect says from an event alone which agent sent it. One command line is
// started by several agents, because some of them also run the hooks that stand
// in another one's settings. ok is false when the event is not JSON, or is not
// plainly one agent's: the caller then has to be told.
func Detect(stdin []byte) (name string, ok bool) {
	ag, err := Resolve("", stdin)
	if err != nil {
		return "", false
	}
	return ag.Name(), true
}

// Resolve returns the agent whose event stdin is. flag is what the hook was
// registered with, "" for nothing. A mark in the event that only one agent makes
// beats the flag; without a flag the event has to tell. The error says what is
// wrong with the flag or, wrapping [sentinel.ErrEvent], with the event.
func Resolve(flag string, stdin []byte) (Agent, error) {
	ev, parseErr := parsePayload(stdin)
	if parseErr == nil {
		for _, p := range protocols() {
			if m, ok := p.(marker); ok && m.marks(ev) {
				return p, nil
			}
		}
	}
	if flag != "" {
		return ByName(flag)
	}
	if parseErr != nil {
		return nil, parseErr
	}
	for _, p := range protocols() {
		if p.sends(ev) {
			return p, nil
		}
	}
	return nil, eventError("the event does not tell which agent sent it; register the hook with --agent NAME (known: %s)", strings.Join(Names(), ", "))
}
