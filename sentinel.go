package sentinel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// An Engine answers events. It is safe for concurrent use.
//
//   - PhasePre is judged. At PhasePost the rules with Post give advice: the verdict
//     is VerdictAllow whatever comes of them, and an event that cannot be understood
//     is in Decision.Err instead of an error. The other phases are VerdictAllow at
//     once. An event without a phase is [ErrEvent].
//   - Findings are in the order of actions, then rules, whatever finished first.
//   - It returns no later than 100 ms after Options.Deadline or the deadline of
//     ctx; a rule that is not done by then is unavailable. A backend that
//     ignores its context is abandoned.
//   - An error comes with VerdictUndecided: [ErrEvent] when the call cannot be
//     understood, the error of ctx when it was cancelled. A rule that fails,
//     panics or hangs is not an error but a finding.
type Engine interface {
	Evaluate(ctx context.Context, ev Event) (Decision, error)
}

// Builtin is the name of the judge without a model in Options.Backends: it takes
// the value of the rule's own expression as the verdict.
const Builtin = "builtin"

// Defaults of [Options], as in the configuration reference.
const (
	DefaultThreshold   = 0.7
	DefaultMaxParallel = 4
	DefaultRuleTimeout = 5 * time.Second
	DefaultContentMax  = 8000
	DefaultWindows     = 4
)

// Options configures [New]. The zero value and nil are usable: no mapper and no
// backend, so that a rule that matches counts as violated because it cannot be
// judged. New copies what it needs; the maps must not be changed afterwards.
type Options struct {
	Mapper   ToolMapper         // nil: only Event.Actions are judged
	Backends map[string]Backend // by name; the caller wraps them
	Default  string             // backend of a rule that names none
	Fallback []string           // asked in turn when a rule's backend cannot judge; empty: FailOpen decides at once

	// SecondOpinion is a backend that has to confirm a block. When it disagrees the
	// user is asked; when it cannot judge the block remains. "" asks no second judge.
	SecondOpinion string

	FailOpen    bool          // a rule that cannot be judged counts as passed; false: as violated, at its own severity
	UnknownTool UnknownTool   // what a call of a tool that the mapper does not know comes to; the zero value follows FailOpen
	Threshold   float64       // confidence from which a violation counts; 0 means DefaultThreshold, below 0 every violation counts
	MaxParallel int           // rules judged at once; 0 means DefaultMaxParallel
	RuleTimeout time.Duration // the model's own time for one rule; 0 means DefaultRuleTimeout
	Deadline    time.Duration // for the whole event; 0 means that ctx alone bounds it
	Think       bool          // let thinking models think
	ContentMax  int           // characters of content and arguments that one question shows; 0 means DefaultContentMax
	Windows     int           // questions about one action that is longer than that; 0 means DefaultWindows
	CollectAll  bool          // judge every rule even when a block is already certain
	NoModel     bool          // ask only the Builtin judge; a rule that needs another one is skipped
	Logprobs    bool          // trust the model's own probability of its answer, where it is reported, over the confidence it states
	Explain     bool          // also findings for rules that do not apply; attempts keep their requests

	// Before returns what the file of a write holds before it, for a content that is too
	// long for one question: what stays as it was need not be shown again. ok is false
	// where that cannot be told. nil tells it of none.
	Before func(a *Action) (content string, ok bool)

	// Requests returns what the person has asked for last in the event's session, the oldest
	// first and in their own words, with secrets masked. It has to leave out all that is
	// written by an agent, a tool, a file or a hook: a call may pass because of it. It is
	// called for an event that a rule is about which looks at it. nil, and an empty result,
	// mean that nothing is known.
	Requests func(ev Event) []string

	// FenceKey returns the secret of the fence around judged data: the fence cannot
	// be guessed, yet is equal for equal data, so that a cache of judgements works
	// across processes. It is called once for an event that is judged. nil, and an
	// empty key, mean random: then no prompt is the same twice.
	FenceKey func() []byte

	Logger *slog.Logger // nil discards
}

// UnknownTool decides about calls of a tool that the mapper does not know. No rule
// can be about them.
type UnknownTool uint8

// The ways to treat an unknown tool. Decision.Unknown is true in each of them.
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

// New builds an engine over the rules, in their order. The result of rule.Build can
// be passed as it is. The error joins those of all rules that cannot be used: nil,
// without an id, or with an id that is taken. A rule with a broken file is not an
// error here: see RuleSpec.Err.
func New[R Rule](rules []R, opts *Options) (*Rulebook, error) {
	b := &Rulebook{rules: make([]Rule, len(rules)), specs: make([]*RuleSpec, len(rules))}
	if opts != nil {
		b.opts = *opts
	}
	b.opts.setDefaults()
	var errs []error
	seen := make(map[string]int, len(rules))
	for i, r := range rules {
		spec, err := specOf(i, r)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if j, taken := seen[spec.ID]; taken {
			errs = append(errs, fmt.Errorf("sentinel: rule id %q is used twice: %s and %s", spec.ID, b.specs[j].Source, spec.Source))
		}
		seen[spec.ID] = i
		b.rules[i], b.specs[i] = r, spec
		b.phases[spec.At()] = true
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
		return nil, fmt.Errorf("sentinel: rule %d (%s) has no id", i, spec.Source)
	}
	return spec, nil
}

func (o *Options) setDefaults() {
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.MaxParallel <= 0 {
		o.MaxParallel = DefaultMaxParallel
	}
	if o.RuleTimeout == 0 {
		o.RuleTimeout = DefaultRuleTimeout
	}
	if o.Windows <= 0 {
		o.Windows = DefaultWindows
	}
	if o.ContentMax == 0 {
		o.ContentMax = DefaultContentMax
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Evaluate implements [Engine]: Match, then Judge.
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
