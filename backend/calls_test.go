package backend_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/sentineltest"
)

func TestCallLimitContract(t *testing.T) {
	t.Parallel()
	answer := sentineltest.Violation(0.9, "it is one")
	answer.Always = true
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		return backend.CallLimit(sentineltest.NewBackend(answer), state.NewLedger(t.TempDir()), &backend.CallsOptions{PerDay: 1e9})
	})
}

// Paid calls are counted by all processes together, until local midnight; others are not.
func TestCallLimit(t *testing.T) {
	t.Parallel()
	asked := 0
	b := tally(&asked)
	dir := filepath.Join(t.TempDir(), "paid")
	now := time.Date(2026, 3, 1, 23, 0, 0, 0, time.FixedZone("", 7200))
	process := func() sentinel.Backend { // each hook is one
		return backend.CallLimit(b, state.NewLedger(dir), &backend.CallsOptions{
			PerDay: 3, Paid: func(model string) bool { return model != "free" }, Now: func() time.Time { return now },
		})
	}
	ask := func(model string) error {
		_, err := process().Complete(t.Context(), sentinel.Request{Model: model})
		return err
	}
	for range 3 {
		require.NoError(t, ask("dear"))
	}
	err := ask("dear")
	require.ErrorIs(t, err, sentinel.ErrRefused)
	require.NotErrorIs(t, err, sentinel.ErrOverBudget, "nobody has said that rules may be left out")
	require.ErrorContains(t, err, "3 of 3 paid calls of today are made; raise budget.paid_calls_per_day")
	require.Equal(t, 3, asked)
	require.NoError(t, ask("free"))
	now = now.Add(time.Hour)
	require.NoError(t, ask("dear"), "another day")
	require.Equal(t, 5, asked)
}

// A limit that cannot be checked does not limit, so nothing is asked.
func TestCallLimitThatCannotBeKept(t *testing.T) {
	t.Parallel()
	asked := 0
	dir := filepath.Join(t.TempDir(), "paid")
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	b := backend.CallLimit(tally(&asked), state.NewLedger(dir), &backend.CallsOptions{PerDay: 3})
	_, err := b.Complete(t.Context(), sentinel.Request{})
	require.ErrorIs(t, err, sentinel.ErrRefused)
	require.ErrorContains(t, err, "cannot be counted")
	require.Zero(t, asked)
}

func TestNoCallLimit(t *testing.T) {
	t.Parallel()
	b := sentineltest.NewBackend()
	require.Same(t, b, backend.CallLimit(b, state.NewLedger(t.TempDir()), nil))
	require.Same(t, b, backend.CallLimit(b, state.NewLedger(t.TempDir()), &backend.CallsOptions{}))
	limited := backend.CallLimit(b, state.NewLedger(t.TempDir()), &backend.CallsOptions{PerDay: 1})
	inner, _ := limited.(interface{ Unwrap() sentinel.Backend })
	require.Same(t, b, inner.Unwrap())
}

// tally counts what it is asked.
func tally(asked *int) sentinel.Backend {
	return sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		*asked++
		return sentinel.Response{Text: "yes"}, nil
	})
}
