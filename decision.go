package sentinel

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Outcome is the result of one rule on one action; zero means "not known".
type Outcome uint8

const (
	OutcomeUnknown     Outcome = iota
	OutcomePass                // judged: no violation. Of an info rule: its text was added
	OutcomeViolation           // judged: violated, with enough confidence
	OutcomeSkipped             // we chose not to ask (a block is already certain, the GPU is busy for advice): harmless
	OutcomeUnavailable         // we had to judge and could not: Options.FailOpen decides
)

// Verdict is the answer to a whole event. It is ordered: the strictest finding wins.
// The zero value means "not decided", and agents get a deny.
type Verdict uint8

const (
	VerdictUndecided Verdict = iota
	VerdictAllow
	VerdictWarn
	VerdictAsk
	VerdictBlock
)

// Decision is the answer to an event. It is not changed once it is handed on.
type Decision struct {
	ID       string // its name in records: short, as good as unique; "" without one
	Verdict  Verdict
	Actions  []Action  // what the call does, as it was judged
	Findings []Finding // in the order of actions, then rules; empty when no rule matched
	Unknown  bool      // no mapper knew the tool: Options.UnknownTool decided
	Took     time.Duration
	Notice   string // a line for the user, such as that a judge stopped answering; not part of the verdict
	Code     string // what the user enters to let this one call through; "" where that is not offered
	Program  string // what the user enters Code to, as a command; "" means sentinel

	// Instead is a command line for a POSIX shell that does what a stopped call does and loses nothing, of a call
	// that a rule with [RuleSpec.Undo] stops; "" without one. The rules let it pass when they were asked. It holds
	// words of the call: it is as hostile. Input are the tool's arguments with it, where the user's yes is to run
	// that; not every agent takes them.
	Instead string
	Input   json.RawMessage

	Watch   []string // PhaseStart: absolute paths whose changes the agent should report, where it can
	Relayed bool     // another process judged this very call, records it, and has given its texts
	Err     error    // why the event as a whole could not be judged; with VerdictUndecided, or what a strict caller chose instead
}

// Finding is the result of one rule on one action.
type Finding struct {
	Rule       *RuleSpec
	Action     *Action
	Match      Match
	Subject    string // the simple command that the finding is about, cut, where Action is a compound line; else ""
	Outcome    Outcome
	Verdict    Verdict // what this finding alone asks for, with Options.FailOpen applied
	Confidence float64
	Reason     string        // why, in one line: the judge's words, else the rule's message, else a generated sentence
	Message    string        // of a violation: the rule's message, rendered; "" if it has none
	Advice     string        // of an info rule: the text for the agent's context
	From       string        // the file that these texts are from, as the agent reads it; "" means Rule.Source
	Response   Response      // who answered and at what cost; zero when no backend was asked
	Took       time.Duration // the whole of it: waiting, asking, falling back
	Muted      bool          // the same text was given in this session before
	Tainted    bool          // an answer repeated the fence of the judged data: at least the user must look
	Disputed   bool          // a second judge disagreed: the user must decide, instead of a block
	Waived     bool          // the user took it out of the verdict: let this call through, or paused judging (then it is skipped)
	Deferred   bool          // of a shadow rule: judged after the answer, with [ShadowOnly]; with [ShadowLater] it is skipped here
	Seen       float64       // share, below 1, of what the call writes or runs that judges were shown, where it was too long; 0 means that nothing was cut
	Asked      string        // the words with which the person asked for it, so that it passes; of a rule that blocks it is ""
	Err        error         // why it could not be judged
	Attempts   []Attempt     // every backend that was asked, in order
}

// Applies reports whether the rule was about the call. Of other rules there are
// findings with [Options].Explain alone: they say why it was not.
func (f *Finding) Applies() bool { return f.Match.OK || f.Match.Why == "" }

// Quiet reports whether no rule was about the call and nothing went wrong.
func (d Decision) Quiet() bool {
	return d.Err == nil && d.Verdict != VerdictUndecided &&
		!slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Applies() })
}

// Concluded returns the findings of rules that were about the call, without those
// that are judged after the answer.
func (d Decision) Concluded() []*Finding {
	var found []*Finding
	for i := range d.Findings {
		f := &d.Findings[i]
		later := f.Deferred && f.Outcome == OutcomeSkipped
		if f.Rule != nil && !later && f.Applies() {
			found = append(found, f)
		}
	}
	return found
}

// Mute marks the texts of warnings and info rules that given reports as given before:
// [Decision.Context] leaves them out.
func (d Decision) Mute(given func(rule *RuleSpec, text string) bool) {
	for i := range d.Findings {
		if f := &d.Findings[i]; f.context() != "" {
			f.Muted = given(f.Rule, f.context())
		}
	}
}

// decide sets what the finding asks for. failOpen decides for a rule that could
// not be judged: allow, or the rule's own severity.
func (f *Finding) decide(failOpen bool) {
	v := VerdictAllow
	switch f.Outcome {
	case OutcomePass, OutcomeSkipped:
	case OutcomeUnavailable:
		if !failOpen {
			v = f.Rule.Severity.verdict()
		}
	default: // a violation; and an outcome that was not set is a bug, which is never "allow"
		v = f.Rule.Severity.verdict()
	}
	if f.Disputed || f.guessed() {
		v = min(v, VerdictAsk)
	}
	if f.Asked != "" && f.mayBeAsked() {
		v = VerdictAllow
	}
	if f.Tainted {
		v = max(v, VerdictAsk)
	}
	if f.Rule.Shadow {
		v = VerdictAllow
	}
	f.Verdict = v
}

// mayBeAsked reports whether a request of the person can let the action pass: not of a rule
// that blocks, nor what an unknown program may do, nor what judges disagree about.
func (f *Finding) mayBeAsked() bool {
	return f.Rule.Severity <= SeverityAsk && !f.guessed() && !f.Disputed && !f.Tainted && !f.Rule.Stop
}

// guessed reports whether the finding is about what an unknown program may do.
func (f *Finding) guessed() bool { return f.Action != nil && f.Action.Carrier != "" }

// verdict is what a violation of a rule with this severity asks for. A severity
// that is not known is as strict as any.
func (s Severity) verdict() Verdict {
	switch s {
	case SeverityInfo:
		return VerdictAllow
	case SeverityWarn:
		return VerdictWarn
	case SeverityAsk:
		return VerdictAsk
	}
	return VerdictBlock
}

// Attempt is one question to one backend.
type Attempt struct {
	Backend  string
	Request  Request // zero unless Options.Explain or Docket.KeepRequests
	Response Response
	Err      error
}

// decide sets the verdict from the findings: the strictest one wins.
func (d *Decision) decide(failOpen bool) {
	d.Verdict = VerdictAllow
	for i := range d.Findings {
		d.Findings[i].decide(failOpen)
		d.Verdict = max(d.Verdict, d.Findings[i].Verdict)
	}
}

// permit takes every weight out of the findings: after the tool has run there is
// nothing to stop or to ask.
func (d *Decision) permit() {
	d.Verdict = VerdictAllow
	for i := range d.Findings {
		d.Findings[i].Verdict = VerdictAllow
	}
}

// Join makes one decision of several on the same event, as when the rules of
// several folders apply: all findings in order, and the strictest verdict. One
// that is undecided makes the whole undecided, unless another one blocks.
func Join(ds ...Decision) Decision {
	if len(ds) == 1 {
		return ds[0]
	}
	out := Decision{Verdict: VerdictAllow, Unknown: len(ds) > 0}
	undecided := len(ds) == 0
	for _, d := range ds {
		if d.Verdict == VerdictUndecided {
			undecided = true
		}
		out.Verdict = max(out.Verdict, d.Verdict)
		if len(out.Actions) == 0 {
			out.Actions = d.Actions // the others are the same, seen from another folder
		}
		out.Findings = append(out.Findings, d.Findings...)
		out.Unknown = out.Unknown && d.Unknown
		out.Took = max(out.Took, d.Took)
		out.Notice = cmp.Or(out.Notice, d.Notice)
		out.ID = cmp.Or(out.ID, d.ID)
		if out.Err == nil || d.Err != nil && d.Err.Error() != out.Err.Error() { // each text once
			out.Err = errors.Join(out.Err, d.Err)
		}
	}
	if undecided && out.Verdict != VerdictBlock {
		out.Verdict = VerdictUndecided
	}
	return out
}
