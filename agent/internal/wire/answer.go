package wire

import (
	"encoding/json"

	"github.com/agentsentinel/sentinel"
)

// Answer is the result of a hook process, for its agent. Stdout and Stderr are nil
// when nothing is to be written.
type Answer struct {
	Stdout, Stderr []byte
	Exit           int

	// The kept texts are those of [sentinel.Decision.Context] that the agent would drop
	// at this moment and that the answer therefore leaves out. The caller may keep
	// them for the session and give them with the next event that takes context:
	// as the Advice of a finding with VerdictAllow, one for each text.
	Kept []string
}

// Refusal stops a call by exit status 2, with the reason on standard error, and in the
// same line what else there is to say.
func Refusal(d sentinel.Decision, more string) Answer {
	said := Denial(d)
	if more != "" {
		said += " " + OneLine(more)
	}
	return Answer{Stderr: []byte(said + "\n"), Exit: 2}
}

// Keeping is the answer with the context of the decision left for a later event.
func (a Answer) Keeping(d sentinel.Decision) Answer {
	a.Kept = d.Context()
	return a
}

// Stays reports whether a decision keeps the agent at work: at the end of a turn, not
// of a subagent.
func Stays(ev sentinel.Event, d sentinel.Decision) bool {
	return ev.Phase == sentinel.PhaseStop && !ev.Part && d.Verdict == sentinel.VerdictBlock
}

// Stay answers the end of a turn: a block keeps the agent at work, in the form that
// Claude Code introduced. The context of the decision is kept for a later event.
func Stay(ev sentinel.Event, d sentinel.Decision) Answer {
	var out struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}
	if !Stays(ev, d) {
		return Answer{}.Keeping(d)
	}
	out.Decision, out.Reason = "block", Reminder(d)
	return JSON(out).Keeping(d)
}

// Permission answers an agent that is about to ask its user: it does not ask about a call
// that must not happen. To any other the answer is silence, and the user decides.
func Permission(d sentinel.Decision) Answer {
	if Proceeds(d) || d.Verdict == sentinel.VerdictAsk {
		return Answer{}.Keeping(d)
	}
	type denial struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message"`
	}
	type specific struct {
		HookEventName string `json:"hookEventName"`
		Decision      denial `json:"decision"`
	}
	return JSON(struct {
		Specific specific `json:"hookSpecificOutput"`
	}{specific{"PermissionRequest", denial{"deny", Denial(d)}}}).Keeping(d)
}

// StartName is the name of the event that begins a session or a subagent.
func StartName(ev sentinel.Event) string {
	if ev.Part {
		return "SubagentStart"
	}
	return "SessionStart"
}

// A Specific is the object hookSpecificOutput, which Claude Code introduced. An agent
// ignores one without the name of the event it answers.
type Specific struct {
	HookEventName            string          `json:"hookEventName"`
	PermissionDecision       string          `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string          `json:"permissionDecisionReason,omitempty"`
	UpdatedInput             json.RawMessage `json:"updatedInput,omitempty"` // with a question alone
	AdditionalContext        string          `json:"additionalContext,omitempty"`
	Decision                 string          `json:"decision,omitempty"` // of VS Code's Stop
	Reason                   string          `json:"reason,omitempty"`
	WatchPaths               []string        `json:"watchPaths,omitempty"`

	Notice string `json:"-"` // goes next to the object: for the user, not for the model
}

// Judge sets the permission for a call that does not proceed: ask or deny.
func (out *Specific) Judge(d sentinel.Decision) {
	switch {
	case Proceeds(d):
	case d.Verdict == sentinel.VerdictAsk:
		out.PermissionDecision, out.PermissionDecisionReason, out.UpdatedInput = "ask", Question(d), Replaced(d)
	default:
		out.PermissionDecision, out.PermissionDecisionReason = "deny", Denial(d)
	}
}

// Stay keeps an agent at work that reads this object at the end of a turn.
func (out *Specific) Stay(ev sentinel.Event, d sentinel.Decision) {
	if Stays(ev, d) {
		out.Decision, out.Reason = "block", Reminder(d)
	}
}

// Answer writes the object with the notice, or nothing when both are empty.
func (out Specific) Answer() Answer {
	var whole struct {
		SystemMessage string    `json:"systemMessage,omitempty"`
		Specific      *Specific `json:"hookSpecificOutput,omitempty"`
	}
	whole.SystemMessage = out.Notice
	if out.PermissionDecision != "" || out.AdditionalContext != "" || out.Decision != "" || len(out.WatchPaths) > 0 {
		whole.Specific = &out
	}
	if whole.Specific == nil && whole.SystemMessage == "" {
		return Answer{}
	}
	return JSON(whole)
}
