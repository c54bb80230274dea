// Package verify compares what an agent says it did with what Sentinel's hook was asked:
// each tool call in the agent's own transcript with the receipts and the log. It asks
// no judge.
package verify

import (
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
)

// A State says what became of a tool call.
type State string

// The states. They are printed, so their values stay.
const (
	Checked State = "checked"    // the hook judged it, in time
	Late    State = "late"       // the hook answered after the agent's timeout
	NoRule  State = "no_rule"    // no rule is about it
	NotRun  State = "not_run"    // the hook was not asked, and the agent says that it did not run
	Never   State = "never_seen" // a rule is about it, and no hook has judged it
	Unknown State = "unknown"    // the receipts do not reach back to it, or its hook still judges
	Extra   State = "not_in_transcript"
)

// A Why says why a call was never seen.
type Why string

// The reasons, those first that are looked for first.
const (
	Killed       Why = "hook_killed"
	Failed       Why = "hook_failed"
	BeforeSetUp  Why = "before_installation"
	Disabled     Why = "hooks_disabled"
	NoHook       Why = "not_registered"
	NotTheTool   Why = "tool_not_registered"
	SubFolder    Why = "sub_folder"
	Subagent     Why = "subagent"
	SwitchedOff  Why = "not_asked_any_more"
	NobodyKnows  Why = "unknown"
	noTranscript     = "its agent keeps no transcript that can be read: only what its hook was asked is known"
)

// said is a reason in words.
func (w Why) said(s *session, c *Call) string {
	switch w {
	case Killed:
		return "its hook was killed or crashed before it answered"
	case Failed:
		return "its hook failed and could not judge it"
	case BeforeSetUp:
		return "it was made before Sentinel was set up here, on " + s.v.since.Local().Format(time.DateTime)
	case Disabled:
		return "hooks are switched off: " + s.hooks.off
	case NoHook:
		return "no hook is registered for this agent here"
	case NotTheTool:
		return "the registered hook is not started for " + text.OneLine(c.Tool)
	case SubFolder:
		return "the agent was started in " + text.OneLine(s.home) + ", where it read no settings with the hook"
	case Subagent:
		return "a subagent made it, and the agent asked no hook"
	case SwitchedOff:
		return "the hook was asked until " + s.lastAsked.Local().Format(time.DateTime) + " and not any more: was it switched off?"
	}
	return "the agent asked no hook, or this call was added to the transcript"
}

// A Call is one tool call that is shown by itself.
type Call struct {
	Time    string   `json:"ts"`
	Tool    string   `json:"tool"`
	Subject string   `json:"subject"` // what it is about, masked; "" where only its receipt is known
	ID      string   `json:"call_id"`
	State   State    `json:"state"`
	Why     Why      `json:"why"`
	Said    string   `json:"said"` // the reason in words
	Rules   []string `json:"rules"`
	Sub     bool     `json:"subagent"`
	TookMS  int64    `json:"took_ms"`

	harmless bool // it touches files alone, so that a failed one has changed nothing
}

// Counts are how many calls came to what.
type Counts struct {
	Calls   int `json:"calls"` // in the transcript; without one, that have a receipt
	Asked   int `json:"asked"` // about which a hook was asked
	Checked int `json:"checked"`
	Late    int `json:"late"`
	NoRule  int `json:"no_rule"`
	NotRun  int `json:"not_run"`
	Never   int `json:"never_seen"`
	Before  int `json:"before_installation"` // of those never seen: nothing was set up then
	Unknown int `json:"unknown"`
	Extra   int `json:"not_in_transcript"`
}

func (c *Counts) add(s State, n int) {
	at := map[State]*int{
		Checked: &c.Checked, Late: &c.Late, NoRule: &c.NoRule, NotRun: &c.NotRun, Never: &c.Never, Unknown: &c.Unknown, Extra: &c.Extra,
	}[s]
	*at += n
}

// plus adds the counts of another session.
func (c *Counts) plus(o Counts) {
	c.Calls, c.Asked, c.Before = c.Calls+o.Calls, c.Asked+o.Asked, c.Before+o.Before
	for s, n := range map[State]int{
		Checked: o.Checked, Late: o.Late, NoRule: o.NoRule, NotRun: o.NotRun, Never: o.Never, Unknown: o.Unknown, Extra: o.Extra,
	} {
		c.add(s, n)
	}
}

// A Session is what became of the calls of one session.
type Session struct {
	Agent       string   `json:"agent"`
	ID          string   `json:"session"`
	First       string   `json:"first"` // time of its first call
	Last        string   `json:"last"`
	Transcripts []string `json:"transcripts"`
	Problems    []string `json:"problems"` // why something of it could not be verified
	Counts
	Listed []Call `json:"listed"` // those that are late, never seen or not in the transcript, in order
	More   int    `json:"more"`   // of these that are not listed
	// Tools are those of calls that no hook was asked about and that Sentinel does not
	// know, so that no rule can be about them.
	Tools []string `json:"unknown_tools"`
}

// Verified reports whether its transcript was read.
func (s *Session) Verified() bool { return len(s.Transcripts) > 0 && len(s.Problems) == 0 }

// A Report is about some sessions.
type Report struct {
	Sessions []Session `json:"sessions"` // the newest first
	Totals   Counts    `json:"totals"`
}

// Missed is how many calls were not judged in time though a rule is about them and
// Sentinel was set up.
func (c *Counts) Missed() int { return c.Never - c.Before + c.Late }

// Holds reports whether none was missed; read is false if that is not known of a
// session.
func (r *Report) Holds() (holds, read bool) {
	read = len(r.Sessions) > 0
	for i := range r.Sessions {
		read = read && r.Sessions[i].Verified()
	}
	return r.Totals.Missed() == 0, read
}
