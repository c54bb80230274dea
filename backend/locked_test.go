package backend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/sentineltest"
)

func TestLockedContract(t *testing.T) {
	t.Parallel()
	answer := sentineltest.Violation(0.9, "it is one")
	answer.Always = true
	lock := gpulock.New(filepath.Join(t.TempDir(), "ollama.lock"), nil)
	sentineltest.RunBackend(t, func(*testing.T) sentinel.Backend {
		return backend.Locked(sentineltest.NewBackend(answer), lock)
	})
}

func TestLockedUnwrap(t *testing.T) {
	t.Parallel()
	_, ok := sentinel.As[sentinel.Pinger](backend.Locked(builtin.New(), &script{}))
	require.True(t, ok)
}

// A grant is what a scripted lock answers once.
type grant struct {
	after     time.Duration // it waits so long, or until ctx ends
	err       error
	preempted time.Duration // held ends so long after; 0 never
}

// A script is a lock that answers as it is told.
type script struct {
	grants    []grant
	asked     []sentinel.Priority
	held      int // now
	unlocked  int // calls
	mostHeld  int
	unlimited bool // the last grant is repeated
}

func (s *script) Lock(ctx context.Context, p sentinel.Priority) (context.Context, func(), error) {
	g := s.grants[0]
	if len(s.grants) > 1 || !s.unlimited {
		s.grants = s.grants[1:]
	}
	s.asked = append(s.asked, p)
	none := func() { s.unlocked++ }
	select {
	case <-time.After(g.after):
	case <-ctx.Done():
		return nil, none, ctx.Err()
	}
	if g.err != nil {
		return nil, none, g.err
	}
	held, end := context.WithCancelCause(ctx)
	if g.preempted > 0 {
		time.AfterFunc(g.preempted, func() { end(fmt.Errorf("lock: %w", sentinel.ErrPreempted)) })
	}
	s.held++
	s.mostHeld = max(s.mostHeld, s.held)
	return held, func() { s.unlocked++; s.held--; end(nil) }, nil
}

func lowPriority(p sentinel.Priority, seconds int64) sentinel.Request {
	req := taking(seconds)
	req.Priority = p
	return req
}

func TestLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for p := sentinel.PriorityJudge; p <= sentinel.PriorityScribe; p++ {
			l := &script{grants: []grant{{after: 2 * time.Second}}}
			b := backend.Locked(sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
				require.Equal(t, 1, l.held, "the lock is held during the call")
				resp, err := slow(ctx, req)
				resp.Waited = time.Minute
				return resp, err
			}), l)
			resp, err := b.Complete(t.Context(), lowPriority(p, 3))
			require.NoError(t, err)
			require.Equal(t, sentinel.Response{Text: "yes", Waited: time.Minute + 2*time.Second}, resp)
			require.Equal(t, []sentinel.Priority{p}, l.asked)
			require.Zero(t, l.held)
		}
	})
}

// The clock of a call does not run while it waits for the lock.
func TestTimedWithinLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backend.Locked(backend.Timed(sentinel.BackendFunc(slow)), &script{grants: []grant{{after: time.Minute}}})
		req := lowPriority(sentinel.PriorityScribe, 3)
		req.Timeout = 5 * time.Second
		resp, err := b.Complete(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, time.Minute, resp.Waited)
		require.Equal(t, 3*time.Second, resp.Took)
	})
}

func never(t *testing.T) sentinel.Backend {
	return sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		t.Error("the model was asked")
		return sentinel.Response{}, nil
	})
}

func TestLockedBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taken := fmt.Errorf("lock: %w", sentinel.ErrBusy)
		for p := sentinel.PrioritySynthesizer; p <= sentinel.PriorityScribe; p++ {
			l := &script{grants: []grant{{after: 5 * time.Second, err: taken}}}
			resp, err := backend.Locked(never(t), l).Complete(t.Context(), sentinel.Request{Priority: p})
			require.ErrorIs(t, err, sentinel.ErrBusy)
			require.NotErrorIs(t, err, sentinel.ErrUnavailable, "waiting says nothing about the model")
			require.EqualError(t, err, "backend: the GPU is in use: lock: busy")
			require.Equal(t, sentinel.Response{Waited: 5 * time.Second}, resp)
		}
		for _, err := range []error{taken, errors.ErrUnsupported} {
			l := &script{grants: []grant{{err: err}}}
			_, err := backend.Locked(sentinel.BackendFunc(slow), l).Complete(t.Context(), lowPriority(sentinel.PriorityJudge, 1))
			require.NoError(t, err, "a judge is asked whatever the lock says")
			require.Equal(t, 1, l.unlocked)
		}
	})
}

func TestLockedGivesUpWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		resp, err := backend.Locked(never(t), &script{grants: []grant{{after: time.Minute}}}).
			Complete(ctx, sentinel.Request{Priority: sentinel.PriorityScribe})
		require.ErrorIs(t, err, sentinel.ErrBusy)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "backend: the GPU is in use: busy: context deadline exceeded")
		require.Equal(t, 2*time.Second, resp.Waited)
	})
}

// Where there can be no lock the model is asked without one, and a judge
// that is not known cannot end the call.
func TestLockedWithoutLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for p := sentinel.PriorityJudge; p <= sentinel.PriorityScribe; p++ {
			l := &script{grants: []grant{{err: fmt.Errorf("lock: %w", errors.ErrUnsupported)}}}
			resp, err := backend.Locked(sentinel.BackendFunc(slow), l).Complete(t.Context(), lowPriority(p, 1))
			require.NoError(t, err)
			require.Equal(t, "yes", resp.Text)
			require.Equal(t, 1, l.unlocked)
		}
	})
}

// One that has to give way is asked again, with the lock taken again.
func TestLockedAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &script{grants: []grant{
			{after: time.Second, preempted: 2 * time.Second},
			{after: 4 * time.Second, preempted: 8 * time.Second},
			{after: 16 * time.Second},
		}}
		resp, err := backend.Locked(sentinel.BackendFunc(slow), l).Complete(t.Context(), lowPriority(sentinel.PriorityScribe, 10))
		require.NoError(t, err)
		require.Equal(t, 31*time.Second, resp.Waited, "calls that gave way were waiting too")
		require.Len(t, l.asked, 3)
		require.Equal(t, 1, l.mostHeld, "the lock is given back in between")
		require.Zero(t, l.held)
	})
}

func TestLockedBusyAfterGivingWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &script{grants: []grant{{preempted: time.Second}, {err: sentinel.ErrBusy}}}
		resp, err := backend.Locked(sentinel.BackendFunc(slow), l).Complete(t.Context(), lowPriority(sentinel.PriorityAccumulator, 10))
		require.ErrorIs(t, err, sentinel.ErrBusy)
		require.Equal(t, time.Second, resp.Waited)
	})
}

// Judges that come without end keep the scribe away until its own time is over.
func TestLockedAskingAgainIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
		defer cancel()
		l := &script{grants: []grant{{preempted: time.Second}}, unlimited: true}
		_, err := backend.Locked(sentinel.BackendFunc(slow), l).Complete(ctx, lowPriority(sentinel.PriorityScribe, 10))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, l.asked, 10)
		require.Zero(t, l.held)
	})
}

// An answer that came as a judge came is an answer.
func TestLockedKeepsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &script{grants: []grant{{preempted: time.Second}}}
		stubborn := sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
			<-ctx.Done()
			return sentinel.Response{Text: "yes"}, nil
		})
		resp, err := backend.Locked(stubborn, l).Complete(t.Context(), sentinel.Request{Priority: sentinel.PriorityScribe})
		require.NoError(t, err)
		require.Equal(t, "yes", resp.Text)
	})
}

// Other errors are the caller's, and the model is asked once.
func TestLockedLeavesOtherErrors(t *testing.T) {
	t.Parallel()
	l := &script{grants: []grant{{}}}
	b := backend.Locked(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{Text: "half"}, sentinel.ErrMalformed
	}), l)
	resp, err := b.Complete(t.Context(), sentinel.Request{Priority: sentinel.PriorityScribe})
	require.Equal(t, sentinel.ErrMalformed, err)
	require.Equal(t, "half", resp.Text)
	require.Len(t, l.asked, 1)
}

// The lock of a call that panics is free again.
func TestLockedPanic(t *testing.T) {
	t.Parallel()
	l := &script{grants: []grant{{}}}
	b := backend.Locked(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		panic("broken")
	}), l)
	require.Panics(t, func() { b.Complete(t.Context(), sentinel.Request{}) })
	require.Zero(t, l.held)
}

// While advice is being written in another process, learning is put off and the
// judge is asked all the same.
func ExampleLocked() {
	dir, err := os.MkdirTemp("", "runtime")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	lock := gpulock.New(gpulock.MachinePath(dir, ""), &gpulock.Options{Waits: gpulock.Waits{Scribe: time.Millisecond}})
	model := sentineltest.NewBackend(sentineltest.Clean(0.9))
	b := backend.Limited(backend.Locked(backend.Timed(model), lock), 1)

	_, unlock, err := lock.Lock(ctx, sentinel.PrioritySynthesizer)
	fmt.Println("advice:", err)
	defer unlock()

	_, err = b.Complete(ctx, sentinel.Request{Priority: sentinel.PriorityScribe})
	fmt.Println("learning is put off:", errors.Is(err, sentinel.ErrBusy))

	resp, err := b.Complete(ctx, sentinel.Request{Priority: sentinel.PriorityJudge})
	fmt.Println("judge:", resp.Text, err)
	// Output:
	// advice: <nil>
	// learning is put off: true
	// judge: {"violation":false,"confidence":0.9} <nil>
}
