package backend_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/state"
)

func TestOutageOf(t *testing.T) {
	t.Parallel()
	values := state.NewValues(t.TempDir())
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	down := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{}, sentinel.ErrUnavailable
	})
	b := backend.Breaker(down, values, "ollama http://x", &backend.BreakerOptions{Failures: 2, Pause: time.Minute, Now: func() time.Time { return now }})
	_, ok := backend.OutageOf(values, "ollama http://x", "m")
	require.False(t, ok)
	for range 2 {
		_, err := b.Complete(t.Context(), sentinel.Request{Model: "m"})
		require.Error(t, err)
	}
	o, ok := backend.OutageOf(values, "ollama http://x", "m")
	require.True(t, ok)
	require.Equal(t, 2, o.Failures)
	require.True(t, o.Since.Equal(now))
	require.True(t, o.Until.Equal(now.Add(time.Minute)), "it cannot be pinged, so it is left alone")
	require.Contains(t, o.Reason, "unavailable")
	_, ok = backend.OutageOf(values, "ollama http://x", "another")
	require.False(t, ok)
}
