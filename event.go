package sentinel

import (
	"encoding/json"
	"time"
)

// Phase is when in an agent's loop an event happens. Zero means "not known".
type Phase uint8

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

// Event is one hook call: what an agent is about to do, has done, or reports.
// An Event is not changed after it was decoded, but for Past.
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
	Past       Past     // nil knows nothing; package project sets its own; never in JSON

	// Source says at PhaseStart why the session begins, in the agent's words: "startup", "resume", "clear", "compact";
	// at PhaseChange which of its settings the agent is about to take over, "" for a file that was only to be
	// watched. At PhaseStop it may be SourceScheduled or SourceAborted. "" if the agent does not say.
	Source string
	Part   bool   // PhaseStart, PhaseStop: of a subagent, not of the whole turn or session
	Prompt string // PhasePrompt: what the user has written; "" if the agent does not say
}

// A Past says what is known of the session before an event. It is safe for concurrent
// use. Rules about an order of calls need that of package project.
type Past interface {
	Started() time.Time         // when the first call was seen; zero if that is not known
	Made(path string) time.Time // when a call was let through that creates the file at an absolute path; zero if none was seen
}

// ToolCall is the tool call an event is about.
type ToolCall struct {
	ID, Name     string
	Args         json.RawMessage // as sent; bare text (a patch) is a JSON string here
	Output, Task string          // what the tool returned; the name of a command that goes on, also where this call tells its Result; PhasePost only
	Failed       bool            // the tool reported an error; PhasePost only
	Result       Result          // what came of the command that it ran; PhasePost only
	Part         bool            // a subagent called it
}

// A Result says what came of a command, as far as the agent tells it.
type Result uint8

const (
	ResultUnknown   Result = iota // the agent does not say; also for a call that is not a command
	ResultSucceeded               // it ended with exit status 0
	ResultFailed                  // it ended otherwise, or was stopped
	ResultRunning                 // it goes on
)
