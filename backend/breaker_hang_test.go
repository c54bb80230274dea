package backend_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
)

// A server that answers pings, and no question in time, costs the time of some
// questions and not of every one. One question a pause finds out that it is well.
func TestBreakerOfAServerThatHangs(t *testing.T) {
	t.Parallel()
	late := &sentinel.BackendError{Backend: "b", Err: fmt.Errorf("%w: no answer: %w", sentinel.ErrUnavailable, context.DeadlineExceeded)}
	s := &server{err: late}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	b := backend.Breaker(s, nil, "b", &backend.BreakerOptions{Now: func() time.Time { return now }})
	ask := func() (asked bool, err error) {
		before := s.calls
		_, err = b.Complete(t.Context(), sentinel.Request{})
		return s.calls > before, err
	}
	asked := 0
	for range 40 {
		if reached, _ := ask(); reached {
			asked++
		}
	}
	require.LessOrEqual(t, asked, 2*backend.DefaultBreakerFailures+1)
	_, err := ask()
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "answers pings")

	now = now.Add(backend.DefaultBreakerPause + time.Second)
	for i := range 5 {
		reached, _ := ask()
		require.Equal(t, i == 0, reached, "one caller tries, and its time runs out")
	}
	now = now.Add(backend.DefaultBreakerPause + time.Second)
	s.err = nil
	for range 5 {
		reached, err := ask()
		require.True(t, reached)
		require.NoError(t, err)
	}
}

// A slow server, whose answers come between, is asked on.
func TestBreakerOfASlowServer(t *testing.T) {
	t.Parallel()
	late := &sentinel.BackendError{Backend: "b", Err: fmt.Errorf("%w: no answer: %w", sentinel.ErrUnavailable, context.DeadlineExceeded)}
	s := &server{}
	b := backend.Breaker(s, nil, "b", nil)
	for i := range 60 {
		s.err = late
		if i%5 == 4 {
			s.err = nil
		}
		_, _ = b.Complete(t.Context(), sentinel.Request{})
	}
	require.Equal(t, 60, s.calls)
}

// A gateway that has no page about its models cannot be pinged: the question itself shows,
// once a pause, that it is well again.
func TestBreakerOfAServerThatCannotBePinged(t *testing.T) {
	t.Parallel()
	gone := &sentinel.BackendError{Backend: "b", Err: fmt.Errorf("%w: 502", sentinel.ErrUnavailable)}
	s := &server{err: gone, pingErr: fmt.Errorf("%w: 404", errors.ErrUnsupported)}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	b := backend.Breaker(s, nil, "b", &backend.BreakerOptions{Now: func() time.Time { return now }})
	ask := func() (asked bool, err error) {
		before := s.calls
		_, err = b.Complete(t.Context(), sentinel.Request{})
		return s.calls > before, err
	}
	for i := range 10 {
		reached, err := ask()
		require.Equal(t, i < backend.DefaultBreakerFailures, reached)
		require.ErrorContains(t, err, "502")
	}
	for range 3 { // it is still gone
		now = now.Add(backend.DefaultBreakerPause + time.Second)
		for i := range 5 {
			reached, err := ask()
			require.Equal(t, i == 0, reached, "one caller tries")
			require.Error(t, err)
		}
	}
	now = now.Add(backend.DefaultBreakerPause + time.Second)
	s.err = nil
	for range 5 {
		reached, err := ask()
		require.True(t, reached)
		require.NoError(t, err)
	}
}
