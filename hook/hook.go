// Package hook speaks the hook protocols of coding agents: it decodes the event
// that an agent writes to a hook's standard input, and encodes the decision as
// the bytes and the exit code that this agent understands.
//
// Each agent has one file and one type behind [Agent]. Nothing here reads or
// writes a stream, looks at the environment or ends the process; the caller
// does, so that the same code serves the command, an embedder and the tests.
//
//	ag, err := hook.ByName("claude")
//	ev, err := ag.Decode(stdin)
//	d, err := engine.Evaluate(ctx, ev)
//	ans := ag.Encode(ev, d)
//
// docs/hook-protocol.md shows what is read and written, byte for byte.
package hook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/agentsentinel/sentinel"
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
}

// protocol is an Agent that can tell its own events from those of others.
type protocol interface {
	Agent
	// sends reports whether an event can only have come from this agent.
	sends(ev payload) bool
}

// protocols returns every agent. [Detect] asks them in this order.
func protocols() []protocol {
	return []protocol{claude{}}
}

// Names returns the names that [ByName] knows, sorted.
func Names() []string {
	var names []string
	for _, p := range protocols() {
		names = append(names, p.Name())
	}
	slices.Sort(names)
	return names
}

// ByName returns the agent of that name. The error for any other name says
// which known one is nearest, and lists all.
func ByName(name string) (Agent, error) {
	for _, p := range protocols() {
		if p.Name() == name {
			return p, nil
		}
	}
	known := Names()
	nearest := slices.MinFunc(known, func(a, b string) int {
		return levenshtein.ComputeDistance(name, a) - levenshtein.ComputeDistance(name, b)
	})
	return nil, fmt.Errorf("hook: unknown agent %q; the nearest known one is %q (known: %s)", name, nearest, strings.Join(known, ", "))
}

// Detect says from an event alone which agent sent it. One command line is
// started by several agents, because some of them also run the hooks that stand
// in another one's settings. ok is false when the event is not JSON, or is not
// plainly one agent's: the caller then has to be told.
func Detect(stdin []byte) (name string, ok bool) {
	ev, err := parsePayload(stdin)
	if err != nil {
		return "", false
	}
	for _, p := range protocols() {
		if p.sends(ev) {
			return p.Name(), true
		}
	}
	return "", false
}
