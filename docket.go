package sentinel

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// A Docket says which rules are about which actions of one event. Before Judge the
// caller may set Event.Past, Summary, Shadow and KeepRequests, and take rules out. It is
// for one goroutine and one call of Judge.
type Docket struct {
	Event        Event
	Actions      []Action   // what the event does
	Unknown      bool       // the mapper does not know the tool
	Summary      string     // what {{session_context}} of a rule with Post shows; "" is a session without a summary
	Shadow       ShadowMode // when the shadow rules that ask a model are judged
	KeepRequests bool       // attempts keep their requests, as with Options.Explain

	book   *Rulebook
	fence  []byte        // its key
	slots  chan struct{} // MaxParallel questions at once, but one of each rule that is judged
	jobs   []job
	others []Finding // with Options.Explain: of the rules that do not apply
	began  time.Time
}

// A ShadowMode says when shadow rules that ask a model are judged, since an agent
// waits. Those that ask none are judged in any mode but [ShadowOnly].
type ShadowMode uint8

const (
	ShadowInline ShadowMode = iota // with the other rules
	ShadowLater                    // not now: their findings are skipped
	ShadowOnly                     // only what ShadowLater leaves out
)

// A job is one rule to be judged on one action.
type job struct {
	rule   Rule
	spec   *RuleSpec
	action *Action
	view   *Action // action with Action.Requests and Past; nil without
	match  Match
	err    error  // the rule failed already while it was matched
	waived string // why it is not judged; "" if it is
}

// seen is the action as the rule and its judges see it.
func (j *job) seen() *Action { return cmp.Or(j.view, j.action) }

// show changes what the rule and its judges see. The finding keeps the action as it was.
func (j *job) show(change func(*Action)) {
	view := *j.seen()
	change(&view)
	j.view = &view
}

// finding is what is known of a job before it is judged.
func (j *job) finding() Finding {
	return Finding{Rule: j.spec, Action: j.action, Match: j.match, Subject: j.subject()}
}

// maxSubject bounds Finding.Subject, in characters.
const maxSubject = 80

// subject is the simple command of a compound line that the job is about.
func (j *job) subject() string {
	c, compound := j.match.Command, j.action.Command != nil && len(j.action.Command.Commands) > 1
	if c == nil || !compound {
		return ""
	}
	return subjectText(c)
}

func subjectText(c *shell.Command) string { return text.Cut(text.OneLine(c.Text), maxSubject) }

// blame names in a violation the command that makes the rule's expression true, which need
// not be the first one that the scope matched.
func (j *job) blame(ctx context.Context, f *Finding) {
	r, ok := j.rule.(blamer)
	if !ok || f.Subject == "" || f.Outcome != OutcomeViolation {
		return
	}
	if c := r.Culprit(ctx, j.seen()); c != nil {
		f.Subject = subjectText(c)
	}
}

// unavailable is the finding of a job that could not be judged.
func (j *job) unavailable(err error) Finding {
	f := j.finding()
	f.Outcome, f.Err = OutcomeUnavailable, err
	f.Reason = "could not be judged: " + line(err.Error())
	return f
}

// skip is the finding of a job that was not asked on purpose.
func (j *job) skip(why string) Finding {
	f := j.finding()
	f.Outcome, f.Reason = OutcomeSkipped, why
	return f
}

// putOff is the finding of a job that is judged after the answer.
func (j *job) putOff() Finding {
	f := j.skip("is judged after the answer")
	f.Deferred = true
	return f
}

// Match maps the event to actions and finds the rules that are about each of them in the
// event's phase. At PhaseStop each rule judges once, the first action that it is about.
// Match asks no model and evaluates no expression. The error is [ErrEvent]: the event has
// no known phase or a relative folder, its mapper failed, or an action lacks what it is about or has a
// trigger that is neither a constant nor that of a rule.
func (b *Rulebook) Match(ctx context.Context, ev Event) (*Docket, error) {
	d := &Docket{Event: ev, book: b, began: time.Now()}
	switch {
	case ev.Phase == PhaseUnknown:
		return nil, fmt.Errorf("%w: it has no phase: set Event.Phase, such as to PhasePre before a tool runs", ErrEvent)
	case int(ev.Phase) >= len(phaseWords.words):
		return nil, fmt.Errorf("%w: it has the phase %d, which there is not: set Event.Phase to a constant, such as PhasePre before a tool runs", ErrEvent, ev.Phase)
	case ev.Phase != PhasePre && (int(ev.Phase) >= len(b.phases) || !b.phases[ev.Phase]):
		return d, nil
	case !fromStart(ev.Dir) || !fromStart(ev.Root):
		return nil, fmt.Errorf("%w: Event.Dir is %q and Event.Root %q: each is an absolute folder or empty", ErrEvent, ev.Dir, ev.Root)
	}
	actions, err := b.actions(ctx, ev)
	if errors.Is(err, ErrUnknownTool) {
		d.Unknown = true
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	d.Actions = actions
	if ev.Phase == PhaseStop {
		d.Actions = inTurn(actions)
	}
	for i := range d.Actions {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: its rules were not matched in time: %w", ErrEvent, context.Cause(ctx))
		}
		d.matchAction(&d.Actions[i])
	}
	d.addRequests()
	return d, nil
}

// fromStart reports whether a folder is absolute, here or on another system, or not given: from
// a relative one, no pattern would find its files.
func fromStart(dir string) bool {
	return dir == "" || filepath.IsAbs(dir) || dir[0] == '/' || dir[0] == '\\' || len(dir) > 2 && dir[1] == ':'
}

// addRequests shows what the person has asked for to the rules that look at it.
func (d *Docket) addRequests() {
	looks := func(j job) bool { return j.spec.Intent || j.spec.Requests }
	if d.book.opts.Requests == nil || d.Event.Part || d.Event.Tool.Part || !slices.ContainsFunc(d.jobs, looks) {
		return
	}
	requests := d.book.opts.Requests(d.Event)
	for i := range d.jobs {
		if j := &d.jobs[i]; looks(*j) && len(requests) > 0 {
			j.show(func(a *Action) { a.Requests = requests })
		}
	}
}

// addPast shows what is known of the session to the rules.
func (d *Docket) addPast() {
	if d.Event.Past == nil {
		return
	}
	for i := range d.jobs {
		d.jobs[i].show(func(a *Action) { a.Past = d.Event.Past })
	}
}

// actions says what the event does.
func (b *Rulebook) actions(ctx context.Context, ev Event) ([]Action, error) {
	actions := ev.Actions
	if actions == nil {
		if b.opts.Mapper == nil {
			return nil, ErrUnknownTool
		}
		var err error
		if actions, err = b.opts.Mapper.MapTool(ctx, ev); err != nil {
			if errors.Is(err, ErrUnknownTool) || errors.Is(err, ErrEvent) {
				return nil, err
			}
			return nil, fmt.Errorf("%w: %w", ErrEvent, err)
		}
	}
	return b.completed(actions, ev)
}

// matchAction adds the rules that are about an action.
func (d *Docket) matchAction(a *Action) {
	for i, r := range d.book.rules {
		spec := d.book.specs[i]
		if !spec.Judges(d.Event.Phase, a.Trigger) || d.Event.Phase == PhaseStop && d.about(spec) || a.Carrier != "" && spec.Severity.verdict() < VerdictAsk {
			continue
		}
		m, err := safeMatch(r, a)
		switch j := (job{rule: r, spec: spec, action: a, match: m, err: err}); {
		case m.OK || err != nil:
			d.jobs = append(d.jobs, j)
		case d.book.opts.Explain:
			d.others = append(d.others, j.skip("does not apply: "+m.Why))
		}
	}
}

// about reports whether the rule has a job already.
func (d *Docket) about(spec *RuleSpec) bool {
	return slices.ContainsFunc(d.jobs, func(j job) bool { return j.spec == spec })
}

// inTurn returns the actions with Action.Turn set to all of them.
func inTurn(actions []Action) []Action {
	actions = slices.Clone(actions)
	for i := range actions {
		actions[i].Turn = actions
	}
	return actions
}

// safeMatch keeps a third party's rule that panics from harming the others. A rule that
// returns neither OK nor a reason does not apply.
func safeMatch(r Rule, a *Action) (m Match, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("matching panicked: %v", p)
		}
	}()
	if m = r.Match(a); !m.OK {
		m.Why = cmp.Or(m.Why, "the rule does not say why")
	}
	return m, nil
}

// Empty reports whether Judge would allow the event without asking anything.
func (d *Docket) Empty() bool { return len(d.jobs) == 0 && !d.denied() }

// Matches lists the rules that are about the event, each with the action, in the
// order of actions, then rules.
func (d *Docket) Matches() iter.Seq2[Rule, *Action] {
	return func(yield func(Rule, *Action) bool) {
		for i := range d.jobs {
			if !yield(d.jobs[i].rule, d.jobs[i].action) {
				return
			}
		}
	}
}

// Waive takes the rules out for which why returns a text: they are skipped, with that
// text as the reason and Finding.Waived.
func (d *Docket) Waive(why func(*RuleSpec) string) {
	for i := range d.jobs {
		d.jobs[i].waived = why(d.jobs[i].spec)
	}
}

// Judge judges the rules of the docket and decides. Its promises are those of
// [Engine]; Options.Deadline counts from the call of Match.
func (d *Docket) Judge(ctx context.Context) (Decision, error) {
	o := &d.book.opts
	out := Decision{Verdict: VerdictAllow, Actions: d.Actions, Unknown: d.Unknown}
	if o.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, d.began.Add(o.Deadline), errDeadline)
		defer cancel()
	}
	if d.Shadow == ShadowOnly {
		d.jobs = slices.DeleteFunc(d.jobs, func(j job) bool { return !o.deferrable(j.spec) })
		d.others = nil
	}
	d.addPast()
	out.Findings = d.judgeAll(ctx)
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return d.cancelled(fmt.Errorf("sentinel: %w", context.Cause(ctx)))
	}
	out.Findings = append(out.Findings, d.others...)
	out.decide(o.FailOpen || d.Event.Phase == PhaseStop) // a turn that cannot be judged must be able to end
	if d.denied() {
		out.Verdict, out.Err = VerdictBlock, fmt.Errorf("%w: %q, and calls of unknown tools are denied", ErrUnknownTool, d.Event.Tool.Name)
	}
	if d.Event.Phase == PhasePost {
		out.permit()
	}
	out.Took = time.Since(d.began)
	return out, nil
}

// denied reports whether the event is a call that may not happen because no mapper knows
// its tool.
func (d *Docket) denied() bool {
	o := &d.book.opts
	return d.Unknown && d.Event.Phase == PhasePre && o.UnknownTool != UnknownAllow && (o.UnknownTool != UnknownByFailOpen || !o.FailOpen)
}

// cancelled is the answer for a caller that has gone away.
func (d *Docket) cancelled(err error) (Decision, error) {
	out := Decision{Verdict: VerdictUndecided, Actions: d.Actions, Took: time.Since(d.began), Err: err}
	if d.Event.Phase != PhasePre {
		out.Verdict = VerdictAllow
		return out, nil
	}
	return out, err
}

// grace is how long judgements that can no longer change the decision may still
// finish once a block is certain, so that the agent reads every reason at once.
const grace = 250 * time.Millisecond

// abandonAfter is how long a judgement may outlive its context before it is
// abandoned; with it Evaluate keeps its promise of 100 ms.
const abandonAfter = 80 * time.Millisecond

var (
	errDeadline = errors.New("the deadline of the event was reached")
	errDecided  = errors.New("a block is already certain")
)

// judgeAll judges the jobs, MaxParallel at once, and returns their findings in
// the order of the jobs. It never waits longer for a job than ctx allows.
func (d *Docket) judgeAll(ctx context.Context) []Finding {
	if len(d.jobs) == 0 {
		return nil
	}
	parent := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := d.start(ctx)
	findings := make([]Finding, len(d.jobs))
	var graceOver, abandon <-chan time.Time
	ended := ctx.Done()
	for pending := len(d.jobs); pending > 0; {
		select {
		case r := <-results:
			findings[r.job] = r.finding
			pending--
			if r.finding.blocks() && !d.book.opts.CollectAll && graceOver == nil {
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
		if findings[i].Outcome == OutcomeUnknown || decidedEarly(ctx, parent, &findings[i]) {
			findings[i] = d.unfinished(ctx, parent, &d.jobs[i])
		}
	}
	return findings
}

// A judged job.
type judged struct {
	job     int
	finding Finding
}

// start begins the jobs, those of shadow rules last: they must not keep a rule
// that counts waiting.
func (d *Docket) start(ctx context.Context) <-chan judged {
	d.fence = d.book.opts.fence()
	results := make(chan judged, len(d.jobs)) // buffered: an abandoned job must not leak
	d.slots = make(chan struct{}, d.book.opts.MaxParallel)
	slots := d.slots
	go func() {
		for _, shadow := range [...]bool{false, true} {
			for i := range d.jobs {
				if d.jobs[i].spec.Shadow != shadow {
					continue
				}
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
					return // see unfinished for a job that was never started
				}
				go func() {
					defer func() { <-slots }()
					results <- judged{i, d.judge(ctx, &d.jobs[i])}
				}()
			}
		}
	}()
	return results
}

// fence returns the key of the fence for one event.
func (o *Options) fence() []byte {
	if o.FenceKey != nil {
		if key := o.FenceKey(); len(key) > 0 {
			return key
		}
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails (crypto/rand since Go 1.24)
	return key
}

// blocks reports whether a finding makes the block of the call certain.
func (f *Finding) blocks() bool {
	return f.Outcome == OutcomeViolation && f.Rule.Severity == SeverityBlock && !f.Rule.Shadow && !f.guessed()
}

// decidedEarly reports whether f failed only because its judgement was cancelled
// once a block was certain.
func decidedEarly(ctx, parent context.Context, f *Finding) bool {
	return f.Outcome == OutcomeUnavailable && parent.Err() == nil && errors.Is(context.Cause(ctx), errDecided) &&
		(errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, errDecided))
}

// unfinished is the finding of a job that was not judged to its end.
func (d *Docket) unfinished(ctx, parent context.Context, j *job) Finding {
	switch {
	case d.Shadow == ShadowLater && d.book.opts.deferrable(j.spec) && j.waived == "":
		return j.putOff()
	case parent.Err() == nil && errors.Is(context.Cause(ctx), errDecided):
		return j.skip(errDecided.Error())
	}
	f := j.unavailable(context.Cause(ctx))
	f.Deferred = d.Shadow == ShadowOnly
	return f
}

// deferrable reports whether a rule is a shadow rule that a model is asked for.
func (o *Options) deferrable(spec *RuleSpec) bool {
	switch {
	case !spec.Shadow || spec.Err != nil || o.NoModel:
		return false
	case spec.Post:
		return true
	case spec.Severity == SeverityInfo || !spec.Asks():
		return false
	}
	return slices.ContainsFunc(o.chain(spec), func(name string) bool { return name != Builtin })
}

// chain is the backends that a rule asks, in turn: its own or the default, then
// the fallbacks. No name repeats the first one.
func (o *Options) chain(spec *RuleSpec) []string {
	first, fallback := spec.Backend, spec.Fallback
	if first == "" {
		first = o.Default
	}
	if fallback == nil {
		fallback = o.Fallback
	}
	chain := []string{first}
	for _, name := range fallback {
		if name != first {
			chain = append(chain, name)
		}
	}
	return chain
}
