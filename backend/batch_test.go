package backend_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/gpulock"
)

// A turnLock is a lock in memory that its holders can be put off.
type turnLock struct {
	free    chan struct{}
	taken   atomic.Int32
	preempt atomic.Pointer[context.CancelCauseFunc]
}

func newTurnLock() *turnLock {
	l := &turnLock{free: make(chan struct{}, 1)}
	l.free <- struct{}{}
	return l
}

func (l *turnLock) Lock(ctx context.Context, _ sentinel.Priority) (context.Context, func(), error) {
	select {
	case <-l.free:
	case <-ctx.Done():
		return ctx, func() {}, ctx.Err()
	}
	l.taken.Add(1)
	held, cancel := context.WithCancelCause(ctx)
	l.preempt.Store(&cancel)
	return held, sync.OnceFunc(func() { cancel(nil); l.free <- struct{}{} }), nil
}

// A server answers each question after a time, and counts those at once.
type gauge struct {
	took      time.Duration
	now, most atomic.Int32
	asked     atomic.Int32
}

func (g *gauge) Complete(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
	g.asked.Add(1)
	now := g.now.Add(1)
	defer g.now.Add(-1)
	for {
		most := g.most.Load()
		if now <= most || g.most.CompareAndSwap(most, now) {
			break
		}
	}
	select {
	case <-time.After(g.took):
		return sentinel.Response{Text: "{}"}, nil
	case <-ctx.Done():
		return sentinel.Response{}, context.Cause(ctx)
	}
}

// audit asks n questions at once and returns the errors.
func audit(ctx context.Context, b sentinel.Backend, n int) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { _, errs[i] = b.Complete(ctx, sentinel.Request{Priority: sentinel.PriorityAudit}) })
	}
	all.Wait()
	return errs
}

// Nine questions of 12 seconds on eight slots are two rounds, and none is lost.
func TestAnAuditUsesAllSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock, server := newTurnLock(), &gauge{took: 12 * time.Second}
		b := backend.Limited(backend.Locked(server, lock), 8)
		start := time.Now()
		for _, err := range audit(t.Context(), b, 9) {
			require.NoError(t, err)
		}
		require.Equal(t, 24*time.Second, time.Since(start))
		require.EqualValues(t, 8, server.most.Load())
	})
}

// Two audits and a Scribe lose nothing but time: one that holds the lock together gives
// it back after 16 questions.
func TestAnAuditGivesOthersTheirTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock, server := newTurnLock(), &gauge{took: 12 * time.Second}
		first, second := backend.Limited(backend.Locked(server, lock), 4), backend.Limited(backend.Locked(server, lock), 4)
		var all sync.WaitGroup
		for _, b := range []sentinel.Backend{first, second} {
			all.Go(func() {
				for _, err := range audit(t.Context(), b, 40) {
					require.NoError(t, err)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 80, server.asked.Load())
		require.LessOrEqual(t, server.most.Load(), int32(4), "one of them at a time")
		require.GreaterOrEqual(t, lock.taken.Load(), int32(6))
	})
}

// At 12 seconds an answer somebody of another process who waits 30 seconds has a turn,
// although two audits ask as much as they can.
func TestTwoAuditsAtTwelveSecondsLeaveTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock, server := newTurnLock(), &gauge{took: 12 * time.Second}
		var all sync.WaitGroup
		for range 2 {
			b := backend.Limited(backend.Locked(server, lock), 4)
			all.Go(func() {
				for _, err := range audit(t.Context(), b, 40) {
					require.NoError(t, err)
				}
			})
		}
		for range 5 {
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			_, unlock, err := lock.Lock(ctx, sentinel.PriorityAccumulator)
			require.NoError(t, err)
			unlock()
			cancel()
		}
		all.Wait()
		require.EqualValues(t, 80, server.asked.Load())
	})
}

// Two audits, the judge of a hook and the Scribe, each as a process of its own with
// the lock in a file: what gives way is asked again, and every question has its answer.
func TestTwoAuditsAHookAndTheScribe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ollama.lock")
	server := &gauge{took: 4 * time.Millisecond}
	process := func() sentinel.Backend {
		patient := &gpulock.Options{Waits: gpulock.Waits{Scribe: time.Hour}}
		return backend.Limited(backend.Locked(server, gpulock.New(path, patient)), 4)
	}
	var all sync.WaitGroup
	for range 2 {
		b := process()
		all.Go(func() {
			for _, err := range audit(t.Context(), b, 40) {
				assert.NoError(t, err)
			}
		})
	}
	for _, p := range []sentinel.Priority{sentinel.PriorityJudge, sentinel.PriorityScribe} {
		b := process()
		all.Go(func() {
			for range 10 {
				_, err := b.Complete(t.Context(), sentinel.Request{Priority: p})
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	require.GreaterOrEqual(t, server.asked.Load(), int32(100))
}

// A judge puts all questions off; they are asked again.
func TestAnAuditGivesWayToAJudge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock, server := newTurnLock(), &gauge{took: time.Second}
		b := backend.Locked(server, lock)
		go func() {
			time.Sleep(500 * time.Millisecond)
			(*lock.preempt.Load())(sentinel.ErrPreempted)
		}()
		for _, err := range audit(t.Context(), b, 5) {
			require.NoError(t, err)
		}
		require.EqualValues(t, 10, server.asked.Load())
		require.EqualValues(t, 2, lock.taken.Load())
	})
}

// Who took the lock may be done before the others, and one that gives up leaves the rest alone.
func TestAnAuditsQuestionsEndByThemselves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock, server := newTurnLock(), &gauge{took: time.Second}
		b := backend.Locked(server, lock)
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		done := make(chan error)
		go func() { done <- audit(short, b, 1)[0] }()
		synctest.Wait() // it holds the lock
		go func() { done <- audit(t.Context(), b, 1)[0] }()
		require.ErrorIs(t, <-done, context.DeadlineExceeded)
		require.NoError(t, <-done)

		<-lock.free // somebody else has it
		waiting, stop := context.WithCancel(t.Context())
		go func() { done <- audit(waiting, b, 1)[0] }()
		synctest.Wait()
		stop()
		err := <-done
		require.ErrorIs(t, err, sentinel.ErrBusy)
		require.ErrorIs(t, err, context.Canceled)
		lock.free <- struct{}{}
		require.NoError(t, audit(t.Context(), b, 1)[0])
	})
}

// The lock in a file has no limit for an audit.
func TestAnAuditWaitsForTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ollama.lock")
	never := gpulock.Waits{Scribe: -1}
	_, unlock, err := gpulock.New(path, nil).Lock(t.Context(), sentinel.PrioritySynthesizer)
	require.NoError(t, err)
	other := gpulock.New(path, &gpulock.Options{Waits: never})
	_, _, err = other.Lock(t.Context(), sentinel.PriorityScribe)
	require.ErrorIs(t, err, sentinel.ErrBusy)
	got := make(chan error)
	go func() {
		_, unlock, err := other.Lock(t.Context(), sentinel.PriorityAudit)
		unlock()
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatal("it did not wait: ", err)
	default:
	}
	unlock()
	require.NoError(t, <-got)
}
