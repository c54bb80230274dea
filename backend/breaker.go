package backend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
)

// Shared keeps small values by name that several processes change one at a
// time. It is safe for concurrent use. It may lose a value; it never makes one up.
type Shared interface {
	// Load returns the value, or nil.
	Load(name string) []byte
	// Update replaces the value by what change makes of it, atomically; nil
	// removes it. change is quick and may be called more than once. An error
	// means that nothing was replaced.
	Update(name string, change func(old []byte) []byte) error
}

// Defaults of [BreakerOptions]: the configuration's breaker.failures and
// breaker.pause_s.
const (
	DefaultBreakerFailures = 3
	DefaultBreakerPause    = time.Minute
)

// BreakerOptions are the settings of [Breaker]. nil and zero values mean defaults.
type BreakerOptions struct {
	Failures int           // in a row, after which the backend is suspected; 0 means DefaultBreakerFailures
	Pause    time.Duration // for which it is left alone; 0 means DefaultBreakerPause

	Now func() time.Time // nil means time.Now
}

// Breaker returns a backend that leaves b alone for a while after it has failed
// several times in a row, so that a dead server costs the time of a few calls and
// not of every one. name identifies b to people and in state: two backends of
// one name share their failures, so it holds the server's URL. Each model of a
// backend is counted by itself. With a nil state only this process counts.
//
// A failure is a call that got no answer, be it refused, broken or out of time.
// An answer of the wrong form is an answer. An error that says nothing about b
// is not counted: [sentinel.ErrBusy], [sentinel.ErrRefused], [errors.ErrUnsupported], a
// caller that gave up before b was asked (which takes [Timed] to know) or that
// was cancelled.
//
// A server that limits its callers and says when to come again
// ([sentinel.BackendError].RetryAfter) is left alone until then, but no longer than
// Pause; such calls are refused with [sentinel.ErrUnavailable] and
// [sentinel.ErrBusy]. That is not a failure: afterwards all callers ask again.
//
// After that many Failures the next call first pings b, if it is a [sentinel.Pinger]. A
// backend that answers the ping is only slow or busy, and is asked again, until twice as
// many questions in a row have run out of time: then it counts as not answering. If b does
// not answer, or cannot be pinged ([errors.ErrUnsupported] says so, too), calls are refused at once for Pause with
// [sentinel.ErrUnavailable]; the error says since when and until when. Then one caller, of
// all processes, tries: it pings, or asks if b cannot be pinged. The others are refused
// until it has succeeded.
func Breaker(b sentinel.Backend, state Shared, name string, opts *BreakerOptions) sentinel.Backend {
	k := &breaker{next: b, state: state, name: name}
	if opts != nil {
		k.opts = *opts
	}
	if k.opts.Failures <= 0 {
		k.opts.Failures = DefaultBreakerFailures
	}
	if k.opts.Pause <= 0 {
		k.opts.Pause = DefaultBreakerPause
	}
	if k.opts.Now == nil {
		k.opts.Now = time.Now
	}
	if k.state == nil {
		k.state = &memory{}
	}
	return k
}

// pingTime bounds a ping: a slower backend could not judge in time either.
const pingTime = 2 * time.Second

// errTooLate is why a call failed that the event's end cut off.
var errTooLate = errors.New("no answer before the time of the whole call was up")

type breaker struct {
	next  sentinel.Backend
	state Shared
	name  string
	opts  BreakerOptions
}

// Complete asks, unless b is left alone.
func (k *breaker) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	key := k.name + "\x00" + req.Model
	trial := false
	switch s := k.load(key); {
	case s.Failures >= k.opts.Failures:
		var err error
		if trial, err = k.check(ctx, key, s, req.Model); err != nil {
			return sentinel.Response{}, err
		}
	case k.isRest(s):
		if now := k.opts.Now(); s.lasts(now, k.opts.Pause) {
			return sentinel.Response{}, k.refuseRest(s, now)
		}
	}
	resp, err := k.next.Complete(ctx, req)
	if after := retryAfter(err); after > 0 {
		k.rest(key, after, err)
		return resp, err
	}
	switch signOf(ctx, &resp, err) {
	case alive:
		k.close(key)
	case dead:
		if outOfTime(ctx) {
			err = errTooLate // the call itself says that it was cancelled
		}
		k.count(key, err, outOfTime(ctx) || errors.Is(err, context.DeadlineExceeded))
	case silent:
		if trial {
			k.giveBack(key)
		}
	}
	return resp, err
}

// Unwrap returns the backend that is asked.
func (k *breaker) Unwrap() sentinel.Backend { return k.next }

// check returns an error when a suspected backend may not be asked. trial says
// that the call itself has to show whether it lives.
func (k *breaker) check(ctx context.Context, key string, s Outage, model string) (trial bool, err error) {
	now := k.opts.Now()
	if s.lasts(now, k.opts.Pause) {
		return false, k.refuse(s, now)
	}
	if !s.Until.IsZero() {
		if taken, mine := k.claim(key); !mine {
			return false, k.refuse(taken, k.opts.Now())
		}
	}
	pinger, ok := sentinel.As[sentinel.Pinger](k.next)
	if !ok {
		return true, nil
	}
	own, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	err = pinger.Ping(own, model)
	switch {
	case err == nil && s.Late >= k.hangs() && s.Until.IsZero():
		return false, k.refuse(k.open(key, now, errHangs), now)
	case errors.Is(err, errors.ErrUnsupported) && s.Until.IsZero():
		return false, k.refuse(k.open(key, now, errors.New(s.Reason)), now)
	case err == nil && s.Late >= k.hangs(), errors.Is(err, errors.ErrUnsupported):
		return true, nil // a ping proves nothing: the question itself has to
	case err == nil:
		k.answersPings(key)
		return false, nil
	case ctx.Err() != nil:
		k.giveBack(key)
		return false, k.fail(0, fmt.Errorf("%w: the caller gave up while it was pinged: %w", sentinel.ErrUnavailable, ctx.Err()))
	}
	now = k.opts.Now()
	return false, k.refuse(k.open(key, now, err), now)
}

// errHangs is why a backend is left alone that answers pings.
var errHangs = errors.New("it answers pings, and no question in time")

// hangs is how many questions in a row may run out of time, although the server
// answers pings, until it counts as one that hangs.
func (k *breaker) hangs() int { return 2 * k.opts.Failures }

// answersPings has a backend asked on that failed often enough and answers a ping.
// That its questions ran out of time is not forgotten.
func (k *breaker) answersPings(key string) {
	k.state.Update(key, func(old []byte) []byte {
		s := decodeOutage(old)
		if s.Late == 0 {
			return nil
		}
		s.Failures, s.Until = 1, time.Time{}
		return s.encode()
	})
}

// claim lets exactly one caller try once a pause is over, by beginning the next
// one. If that caller dies, the pause ends all the same. Where callers cannot
// agree each of them tries.
//
// The clock is read while no other caller can change the outage: to a time read
// before another's claim, the pause of that claim seems to end too late.
func (k *breaker) claim(key string) (s Outage, mine bool) {
	err := k.state.Update(key, func(old []byte) []byte {
		s = decodeOutage(old)
		now := k.opts.Now()
		if mine = !s.lasts(now, k.opts.Pause); !mine || s.Until.IsZero() {
			return old
		}
		s.Until = now.Add(k.opts.Pause)
		return s.encode()
	})
	return s, mine || err != nil
}

// giveBack ends the pause that claim began, when nothing was learned.
func (k *breaker) giveBack(key string) {
	now := k.opts.Now()
	k.state.Update(key, func(old []byte) []byte {
		s := decodeOutage(old)
		if s.Until.IsZero() {
			return old
		}
		s.Until = now
		return s.encode()
	})
}

// open begins a pause.
func (k *breaker) open(key string, now time.Time, cause error) (s Outage) {
	change := func(old []byte) []byte {
		s = decodeOutage(old)
		s.note(now, cause)
		s.Failures = max(s.Failures, k.opts.Failures) // another process may have lost them
		s.Until = now.Add(k.opts.Pause)
		return s.encode()
	}
	if k.state.Update(key, change) != nil {
		change(k.state.Load(key)) // for this call's own error
	}
	return s
}

// count notes a failed call. A backend that cannot be pinged is left alone as
// soon as there were enough.
func (k *breaker) count(key string, cause error, late bool) {
	_, pinged := sentinel.As[sentinel.Pinger](k.next)
	now := k.opts.Now()
	k.state.Update(key, func(old []byte) []byte {
		s := decodeOutage(old)
		if k.isRest(s) {
			s = Outage{}
		}
		s.note(now, cause)
		s.Failures++
		if s.Late++; !late {
			s.Late = 0
		}
		if !pinged && s.Failures >= k.opts.Failures {
			s.Until = now.Add(k.opts.Pause)
		}
		return s.encode()
	})
}

// retryAfter is for how long a server that limits its callers wants to be left
// alone; 0 if err is something else.
func retryAfter(err error) time.Duration {
	var be *sentinel.BackendError
	if !errors.Is(err, sentinel.ErrBusy) || !errors.As(err, &be) {
		return 0
	}
	return be.RetryAfter
}

// rest leaves a server alone for as long as it asked for, within the pause: a
// server that says "tomorrow" would switch its judge off. It has answered, so
// what it failed before is forgotten.
func (k *breaker) rest(key string, after time.Duration, cause error) {
	now := k.opts.Now()
	s := Outage{Until: now.Add(min(after, k.opts.Pause))}
	s.note(now, cause)
	s.Failures = 1 // 0 means no outage; see isRest
	k.state.Update(key, func([]byte) []byte { return s.encode() })
}

// isRest distinguishes a rest from an outage: a backend that only failed is left alone
// when it has failed often enough, and not before. Where one failure is enough the
// two are the same, and end with a trial.
func (k *breaker) isRest(s Outage) bool {
	return !s.Until.IsZero() && s.Failures < k.opts.Failures
}

// refuseRest is the error of a call that was not made during a rest.
func (k *breaker) refuseRest(s Outage, now time.Time) error {
	err := fmt.Errorf("%w: %w: it asked at %s to be left alone, which it is until %s: %s", sentinel.ErrUnavailable, sentinel.ErrBusy,
		s.Since.Local().Format(clock), s.Until.Local().Format(clock), cmp.Or(s.Reason, "no reason is known"))
	return k.fail(s.Until.Sub(now), err)
}

// close forgets all failures.
func (k *breaker) close(key string) {
	if len(k.state.Load(key)) > 0 { // the usual case costs no lock
		k.state.Update(key, func([]byte) []byte { return nil })
	}
}

func (k *breaker) load(key string) Outage { return decodeOutage(k.state.Load(key)) }

// clock is how errors write a time of today.
const clock = "15:04:05"

// refuse is the error of a call that was not made.
func (k *breaker) refuse(s Outage, now time.Time) error {
	err := fmt.Errorf("%w: no answer since %s (%d failed calls in a row, the last: %s); left alone until %s",
		sentinel.ErrUnavailable, s.Since.Local().Format(clock), s.Failures, cmp.Or(s.Reason, "unknown"), s.Until.Local().Format(clock))
	return k.fail(s.Until.Sub(now), err)
}

func (k *breaker) fail(after time.Duration, err error) error {
	return &sentinel.BackendError{Backend: k.name, Op: "complete", RetryAfter: max(after, 0), Err: err}
}

// A sign is what a call says about the backend.
type sign int

const (
	silent sign = iota
	alive
	dead
)

func signOf(ctx context.Context, resp *sentinel.Response, err error) sign {
	over := ctx.Err()
	if outOfTime(ctx) {
		over = context.DeadlineExceeded
	}
	switch {
	case err == nil, errors.Is(err, sentinel.ErrMalformed):
		return alive
	case errors.Is(err, sentinel.ErrBusy), errors.Is(err, sentinel.ErrRefused),
		errors.Is(err, sentinel.ErrPreempted), errors.Is(err, errors.ErrUnsupported):
		return silent
	case errors.Is(over, context.Canceled):
		return silent
	case over != nil && resp.Took == 0:
		return silent // the time was over before the model was asked
	}
	return dead
}

// outOfTime reports whether it is for want of time that ctx has ended: also that of
// a call for several that the last of them left, which is cancelled (see [Cached]).
func outOfTime(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded)
}

// maxReason bounds the reason that is kept, in bytes: it may be a server's words.
const maxReason = 200

// note keeps why a call or a ping failed.
func (s *Outage) note(now time.Time, cause error) {
	if s.Failures == 0 {
		s.Since = now
	}
	s.Reason = cause.Error()
	if len(s.Reason) > maxReason {
		s.Reason = strings.ToValidUTF8(s.Reason[:maxReason], "") + "…"
	}
}

// lasts reports whether the backend is left alone at now. A pause that would end
// later than one that began just now is from before the clock was set back.
func (s *Outage) lasts(now time.Time, pause time.Duration) bool {
	return now.Before(s.Until) && s.Until.Sub(now) <= pause
}

func (s Outage) encode() []byte {
	b, err := json.Marshal(s)
	if err != nil { // a year beyond 9999: the clock is wrong
		return nil
	}
	return b
}

// decodeOutage reads what encode wrote. Anything else means no outage: the backend
// is asked.
func decodeOutage(b []byte) Outage {
	var s Outage
	if len(b) == 0 || json.Unmarshal(b, &s) != nil || s.Failures < 1 || !utf8.ValidString(s.Reason) {
		return Outage{}
	}
	return s
}

// memory is Shared among the goroutines of a process.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (m *memory) Load(name string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.values[name]
}

func (m *memory) Update(name string, change func(old []byte) []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = make(map[string][]byte)
	}
	if value := change(m.values[name]); len(value) > 0 {
		m.values[name] = bytes.Clone(value)
	} else {
		delete(m.values, name)
	}
	return nil
}
