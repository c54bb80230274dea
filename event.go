package sentinel

import (
	"encoding/json"
	"fmt"
)

// Phase is the moment of the agent's loop at which an event happens. The zero
// value means "not known".
type Phase uint8

// The phases an agent can report. At PhasePre calls are judged, at PhasePost rules
// with Post give advice, at PhaseStop rules with Stop judge what the turn did. The
// others are allowed at once.
const (
	PhaseUnknown    Phase = iota
	PhaseStart            // a session begins
	PhasePrompt           // the user has sent a prompt
	PhasePre              // a tool is about to run
	PhasePost             // a tool has run
	PhaseStop             // the agent has finished its turn
	PhaseEnd              // a session ends
	PhaseChange           // a file has changed that decides how the agent works
	PhasePermission       // the agent is about to ask its user whether a tool may run
)

var phaseNames = [...]string{"unknown", "start", "prompt", "pre", "post", "stop", "end", "change", "permission"}

// String returns start, prompt, pre, post, stop, end, change or permission, else unknown.
func (p Phase) String() string {
	return enumString(phaseNames[:], "phase", p)
}

// ParsePhase is the inverse of [Phase.String]. It refuses "unknown".
func ParsePhase(name string) (Phase, error) {
	for i, n := range phaseNames[1:] {
		if n == name {
			return Phase(i + 1), nil
		}
	}
	return PhaseUnknown, fmt.Errorf("sentinel: unknown phase %q (want start, prompt, pre, post, stop, end, change or permission)", name)
}

// Event is one hook call: what an agent is about to do, has done, or reports.
// An Event is not changed after it was decoded.
type Event struct {
	Phase      Phase
	Agent      string   // "claude", "codex", …, or an embedder's own name
	Session    string   // as the agent sent it: hostile, never a path by itself
	Dir        string   // absolute folder that the call runs in
	Root       string   // absolute folder that path patterns start from; "" means Dir
	Roots      []string // absolute project folders the agent itself named
	Tool       ToolCall
	Actions    []Action // what the call does, where the caller knows: no mapper is asked
	Transcript string   // path of the agent's own record of the session; "" if it keeps none

	// Source says at PhaseStart why the session begins, as the agent does: "startup",
	// "resume", "clear", "compact"; "" if it does not. At PhaseChange it says which of its
	// settings the agent is about to take over; "" for a file that was only to be watched.
	Source string
	// At PhaseStop it is SourceScheduled where prompts wait that the agent has written itself.
	Part   bool   // PhaseStart, PhaseStop: of a subagent, not of the whole turn or session
	Prompt string // PhasePrompt: what the user has written; "" if the agent does not say
}

// SourceScheduled is the Event.Source of the end of a turn after which the agent will be sent
// prompts that it has written itself. They look like a person's.
const SourceScheduled = "scheduled"

// ToolCall is the tool call an event is about.
type ToolCall struct {
	ID, Name string
	Args     json.RawMessage // as sent; bare text (a patch) is a JSON string here
	Output   string          // what the tool returned; PhasePost only
	Failed   bool            // the tool reported an error; PhasePost only
	Result   Result          // what came of the command that it ran; PhasePost only
	Part     bool            // a subagent called it
}

// A Result says what came of a command, as far as the agent tells it.
type Result uint8

// The results.
const (
	ResultUntold    Result = iota // the agent does not say; also for a call that is not a command
	ResultSucceeded               // it ended with exit status 0
	ResultFailed                  // it ended otherwise, or was stopped
	ResultRunning                 // it goes on
)
