package sentinel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/agentsentinel/sentinel/internal/prompt"
)

// An Engine answers events. It is safe for concurrent use.
//
//   - Findings are in the order of actions, then rules, whichever ended first.
//   - It returns no later than 100 ms after Options.Deadline or the deadline of
//     ctx; a rule that is not done by then is unavailable. A backend that
//     ignores its context is abandoned.
//   - An error comes with VerdictUndecided: [ErrEvent] when the call cannot be
//     understood or has no phase, the error of ctx when it was cancelled. A rule
//     that fails, panics or hangs is not an error but a finding.
//   - At PhasePost and PhaseStop an event that cannot be understood is VerdictAllow
//     with Decision.Err and without an error: the turn may end.
type Engine interface {
	Evaluate(ctx context.Context, ev Event) (Decision, error)
}

const (
	Builtin                        = "builtin"              // the judge in Options.Backends without a model: the value of a rule's own expression is the verdict
	SourceScheduled, SourceAborted = "scheduled", "aborted" // each an Event.Source at PhaseStop: next come prompts that the agent has written itself; the user has ended the turn
	EffortOmit                     = "omit"                 // a Request.Effort: the model is asked neither to think nor not to
	JSONVersion                    = 1                      // of the JSON form of a Decision; a key that changes its meaning makes it grow, a new key does not

	DefaultThreshold   = 0.7 // of Options.Threshold
	DefaultMaxParallel = 4   // of Options.MaxParallel
)

const defaultRuleTimeout = 5 * time.Second

// Options configures [New]. The zero value and nil are usable: no mapper and no
// backend, so that a rule that matches counts as violated because it cannot be
// judged. New copies what it needs; the maps must not be changed afterwards.
type Options struct {
	Mapper   ToolMapper         // nil: only Event.Actions are judged
	Backends map[string]Backend // by name; the caller wraps them
	Default  string             // backend of a rule that names none
	Fallback []string           // asked in turn when a rule's backend cannot judge; empty: FailOpen decides at once
	// SecondOpinion is a backend that has to confirm a block; "" for none. When it disagrees the user is asked, else the block remains.
	SecondOpinion string

	FailOpen    bool          // a rule that cannot be judged counts as passed; false: as violated, at its own severity
	UnknownTool UnknownTool   // what a call of a tool that the mapper does not know comes to; the zero value follows FailOpen
	Threshold   float64       // confidence from which a violation counts; at most 1; 0 means 0.7, below 0 every violation counts
	MaxParallel int           // rules judged at once; 0 means 4
	RuleTimeout time.Duration // the model's own time for one rule; 0 means 5 s
	Deadline    time.Duration // for the whole event; 0 means that ctx alone bounds it
	Think       bool          // let thinking models think
	ContentMax  int           // characters of content and arguments that one question shows; 0 means 8,000
	Windows     int           // questions about one action that is longer than that; 0 means 4
	CollectAll  bool          // judge every rule even when a block is already certain
	NoModel     bool          // ask only the Builtin judge; a rule that needs another one is skipped
	Logprobs    bool          // trust the model's own probability of its answer, where it is reported, over the confidence it states
	Explain     bool          // also findings for rules that do not apply; attempts keep their requests

	// Before returns what the file of a write holds before it, so that of a long content only what changes is shown.
	// ok is false where that is not known; nil never knows it.
	Before func(a *Action) (content string, ok bool)
	// Requests returns what the person has asked for last in the event's session, the oldest first and in their own
	// words, with secrets masked. It has to leave out all that is written by an agent, a tool, a file or a hook: a call
	// may pass because of it. It is called where a rule looks at it. nil, and an empty result, mean that nothing is known.
	Requests func(ev Event) []string
	// FenceKey returns the secret of the fence around judged data, once an event: the fence cannot be guessed, yet is equal
	// for equal data, so that a cache works across processes. nil, and an empty key, mean random: no prompt is the same twice.
	FenceKey func() []byte
	Logger   *slog.Logger // nil discards
}

// UnknownTool decides about calls of a tool that the mapper does not know.
type UnknownTool uint8

const (
	UnknownByFailOpen UnknownTool = iota // allow with Options.FailOpen, else deny
	UnknownAllow                         // allow
	UnknownDeny                          // VerdictBlock, with [ErrUnknownTool] in Decision.Err
)

// A Rulebook is the [Engine] over a fixed list of rules. It evaluates in two steps:
// [Rulebook.Match], which asks no model, and [Docket.Judge].
type Rulebook struct {
	opts   Options
	rules  []Rule
	specs  []*RuleSpec
	phases [PhaseEnd + 1]bool // those with a rule
}

// New builds an engine over the rules, in their order; the result of rule.Build can be
// passed as it is. The error joins those of all rules that are nil, have no id, an id that is
// taken, or a threshold above 1. A rule with a broken file is not one: see RuleSpec.Err.
func New[R Rule](rules []R, opts *Options) (*Rulebook, error) {
	b := &Rulebook{rules: make([]Rule, len(rules)), specs: make([]*RuleSpec, len(rules))}
	if opts != nil {
		b.opts = *opts
	}
	b.opts.setDefaults()
	var errs []error
	if !reachable(b.opts.Threshold) {
		errs = append(errs, fmt.Errorf("sentinel: no confidence reaches Options.Threshold, which is %v: it is at most 1", b.opts.Threshold))
	}
	seen := make(map[string]int, len(rules))
	for i, r := range rules {
		spec, err := specOf(i, r)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if j, taken := seen[spec.ID]; taken {
			errs = append(errs, fmt.Errorf("sentinel: rule id %q is used twice: rule %d%s and rule %d%s", spec.ID, j, b.specs[j].from(), i, spec.from()))
		}
		seen[spec.ID] = i
		b.rules[i], b.specs[i] = r, spec
		b.phases[spec.at()] = true
		b.phases[PhaseStop] = b.phases[PhaseStop] || spec.Turns
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return b, nil
}

// specOf returns the spec of the rule at place i. A nil pointer to a rule panics in
// its own Spec, which counts as nil.
func specOf[R Rule](i int, r R) (spec *RuleSpec, err error) {
	if any(r) == nil {
		return nil, fmt.Errorf("sentinel: rule %d is nil", i)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sentinel: rule %d cannot be used: %v", i, p)
		}
	}()
	switch spec = r.Spec(); {
	case spec == nil:
		return nil, fmt.Errorf("sentinel: rule %d has no spec", i)
	case spec.ID == "":
		return nil, fmt.Errorf("sentinel: rule %d%s has no id", i, spec.from())
	case spec.Err != nil: // it cannot be judged, whatever else it says
	case !reachable(spec.Threshold):
		return nil, fmt.Errorf("sentinel: rule %q%s: no confidence reaches a threshold of %v: it is at most 1", spec.ID, spec.from(), spec.Threshold)
	}
	return spec, nil
}

// from says where the rule is written, for messages; "" if the rule does not say.
func (s *RuleSpec) from() string {
	if s.Source == "" {
		return ""
	}
	return " (" + s.Source + ")"
}

// reachable reports whether a violation can count with this threshold.
func reachable(threshold float64) bool { return threshold <= 1 }

func (o *Options) setDefaults() {
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.MaxParallel <= 0 {
		o.MaxParallel = DefaultMaxParallel
	}
	if o.RuleTimeout == 0 {
		o.RuleTimeout = defaultRuleTimeout
	}
	if o.Windows <= 0 {
		o.Windows = prompt.DefaultWindows
	}
	if o.ContentMax == 0 {
		o.ContentMax = prompt.DefaultContentMax
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Evaluate is Match, then Judge.
func (b *Rulebook) Evaluate(ctx context.Context, ev Event) (Decision, error) {
	start := time.Now()
	docket, err := b.Match(ctx, ev)
	if err == nil {
		return docket.Judge(ctx)
	}
	d := Decision{Verdict: VerdictUndecided, Took: time.Since(start), Err: err}
	if ev.Phase == PhasePost || ev.Phase == PhaseStop { // nothing is left to be stopped
		d.Verdict = VerdictAllow
		return d, nil
	}
	return d, err
}
