package backend_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/sentineltest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	answer := sentineltest.Violation(0.9, "it is one")
	answer.Always = true
	for name, wrap := range map[string]func(sentinel.Backend) sentinel.Backend{
		"Lazy": func(b sentinel.Backend) sentinel.Backend {
			return backend.Lazy(func() (sentinel.Backend, error) { return b, nil })
		},
		"Limited": func(b sentinel.Backend) sentinel.Backend { return backend.Limited(b, 1) },
		"Timed":   backend.Timed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sentineltest.RunBackend(t, func(*testing.T) sentinel.Backend { return wrap(sentineltest.NewBackend(answer)) })
		})
	}
}

func TestAsLooksThrough(t *testing.T) {
	t.Parallel()
	b := backend.Lazy(func() (sentinel.Backend, error) {
		return backend.Limited(backend.Timed(builtin.New()), 1), nil
	})
	_, ok := sentinel.As[sentinel.Pinger](b)
	require.True(t, ok)
	_, ok = sentinel.As[io.Closer](b)
	require.False(t, ok, "the builtin judge has nothing to close")
}

func TestLazy(t *testing.T) {
	t.Parallel()
	built := 0
	b := backend.Lazy(func() (sentinel.Backend, error) {
		built++
		return sentineltest.NewBackend(sentineltest.Clean(1), sentineltest.Clean(0.5)), nil
	})
	require.Zero(t, built)
	for _, want := range []string{`{"violation":false,"confidence":1}`, `{"violation":false,"confidence":0.5}`} {
		resp, err := b.Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err)
		require.Equal(t, want, resp.Text)
	}
	require.Equal(t, 1, built)
}

func TestLazyRefusal(t *testing.T) {
	t.Parallel()
	refusal := fmt.Errorf("%w: not trusted", sentinel.ErrRefused)
	built := 0
	b := backend.Lazy(func() (sentinel.Backend, error) {
		built++
		return nil, refusal
	})
	for range 3 {
		resp, err := b.Complete(t.Context(), sentinel.Request{})
		require.Equal(t, refusal, err)
		require.Empty(t, resp)
	}
	require.Equal(t, 1, built)
	_, ok := sentinel.As[sentinel.Pinger](b)
	require.False(t, ok)
}

func TestLazyBuildsNothing(t *testing.T) {
	t.Parallel()
	_, err := backend.Lazy(func() (sentinel.Backend, error) { return nil, nil }).Complete(t.Context(), sentinel.Request{})
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
}

// slow answers after Request.Seed seconds, or with the context's error.
func slow(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	select {
	case <-time.After(time.Duration(*req.Seed) * time.Second):
		return sentinel.Response{Text: "yes"}, nil
	case <-ctx.Done():
		return sentinel.Response{}, &sentinel.BackendError{Backend: "slow", Op: "complete", Err: ctx.Err()}
	}
}

func taking(seconds int64) sentinel.Request { return sentinel.Request{Seed: &seconds} }

// The clock of the bubble makes these times exact.
func TestLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backend.Limited(sentinel.BackendFunc(slow), 2)
		var waited [4]time.Duration
		done := make(chan struct{})
		for i := range waited {
			go func() {
				resp, err := b.Complete(t.Context(), taking(3))
				require.NoError(t, err)
				waited[i] = resp.Waited
				done <- struct{}{}
			}()
			synctest.Wait() // so that they wait in line in this order
		}
		for range waited {
			<-done
		}
		require.Equal(t, [4]time.Duration{0, 0, 3 * time.Second, 3 * time.Second}, waited)
	})
}

func TestLimitedAddsToWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backend.Limited(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			time.Sleep(time.Second)
			return sentinel.Response{Waited: time.Minute}, sentinel.ErrMalformed
		}), 0) // fewer than one slot means one
		go b.Complete(t.Context(), sentinel.Request{})
		synctest.Wait()
		resp, err := b.Complete(t.Context(), sentinel.Request{})
		require.ErrorIs(t, err, sentinel.ErrMalformed, "errors come through")
		require.Equal(t, time.Minute+time.Second, resp.Waited)
	})
}

func TestLimitedGivesUpWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backend.Limited(sentinel.BackendFunc(slow), 1)
		go b.Complete(t.Context(), taking(10))
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		resp, err := b.Complete(ctx, taking(1))
		require.ErrorIs(t, err, sentinel.ErrBusy)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, sentinel.ErrUnavailable, "waiting says nothing about the model")
		require.Equal(t, 2*time.Second, resp.Waited)

		_, err = b.Complete(t.Context(), taking(1))
		require.NoError(t, err, "the slot comes free")
	})
}

// A slot of a call that panics is free again.
func TestLimitedPanic(t *testing.T) {
	t.Parallel()
	b := backend.Limited(sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		if req.Prompt == "panic" {
			panic("broken")
		}
		return sentinel.Response{Text: "yes"}, nil
	}), 1)
	require.Panics(t, func() { b.Complete(t.Context(), sentinel.Request{Prompt: "panic"}) })
	_, err := b.Complete(t.Context(), sentinel.Request{})
	require.NoError(t, err)
}

func TestTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backend.Timed(sentinel.BackendFunc(slow))
		for _, timeout := range []time.Duration{0, -1, time.Minute} {
			req := taking(3)
			req.Timeout = timeout
			resp, err := b.Complete(t.Context(), req)
			require.NoError(t, err)
			require.Equal(t, 3*time.Second, resp.Took)
		}

		req := taking(3)
		req.Timeout = 2 * time.Second
		resp, err := b.Complete(t.Context(), req)
		require.ErrorIs(t, err, sentinel.ErrUnavailable)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "slow: complete: unavailable: no answer within 2s: context deadline exceeded")
		require.Equal(t, 2*time.Second, resp.Took)
	})
}

// The clock starts when the call starts, not while it waits in line.
func TestTimedWithinLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backend.Limited(backend.Timed(sentinel.BackendFunc(slow)), 1)
		go b.Complete(t.Context(), taking(60))
		synctest.Wait()
		req := taking(3)
		req.Timeout = 5 * time.Second
		resp, err := b.Complete(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, time.Minute, resp.Waited)
		require.Equal(t, 3*time.Second, resp.Took)
	})
}

// Only the call's own time makes an error a timeout.
func TestTimedLeavesOtherErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		fails := func(err error, after time.Duration) sentinel.Backend {
			return backend.Timed(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
				time.Sleep(after)
				return sentinel.Response{}, err
			}))
		}
		req := sentinel.Request{Timeout: time.Second}
		_, err := fails(broken, 0).Complete(t.Context(), req)
		require.Equal(t, broken, err)
		_, err = fails(sentinel.ErrMalformed, 2*time.Second).Complete(t.Context(), req)
		require.Equal(t, sentinel.ErrMalformed, err, "it answered, late and badly")
		_, err = fails(broken, 2*time.Second).Complete(t.Context(), req)
		require.EqualError(t, err, "backend: unavailable: no answer within 1s: context deadline exceeded")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		late := taking(3)
		late.Timeout = 2 * time.Second
		_, err = backend.Timed(sentinel.BackendFunc(slow)).Complete(ctx, late)
		require.EqualError(t, err, "slow: complete: context deadline exceeded", "it is ctx that ended")
	})
}
