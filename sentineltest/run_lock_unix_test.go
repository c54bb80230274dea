//go:build unix

package sentineltest

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// The kernel frees the lock of a holder that is killed.
func TestRunLockAcceptsALockThatTheKernelFrees(t *testing.T) {
	t.Parallel()
	open := func(_ *testing.T, dir string) sentinel.Lock { return kernelLock{filepath.Join(dir, "lock")} }
	if os.Getenv(holderVar) != "" {
		RunLock(t, open)
		return
	}
	dir := t.TempDir()
	require.NoError(t, checkDeadHolder(t, t.Name(), dir, func() sentinel.Lock { return open(t, dir) }))
}

// kernelLock knows no priorities.
type kernelLock struct{ path string }

func (l kernelLock) Lock(ctx context.Context, _ sentinel.Priority) (context.Context, func(), error) {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, func() {}, err
	}
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return nil, func() {}, ctx.Err()
		}
	}
	return ctx, func() { f.Close() }, nil
}
