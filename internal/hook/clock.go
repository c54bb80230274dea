package hook

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// The answer is given in time whatever the work on it meets: a folder on a server
// that hangs, an expression that takes minutes. Code that takes a context ends by
// itself, some time before the deadline. For other code a watchdog waits, which at
// the deadline answers alone and ends the process.

// The shares of a deadline, counted back from it. Each is at most a part of the
// deadline, for a short one.
const (
	workShare   = 500 * time.Millisecond // the work ends: judges may outlive it a little
	workPart    = 4
	aloneShare  = 150 * time.Millisecond // the watchdog begins to judge alone
	alonePart   = 8
	recordShare = 50 * time.Millisecond // after it: for the record of an answer that was given alone
)

// A clock is the time for one answer, and the right to give it.
type clock struct {
	began time.Time
	taken atomic.Bool  // somebody gives the answer, or has given it
	given atomic.Int64 // its exit status, and 1; 0 before it is given

	decoded atomic.Pointer[call] // the call once its event is known, and with it the deadline
	alarm   atomic.Pointer[alarm]
	waits   atomic.Int64 // how long the agent waits as the folders say; 0 before they are known
	strict  atomic.Int32 // what the watchdog knows of the folders: notKnown, allOpen or oneStrict

	receipt receipt
}

func newClock(began time.Time) *clock { return &clock{began: began} }

// An alarm wakes the watchdog.
type alarm struct {
	timer *time.Timer
	at    time.Time
}

// learn tells the watchdog what the work knows of the call now. The watchdog is only
// woken for a deadline that comes earlier: to wake it takes time from every call.
func (k *clock) learn(c *call) {
	k.decoded.Store(c)
	k.hurry(c)
}

// limit keeps how long the agent waits as the folders say, which is known once they
// are read.
func (k *clock) limit(waits time.Duration) {
	k.waits.Store(int64(waits))
	if c := k.decoded.Load(); c != nil {
		k.hurry(c)
	}
}

// hurry wakes the watchdog where the deadline of c comes before the one that it waits for.
func (k *clock) hurry(c *call) {
	if a := k.alarm.Load(); a != nil && c.alone().Before(a.at) {
		a.timer.Reset(time.Until(c.alone()))
	}
}

// known is what the watchdog knows of a call: c as long as its event is not known.
func (k *clock) known(c call) call {
	if decoded := k.decoded.Load(); decoded != nil {
		return *decoded
	}
	return c
}

// take is true for the one that may answer. The work that comes too late ends here.
func (k *clock) take() bool { return k.taken.CompareAndSwap(false, true) }

// give keeps the exit status of the answer, for when the rest of the work hangs.
func (k *clock) give(status int) int {
	k.given.Store(int64(status) + 1)
	return status
}

// status is that of the answer. One that could not be written is a block: it is not known
// what was read of it.
func (k *clock) status() int {
	if status := k.given.Load(); status > 0 {
		return int(status - 1)
	}
	return exit.Block
}

// ends is when the answer is due.
func (k *clock) ends(deadline time.Duration) time.Time { return k.began.Add(deadline) }

// before is when a share of the deadline begins.
func before(ends time.Time, deadline, share time.Duration, part int) time.Time {
	return ends.Add(-min(share, deadline/time.Duration(part)))
}

// inTime does the work and returns its exit status, or that of the answer that the
// watchdog gave at the deadline. It waits for the watchdog where the work is too late.
func (c *call) inTime(work func() int) int {
	known := *c // the work changes c
	done := make(chan int, 1)
	watch := time.NewTimer(time.Until(known.alone()))
	defer watch.Stop()
	c.clock.alarm.Store(&alarm{watch, known.alone()})
	go func() {
		if status := work(); status != tooLate {
			done <- status
		}
	}()
	var alone <-chan verdict
	var last <-chan time.Time
	for {
		select {
		case status := <-done:
			return status
		case <-watch.C:
			if last != nil { // it judges already
				continue
			}
			known = known.clock.known(known)
			if left := time.Until(known.alone()); left > 0 { // the agent waits longer than was known
				watch.Reset(left)
				continue
			}
			if !c.clock.taken.Load() {
				alone = known.judgeAlone()
			}
			last = time.After(time.Until(known.ends()))
		case v := <-alone:
			return known.answerAlone(v, done)
		case <-last:
			known = known.clock.known(known)
			return known.answerLate(done)
		}
	}
}

func (c *call) ends() time.Time { return c.clock.ends(c.deadline()) }

func (c *call) alone() time.Time { return before(c.ends(), c.deadline(), aloneShare, alonePart) }

// answerLate is for the deadline itself. Work after an answer is cut off,
// as by the agent that loses patience, unless it is waited for.
func (c *call) answerLate(done <-chan int) int {
	if c.clock.taken.Load() {
		return c.afterAnswer(done)
	}
	return c.answerAlone(verdict{strict: c.clock.strict.Load() != allOpen}, done)
}

// afterAnswer is the exit status of an answer that the work has given or is about
// to give.
func (c *call) afterAnswer(done <-chan int) int {
	if c.flags.wait {
		return <-done
	}
	select {
	case status := <-done:
		return status
	case <-time.After(recordShare):
	}
	return c.clock.status()
}

// Whether a call has to be stopped when it is not judged, as far as the watchdog knows.
const (
	notKnown int32 = iota
	allOpen
	oneStrict
)

// A verdict is what the watchdog found alone.
type verdict struct {
	judged   bool // the rest holds
	decision sentinel.Decision
	strict   bool
	project  *project.Project
}

// judgeAlone judges the event by the user's own rules and Sentinel's, while the other work
// hangs. Of the projects it reads the configuration and no rule.
func (c *call) judgeAlone() <-chan verdict {
	found := make(chan verdict, 1)
	mine := *c // c answers, and may do so before this ends
	go func() {
		defer func() {
			if p := recover(); p != nil {
				found <- verdict{strict: true}
			}
		}()
		found <- mine.judgeOwn()
	}()
	return found
}

// aloneOptions are the options for what the watchdog does: the end of the work is over
// when it begins.
func (c *call) aloneOptions() *project.Options {
	o := c.options()
	o.Ends = c.ends().Add(-min(aloneShare, c.deadline()/alonePart) / 4)
	return o
}

func (c *call) judgeOwn() (v verdict) {
	o := c.aloneOptions()
	v.project = project.OpenInHaste(c.starts(), o, func(strict bool) {
		if strict {
			c.clock.strict.Store(oneStrict)
		} else {
			c.clock.strict.Store(allOpen)
		}
	})
	v.strict = v.project.Strict() && !v.project.Gate().Paused()
	ev := c.event
	switch ev.Phase {
	case sentinel.PhasePermission:
		if ev.Phase = sentinel.PhasePre; c.answered(v.project) {
			v.judged, v.decision.Verdict = true, sentinel.VerdictAllow
			return v
		}
	case sentinel.PhasePre:
	default:
		return v
	}
	ctx, cancel := context.WithDeadline(context.Background(), o.Ends)
	defer cancel()
	docket := v.project.Match(ctx, ev)
	docket.HeedPauses()
	var err error
	v.decision, err = docket.Judge(ctx)
	v.judged = err == nil
	return v
}

// errLate is the error of a call that was not judged in time.
func (c *call) errLate() error {
	return fmt.Errorf("%s: the call could not be judged within %s: reading the rules, the call's paths or the call itself took too long; "+
		"`%s` shows large folders of rules", c.command("hook"), c.deadline(), c.command("doctor"))
}

// answerAlone gives the answer of the watchdog, if the work has not answered meanwhile.
func (c *call) answerAlone(v verdict, done <-chan int) int {
	if !c.clock.take() {
		return c.afterAnswer(done)
	}
	d := v.decision
	if !v.judged {
		d = sentinel.Decision{Verdict: sentinel.VerdictUndecided, Err: c.errLate()}
	}
	status := c.encodeAlone(v, &d)
	c.clock.came(c.comes)
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		defer func() { recover() }() // the answer was given
		c.recordAlone(v.project, d)
	}()
	select {
	case <-recorded:
	case <-time.After(recordShare):
	}
	return status
}

// encodeAlone writes the answer: what was judged, or the answer to a call that
// cannot be judged.
func (c *call) encodeAlone(v verdict, d *sentinel.Decision) int {
	question := c.event.Phase == sentinel.PhasePermission
	switch {
	case c.event.Phase > sentinel.PhaseUnknown && c.event.Phase != sentinel.PhasePre && !question:
		*d = sentinel.Decision{Verdict: sentinel.VerdictAllow} // the tool has run, or there is none
	case question && !v.judged && !v.strict:
		*d = sentinel.Decision{Verdict: sentinel.VerdictAllow} // a person is asked anyway
	case !v.judged:
		c.suppose()
		c.comes = state.TraceStopped
		if !v.strict {
			c.comes = state.TraceFailed
			return c.put(c.refused(d.Err))
		}
	case d.Verdict == sentinel.VerdictBlock:
		c.comes = state.TraceStopped
	default:
		c.comes = state.TraceAlone
		d.Notice = "the call was not judged completely: " + c.errLate().Error()
	}
	c.stops = d.Verdict >= sentinel.VerdictAsk || d.Verdict == sentinel.VerdictUndecided
	return c.put(c.agent.Encode(c.event, *d))
}

// recordAlone keeps what the watchdog decided.
func (c *call) recordAlone(p *project.Project, d sentinel.Decision) {
	if p == nil {
		return
	}
	c.clock.begin(p, &c.event)
	p.Past().Book().NoteOnce("late", c.event.Agent, c.errLate().Error())
	p.Past().Book().Write(record.Of(c.env.Now(), c.event, d), d, c.event)
}

// A receipt is what remains of every call before a tool, also of one that no rule is
// about: a line before it is judged, and one when it was answered. A hook that is
// killed leaves the first alone. The work and the watchdog may both write it.
type receipt struct {
	mark atomic.Pointer[state.Mark]
	came atomic.Int32 // the outcome, once the answer was given
	took atomic.Int64 // until then

	created atomic.Pointer[[]string] // files that the call makes
}

// begin leaves the first line, where rules are in force.
func (k *clock) begin(p *project.Project, ev *sentinel.Event) {
	if ev.Phase != sentinel.PhasePre || len(p.Folders) == 0 || k.receipt.mark.Load() != nil {
		return
	}
	k.receipt.mark.Store(p.Past().Trace().Begin(
		state.Session{Agent: ev.Agent, ID: ev.Session, Dir: ev.Dir, Transcript: ev.Transcript},
		state.Traced{ID: state.CallDigest(ev.Tool.ID), Args: state.ArgsDigest(ev.Tool.Args), Tool: ev.Tool.Name},
	))
}

// came notes that the answer was given.
func (k *clock) came(o state.Outcome) {
	k.receipt.took.Store(int64(time.Since(k.began)))
	k.receipt.came.Store(int32(o))
}

// creates notes which files the call makes that are not there yet.
func (k *clock) creates(paths []string) {
	if len(paths) > 0 {
		k.receipt.created.Store(&paths)
	}
}

// leave writes the last line, if an answer was given.
func (k *clock) leave() {
	if o := k.receipt.came.Load(); o != 0 {
		var created []string
		if c := k.receipt.created.Load(); c != nil {
			created = *c
		}
		k.receipt.mark.Load().End(state.Outcome(o), time.Duration(k.receipt.took.Load()), created...)
	}
}

// lost are the calls just before this one whose hook ended without an answer.
func (k *clock) lost() []state.Traced { return k.receipt.mark.Load().Lost() }

// outcome is what came of a decision.
func outcome(d sentinel.Decision) state.Outcome {
	switch {
	case d.Relayed:
		return state.TraceRelayed
	case d.Verdict == sentinel.VerdictUndecided, d.Verdict >= sentinel.VerdictAsk:
		return state.TraceStopped
	}
	return state.TracePassed
}
