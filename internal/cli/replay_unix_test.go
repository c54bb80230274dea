//go:build darwin || linux

package cli_test

import (
	"context"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplayInterrupted: Ctrl-C while models are asked prints what there is. The
// judge waits for the signal to arrive, so nothing depends on time.
func TestReplayInterrupted(t *testing.T) {
	var asked atomic.Int64
	out, r := replayed(t, func(ctx context.Context, _ string) (string, error) {
		if asked.Add(1) == 3 {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return "", err
			}
			<-ctx.Done()
			return "", ctx.Err()
		}
		return bad, nil
	})
	require.Equal(t, 1, r.status)
	require.Contains(t, r.stderr, "interrupted; what stands above is what was looked at until then")
	require.True(t, out.Interrupted)
	require.Equal(t, 8, out.Before.Block+out.Open, "what was answered counts, the rest is open")
	require.Positive(t, out.Open)
}
