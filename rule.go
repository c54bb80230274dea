package sentinel

import (
	"context"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel/shell"
)

// Severity is what a rule asks for when it is violated. It is ordered: a larger
// one is stricter. The zero value means "not set" and is never "allow".
type Severity uint8

// The severities of the rule format.
const (
	SeverityUnset Severity = iota
	SeverityInfo           // adds context, never judged before the tool
	SeverityWarn           // the action goes on, the agent reads a warning
	SeverityAsk            // the user must approve
	SeverityBlock          // the action is stopped
)

var severityNames = [...]string{"unset", "info", "warn", "ask", "block"}

// String returns the word that rule files use, "unset" for the zero value.
func (s Severity) String() string {
	return enumString(severityNames[:], "severity", s)
}

// ParseSeverity is the inverse of [Severity.String]. It refuses "unset".
func ParseSeverity(name string) (Severity, error) {
	for i, n := range severityNames[1:] {
		if n == name {
			return Severity(i + 1), nil
		}
	}
	return SeverityUnset, fmt.Errorf("sentinel: unknown severity %q (want block, ask, warn or info)", name)
}

// A Rule says which actions it is about and what is asked of them.
//
//  1. A Rule is immutable and safe for concurrent use.
//  2. Spec returns the same pointer each time, to a value that does not change.
//  3. Match looks at trigger, scope and exclude only. It is pure and bounded, does
//     no I/O, and compiles a pattern at its first use.
//
// A rule with a condition of its own also implements [Conditional].
type Rule interface {
	Spec() *RuleSpec
	Match(a *Action) Match
}

// A Conditional rule has an expression that is evaluated after Match and before
// any model is asked, in the rule's own goroutine. For a model backend false
// means that the rule is not asked: the action passes. For the builtin backend
// the value is the verdict. An error is "could not judge", never pass.
type Conditional interface {
	// Conditional reports whether there is an expression at all.
	Conditional() bool
	// When evaluates it. It returns before the process has computed for 100 ms, and
	// within 2.1 s where a busy machine does not let it compute.
	When(ctx context.Context, a *Action, m Match) (bool, error)
}

// A Doubter is a [Conditional] rule with RuleSpec.Doubts whose expression is not sure
// of every action that it is true of.
type Doubter interface {
	// Doubtful reports whether a model has to judge an action for which When is true. An
	// error counts as false: the expression has said that the rule is violated. Its bounds
	// in time are those of When.
	Doubtful(ctx context.Context, a *Action, m Match) (bool, error)
}

// A Teller is a [Conditional] rule that knows more of a violation than its message says.
type Teller interface {
	// Tell returns the reason why When is true, "" for none beyond the message, and the
	// values of template variables that the action does not have.
	Tell(ctx context.Context, a *Action, m Match) (reason string, vars map[string]string)
}

// An Asker is a [Conditional] rule whose expression may be false because the person asked
// for the action.
type Asker interface {
	// Asked returns the person's words for which When is false; "" where When is true, or
	// is false without them too. Its bounds in time are twice those of When.
	Asked(ctx context.Context, a *Action, m Match) string
}

// RuleSpec is what the engine needs to know of a rule.
type RuleSpec struct {
	ID       string
	Source   string // file:line, for messages
	Trigger  Trigger
	Severity Severity
	Post     bool // gives advice after the tool has run, instead of judging it before; info rules only
	Stop     bool // judges at the end of a turn what was done in it, once, instead of each call
	Turns    bool // judges writes at the end of a turn, as with Stop, and other calls before they run
	Obliges  bool // says what must have happened, not what must not
	Shadow   bool // judged and recorded, with no part in the verdict

	// Undo names the way in which a call that the rule stops can be made harmless:
	// trash, stash, lease, rename or any. See [Decision.Instead]. "" names none.
	Undo string

	// Exact says that the rule's own expression is the verdict, as with the builtin
	// judge, whatever Backend is: no model is asked, and none gives a second opinion.
	// A model judges only what a [Doubter] says is doubtful, and where none can, the
	// expression counts. The rule has to be [Conditional].
	Exact  bool
	Doubts bool // of an Exact rule: it is a Doubter, which is asked

	// Intent says of a rule with SeverityAsk that a violation which the person asked for in
	// so many words passes: see [Finding].Asked.
	Intent bool
	// Requests says that Action.Requests has a part in what the rule says or asks. Intent
	// implies it.
	Requests bool

	Prompt  string // template; values are fenced when it is shown to a model
	Message string // template; what the agent reads on a violation. "" means the judge's reason

	Backend  string   // "" means Options.Default
	Model    string   // goes to Backend alone, never to a fallback
	Fallback []string // nil means Options.Fallback

	Timeout   time.Duration // the model's own time; 0 means Options.RuleTimeout
	Threshold float64       // 0 means Options.Threshold

	// Err says that the rule's file is broken. Such a rule matches by what could be
	// read of its trigger and scope, and counts as one that could not be judged.
	Err error
}

// Judges reports whether the rule judges actions of a kind in a phase.
func (s *RuleSpec) Judges(p Phase, t Trigger) bool {
	if s.Turns && t == FileWrite {
		return p == PhaseStop
	}
	return p == s.At()
}

// At is the phase of the events that the rule judges: PhasePre, or PhasePost with Post,
// or PhaseStop with Stop. With Turns it is PhasePre, and writes are judged at PhaseStop.
func (s *RuleSpec) At() Phase {
	switch {
	case s.Post:
		return PhasePost
	case s.Stop:
		return PhaseStop
	}
	return PhasePre
}

// Match is the answer of [Rule.Match].
type Match struct {
	OK      bool
	Why     string         // when not OK: "trigger", "no pattern matches", "excluded by …"
	Pattern string         // the scope pattern that matched; "" when the rule has no scope
	Form    string         // the text it matched: one of Action.Forms, or a command's canonical text
	Command *shell.Command // the simple command of Action.Command that matched; nil if no single one did
	Spans   []shell.Span   // bytes of Action.Target to underline
	Within  []string       // wrappers the matched command was hidden in
}
