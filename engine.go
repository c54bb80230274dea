package sentinel

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
)

// An Engine answers events.
//
// Evaluate maps the tool call to actions, matches the rules, judges those that
// match and decides. It is safe for concurrent use.
//
//   - PhasePre is judged. At PhasePost the rules with Post give advice: the verdict
//     is VerdictAllow whatever comes of them, and what went wrong with the event is
//     no error but in Decision.Err. Every other phase is VerdictAllow at once.
//   - Findings stand in the order of actions, then rules, whatever finished first.
//   - It returns no later than 100 ms after Options.Deadline or the deadline of
//     ctx; a rule that is not done by then is unavailable. A backend that
//     ignores its context is abandoned.
//   - An error comes with VerdictUndecided: [ErrEvent] when the call cannot be
//     understood, the error of ctx when it was cancelled. A rule that fails,
//     panics or hangs is no error: it is a finding of its own.
//
// An Engine that wraps another adds to it: telemetry, a record, a second look.
type Engine interface {
	Evaluate(ctx context.Context, ev Event) (Decision, error)
}

// Builtin is the name under which the judge without a model stands in
// Options.Backends: the rule's own expression is its verdict.
const Builtin = "builtin"

// Defaults of [Options]. They are those of the configuration reference.
const (
	DefaultThreshold   = 0.7
	DefaultMaxParallel = 4
	DefaultRuleTimeout = 5 * time.Second
	DefaultContentMax  = 800
)

// Options configures [New]. The zero value and nil are usable: no mapper and no
// backend, so that whatever matches counts as violated because it cannot be
// judged. New copies what it needs; the maps must not be changed afterwards.
type Options struct {
	Mapper   ToolMapper         // nil: only Event.Actions are judged
	Backends map[string]Backend // by name; wrapped by whoever builds them
	Default  string             // backend of a rule that names none
	Fallback []string           // asked in turn when a rule's backend cannot judge; empty: FailOpen decides at once

	// SecondOpinion is a backend that has to confirm what would be a block. When
	// it disagrees a person is asked; when it cannot judge the block stands. ""
	// asks nobody.
	SecondOpinion string

	FailOpen    bool          // a rule that cannot be judged counts as passed; false: as violated, at its own severity
	Threshold   float64       // confidence from which a violation counts; 0 means DefaultThreshold, below 0 every violation counts
	MaxParallel int           // rules judged at once; 0 means DefaultMaxParallel
	RuleTimeout time.Duration // the model's own time for one rule; 0 means DefaultRuleTimeout
	Deadline    time.Duration // for the whole event; 0 means that ctx alone bounds it
	Think       bool          // let thinking models think
	ContentMax  int           // characters shown of one template value; 0 means DefaultContentMax
	CollectAll  bool          // judge every rule even when a block is already certain
	NoModel     bool          // ask only the Builtin judge; a rule that needs another one is skipped
	Logprobs    bool          // believe the model's own probability of its answer, where it is told, rather than the confidence it states
	Explain     bool          // also findings for rules that do not apply; attempts keep their requests
	KeepAsked   bool          // attempts keep their requests
	Shadow      ShadowMode    // when the shadow rules that ask a model are judged; the zero value: with the others

	// AdviceBackend and AdviceModel write the texts of rules with Post that name
	// none of their own. "" means Default and its model. SessionContext is what
	// such a rule's {{session_context}} shows: it is asked once for an event, when
	// such a rule applies. nil, and "", is a session of which nothing is known.
	AdviceBackend, AdviceModel string
	SessionContext             func(ctx context.Context, ev Event) string

	// FenceKey returns the secret that makes the fence around judged data
	// unguessable, yet equal for equal data, so that a cache of judgements works
	// across processes. It is called once for an event that is judged at all.
	// nil, and an empty key, mean random: safe, and no prompt is asked twice.
	FenceKey func() []byte

	// Begin is asked once for an event that a rule applies to, before any rule is
	// judged, and never for one that none applies to. It may wait, as long as ctx
	// lasts. A rule for which waived then gives a reason is not judged: it counts
	// as skipped, with Finding.Waived. A nil waived waives nothing. An error ends
	// the evaluation: VerdictUndecided with that error. nil lets everything begin.
	Begin func(ctx context.Context, ev Event) (waived func(*RuleSpec) (why string), err error)

	// Told reports whether this text of a rule was given in the session already,
	// and remembers it. It is asked for warnings and advice, never for what stops
	// a call. nil mutes nothing.
	Told func(ctx context.Context, session string, rule *RuleSpec, text string) bool

	Logger *slog.Logger // nil discards
}

// New builds an engine of the rules, in their order. It joins the errors of all
// rules that cannot be used at all: nil, without an id, with one already taken.
// A rule whose file is broken is no such error: see RuleSpec.Err.
func New(rules []Rule, opts *Options) (Engine, error) {
	e := &engine{rules: rules, specs: make([]*RuleSpec, len(rules))}
	if opts != nil {
		e.Options = *opts
	}
	if e.Threshold == 0 {
		e.Threshold = DefaultThreshold
	}
	if e.MaxParallel <= 0 {
		e.MaxParallel = DefaultMaxParallel
	}
	if e.RuleTimeout == 0 {
		e.RuleTimeout = DefaultRuleTimeout
	}
	if e.ContentMax == 0 {
		e.ContentMax = DefaultContentMax
	}
	if e.Logger == nil {
		e.Logger = slog.New(slog.DiscardHandler)
	}

	var errs []error
	seen := make(map[string]int, len(rules))
	for i, r := range rules {
		if r == nil {
			errs = append(errs, fmt.Errorf("sentinel: rule %d is nil", i))
			continue
		}
		spec := r.Spec()
		switch {
		case spec == nil:
			errs = append(errs, fmt.Errorf("sentinel: rule %d has no spec", i))
		case spec.ID == "":
			errs = append(errs, fmt.Errorf("sentinel: rule %d (%s) has no id", i, spec.Source))
		default:
			if j, taken := seen[spec.ID]; taken {
				errs = append(errs, fmt.Errorf("sentinel: rule id %q is used twice: %s and %s", spec.ID, e.specs[j].Source, spec.Source))
			}
			seen[spec.ID] = i
		}
		e.specs[i] = spec
		e.advises = e.advises || spec != nil && spec.Post
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return e, nil
}

type engine struct {
	Options
	rules []Rule
	specs []*RuleSpec

	advises bool // there is a rule with Post
}

// grace is how long judgements that can no longer change the decision may still
// finish once a block is certain, so that the agent reads every reason at once.
const grace = 250 * time.Millisecond

// abandonAfter is how long a judgement may outlive its context before it is left
// behind; with it Evaluate keeps its promise of 100 ms.
const abandonAfter = 80 * time.Millisecond

var (
	errDeadline = errors.New("the deadline of the event was reached")
	errDecided  = errors.New("a block is already certain")
)

// Evaluate implements [Engine].
func (e *engine) Evaluate(ctx context.Context, ev Event) (Decision, error) {
	start := time.Now()
	d := Decision{Verdict: VerdictAllow}
	if ev.Phase != PhasePre && (ev.Phase != PhasePost || !e.advises) {
		return d, nil
	}
	if e.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, e.Deadline, errDeadline)
		defer cancel()
	}
	undecided := func(err error) (Decision, error) {
		if ev.Phase == PhasePost { // nothing is to be decided any more
			return Decision{Verdict: VerdictAllow, Actions: d.Actions, Took: time.Since(start), Err: err}, nil
		}
		return Decision{Verdict: VerdictUndecided, Actions: d.Actions, Took: time.Since(start), Err: err}, err
	}

	var err error
	d.Actions, err = e.actions(ctx, ev)
	switch {
	case errors.Is(err, ErrUnknownTool):
		d.Unknown = true
		d.Took = time.Since(start)
		return d, nil
	case err != nil:
		return undecided(err)
	}

	jobs, skipped := e.match(ctx, ev, d.Actions)
	if err := e.begin(ctx, ev, jobs); err != nil {
		return undecided(err)
	}
	d.Findings = e.judgeAll(ctx, jobs)
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return undecided(fmt.Errorf("sentinel: %w", context.Cause(ctx)))
	}
	d.Findings = append(d.Findings, skipped...)
	d.decide(e.FailOpen)
	if ev.Phase == PhasePost {
		d.permit()
	}
	if d.Verdict < VerdictBlock { // with a block not every agent reads what else there is to say
		e.mute(ctx, ev.Session, d.Findings)
	}
	d.Took = time.Since(start)
	return d, nil
}

// begin asks Options.Begin whether and what of the jobs is to be judged.
func (e *engine) begin(ctx context.Context, ev Event, jobs []job) error {
	if e.Begin == nil || len(jobs) == 0 || ev.Phase != PhasePre {
		return nil
	}
	waived, err := e.Begin(ctx, ev)
	if err != nil || waived == nil {
		return err
	}
	for i := range jobs {
		jobs[i].waived = waived(jobs[i].spec)
	}
	return nil
}

// mute marks the texts that the session has been given already: a warning that is
// repeated word for word is noise.
func (e *engine) mute(ctx context.Context, session string, findings []Finding) {
	if e.Told == nil || ctx.Err() != nil { // past the deadline nothing is waited for
		return
	}
	for i := range findings {
		if f := &findings[i]; f.context() != "" {
			f.Muted = e.Told(ctx, session, f.Rule, f.context())
		}
	}
}

// actions says what the event does.
func (e *engine) actions(ctx context.Context, ev Event) ([]Action, error) {
	actions := ev.Actions
	if actions == nil {
		if e.Mapper == nil {
			return nil, ErrUnknownTool
		}
		var err error
		if actions, err = e.Mapper.MapTool(ctx, ev); err != nil {
			if errors.Is(err, ErrUnknownTool) || errors.Is(err, ErrEvent) {
				return nil, err
			}
			return nil, fmt.Errorf("%w: %w", ErrEvent, err)
		}
	}
	for i := range actions {
		if actions[i].Trigger == "" {
			return nil, fmt.Errorf("%w: action %d of tool %q has no trigger", ErrEvent, i, ev.Tool.Name)
		}
	}
	return actions, nil
}

// A job is one rule to be judged on one action.
type job struct {
	rule   Rule
	spec   *RuleSpec
	action *Action
	match  Match
	err    error     // the rule failed already while it was matched
	waived string    // why it is not judged, by Options.Begin; "" if it is
	post   *postCall // set at PhasePost: the rule gives advice
}

// finding is what is known of a job before it is judged.
func (j *job) finding() Finding {
	return Finding{Rule: j.spec, Action: j.action, Match: j.match}
}

// unavailable is the finding of a job that could not be judged.
func (j *job) unavailable(err error) Finding {
	f := j.finding()
	f.Outcome, f.Err = OutcomeUnavailable, err
	f.Reason = "could not be judged: " + text.Line(err.Error())
	return f
}

// skip is the finding of a job that was not asked on purpose.
func (j *job) skip(why string) Finding {
	f := j.finding()
	f.Outcome, f.Reason = OutcomeSkipped, why
	return f
}

// match finds the rules that apply to each action: at PhasePost those with Post,
// else the others. With Explain it also returns a finding for each of them that
// does not.
func (e *engine) match(ctx context.Context, ev Event, actions []Action) (jobs []job, others []Finding) {
	var post *postCall
	if ev.Phase == PhasePost {
		post = e.newPostCall(ctx, ev)
	}
	for i := range actions {
		a := &actions[i]
		for k, r := range e.rules {
			spec := e.specs[k]
			if spec.Post != (post != nil) || e.Shadow == ShadowOnly && !e.deferrable(spec) {
				continue
			}
			m, err := safeMatch(r, a)
			if m.OK || err != nil {
				jobs = append(jobs, job{rule: r, spec: spec, action: a, match: m, err: err, post: post})
			} else if e.Explain {
				j := job{spec: spec, action: a, match: m}
				others = append(others, j.skip("does not apply: "+m.Why))
			}
		}
	}
	return jobs, others
}

// safeMatch keeps a third party's rule that panics from harming the others.
func safeMatch(r Rule, a *Action) (m Match, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("matching panicked: %v", p)
		}
	}()
	return r.Match(a), nil
}

// judgeAll judges the jobs, MaxParallel at once, and returns their findings in
// the order of the jobs. It never waits longer for a job than ctx allows.
func (e *engine) judgeAll(ctx context.Context, jobs []job) []Finding {
	if len(jobs) == 0 {
		return nil
	}
	parent := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	type result struct {
		i int
		f Finding
	}
	results := make(chan result, len(jobs)) // buffered: who is abandoned must not leak
	slots := make(chan struct{}, e.MaxParallel)
	fenceKey := e.newFence()
	go func() {
		for _, i := range enforcedFirst(jobs) {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return // what was never started is told apart below
			}
			go func() {
				defer func() { <-slots }()
				results <- result{i, e.judge(ctx, &jobs[i], fenceKey)}
			}()
		}
	}()

	findings := make([]Finding, len(jobs))
	var graceOver, abandon <-chan time.Time
	ended := ctx.Done()
	for pending := len(jobs); pending > 0; {
		select {
		case r := <-results:
			findings[r.i] = r.f
			pending--
			if r.f.Outcome == OutcomeViolation && r.f.Rule.Severity == SeverityBlock && !r.f.Rule.Shadow && !e.CollectAll && graceOver == nil {
				graceOver = time.After(grace)
			}
		case <-graceOver:
			cancel(errDecided)
		case <-ended:
			ended = nil
			abandon = time.After(abandonAfter)
		case <-abandon:
			pending = 0
		}
	}
	for i := range findings {
		if findings[i].Outcome != OutcomeUnknown && !decidedEarly(ctx, parent, &findings[i]) {
			continue
		}
		switch {
		case e.Shadow == ShadowLater && e.deferrable(jobs[i].spec) && jobs[i].waived == "":
			findings[i] = jobs[i].putOff()
		case parent.Err() == nil && errors.Is(context.Cause(ctx), errDecided):
			findings[i] = jobs[i].skip(errDecided.Error())
		default:
			findings[i] = jobs[i].unavailable(context.Cause(ctx))
			findings[i].Deferred = e.Shadow == ShadowOnly
		}
	}
	return findings
}

// decidedEarly reports whether f failed only because its judgement was cancelled
// once a block was certain.
func decidedEarly(ctx, parent context.Context, f *Finding) bool {
	return f.Outcome == OutcomeUnavailable && parent.Err() == nil && errors.Is(context.Cause(ctx), errDecided) &&
		(errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, errDecided))
}

// newFence returns the key of the fence for one event.
func (e *engine) newFence() []byte {
	if e.FenceKey != nil {
		if key := e.FenceKey(); len(key) > 0 {
			return key
		}
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails (crypto/rand since Go 1.24)
	return key
}
