package wire

import (
	"github.com/agentsentinel/sentinel"
)

// Answer is the result of a hook process, for its agent. Stdout and Stderr are nil
// when nothing is to be written.
type Answer struct {
	Stdout, Stderr []byte
	Exit           int

	// Kept are the texts of [sentinel.Decision.Context] that the agent would drop
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

// A Specific is the object hookSpecificOutput, which Claude Code introduced. An agent
// ignores one without the name of the event it answers.
type Specific struct {
	HookEventName            string `json:"hookEventName"`
	PermissionDecision       string `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"`

	Notice string `json:"-"` // goes next to the object: for the user, not for the model
}

// Judge sets the permission for a call that does not proceed: ask or deny.
func (out *Specific) Judge(d sentinel.Decision) {
	switch {
	case Proceeds(d):
	case d.Verdict == sentinel.VerdictAsk:
		out.PermissionDecision, out.PermissionDecisionReason = "ask", Question(d)
	default:
		out.PermissionDecision, out.PermissionDecisionReason = "deny", Denial(d)
	}
}

// Answer writes the object with the notice, or nothing when both are empty.
func (out Specific) Answer() Answer {
	var whole struct {
		SystemMessage string    `json:"systemMessage,omitempty"`
		Specific      *Specific `json:"hookSpecificOutput,omitempty"`
	}
	whole.SystemMessage = out.Notice
	if out.PermissionDecision != "" || out.AdditionalContext != "" {
		whole.Specific = &out
	}
	if whole.Specific == nil && whole.SystemMessage == "" {
		return Answer{}
	}
	return JSON(whole)
}
