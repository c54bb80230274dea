package backend_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// server is a backend that can be down, for calls and for pings.
type server struct {
	mu           sync.Mutex
	err, pingErr error
	calls, pings int
	pingTakes    time.Duration
}

func (s *server) Complete(context.Context, sentinel.Request) (sentinel.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return sentinel.Response{Text: "yes"}, s.err
}

func (s *server) Ping(ctx context.Context, _ string) error {
	s.mu.Lock()
	s.pings++
	takes, err := s.pingTakes, s.pingErr
	s.mu.Unlock()
	select {
	case <-time.After(takes):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unpinged hides that a server can be pinged.
func unpinged(s *server) sentinel.Backend { return sentinel.BackendFunc(s.Complete) }

var errDown = &sentinel.BackendError{Backend: "b", Op: "complete", Err: fmt.Errorf("%w: connection refused", sentinel.ErrUnavailable)}

func TestBreakerContract(t *testing.T) {
	t.Parallel()
	answer := sentineltest.Violation(0.9, "it is one")
	answer.Always = true
	sentineltest.RunBackend(t, func(*testing.T) sentinel.Backend {
		return backend.Breaker(sentineltest.NewBackend(answer), nil, "fake", nil)
	})
}

// A table of what happens to one backend, step by step. Each step is a call.
func TestBreaker(t *testing.T) {
	t.Parallel()
	const min = time.Minute
	ok, down := error(nil), error(errDown)
	limits := func(after time.Duration) error { // status 429 with Retry-After
		return &sentinel.BackendError{Backend: "b", RetryAfter: after, Err: fmt.Errorf("%w: %w: 429", sentinel.ErrUnavailable, sentinel.ErrBusy)}
	}
	type step struct {
		after     time.Duration // passes before the call
		err, ping error         // what the backend says
		asked     bool          // the call reaches it
	}
	for name, c := range map[string]struct {
		pinged bool
		steps  []step
	}{
		"works": {true, []step{{0, ok, down, true}, {0, ok, down, true}, {0, ok, down, true}, {0, ok, down, true}}},
		"dies and comes back": {true, []step{
			{0, down, down, true}, {0, down, down, true}, {0, down, down, true},
			{0, down, down, false}, {0, ok, ok, false}, {min - 1, ok, ok, false},
			{1, ok, ok, true}, {0, ok, ok, true},
			{0, down, ok, true}, {0, down, ok, true}, {0, ok, down, true}, // counted again
		}},
		"stays dead": {true, []step{
			{0, down, down, true}, {0, down, down, true}, {0, down, down, true}, {0, down, down, false},
			{min, down, down, false}, {min - 1, down, down, false}, {1, down, down, false}, {min, ok, ok, true},
		}},
		"only slow: it opens only when a ping fails too": {true, []step{
			{0, down, ok, true}, {0, down, ok, true}, {0, down, ok, true}, {0, down, ok, true}, {0, down, ok, true},
			{0, down, ok, true}, {0, down, ok, true}, {0, down, ok, true},
		}},
		"not in a row": {true, []step{
			{0, down, down, true}, {0, down, down, true}, {0, ok, down, true}, {0, down, down, true}, {0, down, down, true}, {0, ok, down, true},
		}},
		"cannot be pinged": {false, []step{
			{0, down, nil, true}, {0, down, nil, true}, {0, down, nil, true}, {0, ok, nil, false}, {min - 1, ok, nil, false},
			{1, down, nil, true}, {0, ok, nil, false}, {min, ok, nil, true}, {0, ok, nil, true},
			{0, down, nil, true}, {0, ok, nil, true},
		}},
		"a trial that says nothing is repeated": {false, []step{
			{0, down, nil, true}, {0, down, nil, true}, {0, down, nil, true}, {0, ok, nil, false},
			{min, sentinel.ErrBusy, nil, true}, {0, ok, nil, true}, {0, ok, nil, true},
		}},
		"limits its callers": {true, []step{
			{0, limits(20 * time.Second), ok, true}, {0, ok, ok, false}, {20*time.Second - 1, ok, ok, false}, {1, ok, down, true},
			{0, limits(20 * time.Second), ok, true}, {20 * time.Second, limits(20 * time.Second), ok, true}, {0, ok, ok, false},
			{20 * time.Second, down, down, true}, {0, down, down, true}, {0, down, down, true}, {0, ok, down, false}, // none of them was a failure
		}},
		"limits its callers, and cannot be pinged": {false, []step{
			{0, down, nil, true}, {0, down, nil, true}, {0, limits(time.Second), nil, true}, {0, ok, nil, false},
			{time.Second, down, nil, true}, {0, down, nil, true}, {0, down, nil, true}, {0, ok, nil, false}, {min, ok, nil, true},
		}},
		"is not left alone for a day": {true, []step{
			{0, limits(24 * time.Hour), ok, true}, {min - 1, ok, ok, false}, {1, ok, ok, true},
		}},
		"is busy and says no time": {true, []step{{0, limits(0), ok, true}, {0, limits(-1), ok, true}, {0, ok, ok, true}}},
		"says a time, and is broken": {true, []step{ // a time counts from servers that limit alone
			{0, &sentinel.BackendError{RetryAfter: time.Hour, Err: sentinel.ErrUnavailable}, ok, true}, {0, ok, ok, true},
		}},
		"limits, and the clock is set back": {true, []step{
			{0, limits(20 * time.Second), ok, true}, {-24 * time.Hour, ok, ok, true},
		}},
		"the clock is set back": {true, []step{
			{0, down, down, true}, {0, down, down, true}, {0, down, down, true}, {0, down, down, false},
			{-24 * time.Hour, ok, ok, true},
		}},
	} {
		for stored, shared := range map[string]backend.Shared{"in files": state.NewValues(t.TempDir()), "in memory": nil} {
			t.Run(name+", "+stored, func(t *testing.T) {
				t.Parallel()
				now := time.Date(2026, 3, 30, 14, 0, 0, 0, time.UTC)
				s := &server{}
				b := sentinel.Backend(s)
				if !c.pinged {
					b = unpinged(s)
				}
				b = backend.Breaker(backend.Limited(b, 4), shared, name, &backend.BreakerOptions{Now: func() time.Time { return now }})
				for i, step := range c.steps {
					now = now.Add(step.after)
					s.err, s.pingErr, s.calls = step.err, step.ping, 0
					_, err := b.Complete(t.Context(), sentinel.Request{})
					require.Equal(t, step.asked, s.calls == 1, "step %d: %v", i, err)
					if step.asked {
						require.Equal(t, step.err, err, "step %d", i)
					} else {
						require.ErrorIs(t, err, sentinel.ErrUnavailable, "step %d", i)
					}
				}
			})
		}
	}
}

// Not every error is a failure of the backend.
func TestBreakerCounts(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancelLate()
	took := sentinel.Response{Took: time.Second}
	for name, c := range map[string]struct {
		ctx   context.Context
		resp  sentinel.Response
		err   error
		opens bool
	}{
		"unavailable":                       {nil, took, errDown, true},
		"anything else":                     {nil, took, errors.New("broken"), true},
		"its own time is up":                {nil, took, fmt.Errorf("%w: %w", sentinel.ErrUnavailable, context.DeadlineExceeded), true},
		"malformed is an answer":            {nil, took, sentinel.ErrMalformed, false},
		"busy":                              {nil, sentinel.Response{}, sentinel.ErrBusy, false},
		"busy until the end":                {late, sentinel.Response{Waited: time.Second}, fmt.Errorf("%w: %w", sentinel.ErrBusy, context.DeadlineExceeded), false},
		"refused":                           {nil, sentinel.Response{}, sentinel.ErrRefused, false},
		"gave way":                          {nil, took, sentinel.ErrPreempted, false},
		"unsupported":                       {nil, took, errors.ErrUnsupported, false},
		"cancelled":                         {cancelled, took, context.Canceled, false},
		"the event's end, while it waited":  {late, sentinel.Response{}, context.DeadlineExceeded, false},
		"the event's end, while it thought": {late, took, context.DeadlineExceeded, true},
	} {
		b, calls := counting(answers(c.resp, c.err))
		k := backend.Breaker(b, nil, name, &backend.BreakerOptions{Failures: 2})
		ctx := t.Context()
		if c.ctx != nil {
			ctx = c.ctx
		}
		for range 5 {
			k.Complete(ctx, sentinel.Request{})
		}
		require.Equal(t, c.opens, calls.Load() == 2, "%s: asked %d times", name, calls.Load())
	}
}

func TestBreakerSaysSinceWhen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 30, 14, 2, 11, 0, time.Local)
	s := &server{err: errDown, pingErr: errors.New("still down")}
	b := backend.Breaker(s, nil, "ollama at http://127.0.0.1:11434", &backend.BreakerOptions{Now: func() time.Time { return now }})
	for range 3 {
		b.Complete(t.Context(), sentinel.Request{})
		now = now.Add(time.Second)
	}
	_, err := b.Complete(t.Context(), sentinel.Request{})
	require.EqualError(t, err, "ollama at http://127.0.0.1:11434: complete: unavailable: "+
		"no answer since 14:02:11 (3 failed calls in a row, the last: still down); left alone until 14:03:14")
	var be *sentinel.BackendError
	require.ErrorAs(t, err, &be)
	require.Equal(t, time.Minute, be.RetryAfter)
}

// Each model is counted by itself: a model that is missing says nothing about
// the others.
func TestBreakerByModel(t *testing.T) {
	t.Parallel()
	b, calls := counting(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		if req.Model == "missing" {
			return sentinel.Response{}, errDown
		}
		return sentinel.Response{Text: "yes"}, nil
	})
	k := backend.Breaker(b, nil, "b", nil)
	for range 10 {
		k.Complete(t.Context(), sentinel.Request{Model: "missing"})
		_, err := k.Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err)
	}
	require.EqualValues(t, 13, calls.Load())
}

// A ping has its own time, and the end of the caller does not count as one of the server.
func TestBreakerPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{err: errDown, pingTakes: time.Hour}
		b := backend.Breaker(s, nil, "b", nil)
		for range 3 {
			b.Complete(t.Context(), sentinel.Request{})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := b.Complete(ctx, sentinel.Request{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, sentinel.ErrUnavailable)

		start := time.Now()
		_, err = b.Complete(t.Context(), sentinel.Request{})
		require.ErrorContains(t, err, "left alone until")
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, 2, s.pings)
		require.Equal(t, 3, s.calls)

		// The one who tries gives up; the next one tries at once.
		time.Sleep(time.Minute)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = b.Complete(ctx, sentinel.Request{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		s.err, s.pingTakes = nil, 0
		_, err = b.Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err)
	})
}

// When the pause is over, one caller tries while the others are still refused.
func TestBreakerHalfOpen(t *testing.T) {
	for _, pinged := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var trials atomic.Int32
			up := false
			trial := func(ctx context.Context) error {
				if !up {
					return errDown
				}
				trials.Add(1)
				time.Sleep(10 * time.Second)
				return nil
			}
			b := sentinel.Backend(sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
				if pinged && up {
					return sentinel.Response{Text: "yes"}, nil
				}
				return sentinel.Response{Text: "yes"}, trial(ctx)
			}))
			if pinged {
				b = pinger{b, func(ctx context.Context) error {
					if !up {
						return errDown
					}
					trials.Add(1)
					time.Sleep(time.Second)
					return nil
				}}
			}
			k := backend.Breaker(b, state.NewValues(t.TempDir()), "b", nil)
			for range 4 {
				k.Complete(t.Context(), sentinel.Request{})
			}
			up = true
			time.Sleep(time.Minute)
			var answered, refused atomic.Int32
			var wait sync.WaitGroup
			for range 20 {
				wait.Go(func() {
					if _, err := k.Complete(t.Context(), sentinel.Request{}); err == nil {
						answered.Add(1)
					} else {
						require.ErrorIs(t, err, sentinel.ErrUnavailable)
						refused.Add(1)
					}
				})
			}
			wait.Wait()
			require.EqualValues(t, 1, trials.Load())
			require.EqualValues(t, 1, answered.Load())
			require.EqualValues(t, 19, refused.Load())
			_, err := k.Complete(t.Context(), sentinel.Request{})
			require.NoError(t, err)
		})
	}
}

// between is state that another caller changes after this one has read it.
type between struct {
	backend.Shared
	other func()
}

func (b *between) Update(name string, change func([]byte) []byte) error {
	if other := b.other; other != nil {
		b.other = nil
		other()
	}
	return b.Shared.Update(name, change)
}

// Who read the clock first may still come second: the trial that another caller
// began a moment later is not taken for one of before the clock was set back.
func TestBreakerClaimedInBetween(t *testing.T) {
	t.Parallel()
	b, values, now := &server{err: errDown}, state.NewValues(t.TempDir()), time.Now()
	opts := &backend.BreakerOptions{Now: func() time.Time { return now }}
	other := backend.Breaker(unpinged(b), values, "b", opts)
	for range 3 {
		other.Complete(t.Context(), sentinel.Request{})
	}
	now = now.Add(time.Hour)
	k := backend.Breaker(unpinged(b), &between{values, func() {
		now = now.Add(time.Millisecond)
		other.Complete(t.Context(), sentinel.Request{})
	}}, "b", opts)
	_, err := k.Complete(t.Context(), sentinel.Request{})
	require.ErrorContains(t, err, "left alone until")
	require.Equal(t, 4, b.calls)
}

// pinger is a backend with a ping.
type pinger struct {
	sentinel.Backend
	ping func(context.Context) error
}

func (p pinger) Ping(ctx context.Context, _ string) error { return p.ping(ctx) }

// The state may hold anything; then the backend is asked.
func TestBreakerDamagedState(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "{", "null", `{"failures":-5}`, `{"failures":1e99}`, `{"failures":3,"until":"9999-12-31T23:59:59Z"}`, `[]`, "\xff"} {
		s := &server{}
		_, err := backend.Breaker(s, fixed(value), "b", nil).Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err, "%q", value)
		require.Equal(t, 1, s.calls)
	}
}

// fixed is a state that always holds the same and cannot be changed.
type fixed string

func (f fixed) Load(string) []byte { return []byte(f) }

func (f fixed) Update(string, func([]byte) []byte) error { return errors.New("read-only") }

// A state that cannot be changed costs its use, not a judgement.
func TestBreakerReadOnlyState(t *testing.T) {
	t.Parallel()
	s := &server{err: errDown, pingErr: errDown}
	b := backend.Breaker(s, fixed(`{"failures":3,"since":"2026-03-30T14:00:00Z","until":"2026-03-30T14:00:01Z"}`), "b", nil)
	for range 5 {
		_, err := b.Complete(t.Context(), sentinel.Request{})
		require.ErrorContains(t, err, "failed calls in a row")
	}
	require.Equal(t, 5, s.pings)
	s.pingErr, s.err = nil, nil
	_, err := b.Complete(t.Context(), sentinel.Request{})
	require.NoError(t, err)
}

func TestWhatARestSays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 30, 14, 0, 0, 0, time.Local)
	s := &server{err: &sentinel.BackendError{Backend: "b", Op: "complete", RetryAfter: 20 * time.Second,
		Err: fmt.Errorf("%w: %w: 429 Too Many Requests", sentinel.ErrUnavailable, sentinel.ErrBusy)}}
	b := backend.Breaker(s, nil, "b", &backend.BreakerOptions{Now: func() time.Time { return now }})
	_, err := b.Complete(t.Context(), sentinel.Request{})
	require.ErrorIs(t, err, s.err)

	now = now.Add(5 * time.Second)
	_, err = b.Complete(t.Context(), sentinel.Request{})
	require.EqualError(t, err, "b: complete: unavailable: busy: it asked at 14:00:00 to be left alone, which it is until 14:00:20: b: complete: unavailable: busy: 429 Too Many Requests")
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorIs(t, err, sentinel.ErrBusy)
	var be *sentinel.BackendError
	require.ErrorAs(t, err, &be)
	require.Equal(t, 15*time.Second, be.RetryAfter)
	require.Equal(t, 1, s.calls)
	require.Zero(t, s.pings)

	_, err = b.Complete(t.Context(), sentinel.Request{Model: "another"})
	require.ErrorIs(t, err, s.err, "each model has limits of its own")
	require.Equal(t, 2, s.calls)
}

// expiring is a context whose time is up as soon as a test says so.
type expiring struct {
	context.Context
	done chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.done }

func (e expiring) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A server that hangs is left alone, too, when it is the event whose time is up
// before the rule's: what is asked for several at once has no deadline of its own.
// A caller that was cancelled says nothing about the server.
func TestBreakerBehindACacheKnowsADeadline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		caller func() (ctx context.Context, end func())
		asked  int
	}{
		"out of time": {func() (context.Context, func()) {
			ctx := expiring{context.Background(), make(chan struct{})}
			return ctx, func() { close(ctx.done) }
		}, 2},
		"cancelled": {func() (context.Context, func()) {
			ctx, cancel := context.WithCancel(context.Background())
			return ctx, cancel
		}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var end func()
			asked := 0
			hangs := sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
				asked++
				end()
				<-ctx.Done()
				return sentinel.Response{Took: time.Second}, fmt.Errorf("%w: %w", sentinel.ErrUnavailable, ctx.Err())
			})
			b := backend.Cached(backend.Breaker(hangs, nil, name, &backend.BreakerOptions{Failures: 2}), nil, name)
			for range 5 {
				ctx, stop := c.caller()
				end = stop
				_, err := b.Complete(ctx, sentinel.Request{Prompt: "p"})
				require.ErrorIs(t, err, sentinel.ErrUnavailable)
			}
			require.Equal(t, c.asked, asked)
		})
	}
}
