package sentinel

import (
	"context"
	"time"

	"github.com/agentsentinel/sentinel/shell"
)

// Severity is what a rule asks for when it is violated. It is ordered: a larger
// one is stricter. The zero value means "not set" and is never "allow".
type Severity uint8

const (
	SeverityUnset Severity = iota
	SeverityInfo           // adds context, never judged before the tool
	SeverityWarn           // the action goes on, the agent reads a warning
	SeverityAsk            // the user must approve
	SeverityBlock          // the action is stopped
)

// A Rule says which actions it is about and what is asked of them.
//
//  1. A Rule is immutable and safe for concurrent use.
//  2. Spec returns the same pointer each time; its value does not change.
//  3. Match looks at trigger, scope and exclude only. It is pure and bounded, does
//     no I/O, and compiles a pattern at its first use.
//
// A rule with a condition also implements [Conditional]. Where a rule
// has them the engine calls Doubtful, Tell, Culprit, Asked and Places of rule.Rule.
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

// What rules may know besides, as rule.Rule does.
type (
	doubter interface {
		Doubtful(ctx context.Context, a *Action, m Match) (bool, error)
	}
	teller interface {
		Tell(ctx context.Context, a *Action, m Match) (reason string, vars map[string]string)
	}
	blamer interface {
		Culprit(ctx context.Context, a *Action) *shell.Command
	}
	asker interface {
		Asked(ctx context.Context, a *Action, m Match) string
	}
	pointer interface{ Places(content string) []int }
)

// RuleSpec is what the engine needs to know of a rule.
type RuleSpec struct {
	ID       string
	Source   string  // file:line, for messages
	Trigger  Trigger // one of your own makes the engine know it; "" leaves all to Match
	Severity Severity
	Post     bool   // gives advice after the tool has run, instead of judging it before, whatever Severity says
	Stop     bool   // judges at the end of a turn what was done in it, once, instead of each call
	Turns    bool   // judges writes at the end of a turn, as with Stop, and other calls before they run
	Obliges  bool   // says what must have happened, not what must not
	Shadow   bool   // judged and recorded, with no part in the verdict
	Intent   bool   // with SeverityAsk: a violation passes that the person asked for in so many words, see [Finding].Asked
	Requests bool   // Action.Requests has a part in what the rule says or asks; Intent implies it
	Undo     string // how a stopped call can be made harmless, see [Decision].Instead: trash, stash, lease, rename or any; "" for none
	Exact    bool   // the expression of a [Conditional] rule is the verdict, whatever Backend is: no model is asked, and none gives a second opinion
	Doubts   bool   // of an Exact rule: a model judges what its method Doubtful says; where none can, the expression counts

	Prompt    string        // template; values are fenced when it is shown to a model
	Message   string        // template; what the agent reads on a violation. "" means the judge's reason
	Backend   string        // "" means Options.Default
	Model     string        // goes to Backend alone, never to a fallback
	Fallback  []string      // nil means Options.Fallback
	Timeout   time.Duration // the model's own time; 0 means Options.RuleTimeout
	Threshold float64       // at most 1; 0 means Options.Threshold
	Err       error         // the rule's file is broken: it matches by what could be read of its trigger and scope, and cannot be judged
}

// Judges reports whether the rule judges actions of a kind in a phase.
func (s *RuleSpec) Judges(p Phase, t Trigger) bool {
	if s.Turns && t == FileWrite {
		return p == PhaseStop
	}
	return p == s.at()
}

// at is the phase of the events that the rule judges, but for writes with Turns.
func (s *RuleSpec) at() Phase {
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
