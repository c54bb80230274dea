package state_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

func TestLocks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "locks")
	locks := state.NewLocks(dir)
	unlock, taken := locks.Try("a")
	require.True(t, taken)
	again, taken := state.NewLocks(dir).Try("a")
	require.False(t, taken)
	again()
	other, taken := locks.Try("b")
	require.True(t, taken, "another name")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	waited, err := locks.Take(ctx, "a")
	require.ErrorIs(t, err, context.Canceled)
	waited()

	unlock()
	next, err := locks.Take(t.Context(), "a")
	require.NoError(t, err)
	unlock() // twice does no harm to the present holder
	_, taken = locks.Try("a")
	require.False(t, taken)
	next()
	other()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// One at a time, however many try and however often the file comes and goes.
func TestLocksExclude(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var inside, done atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			locks := state.NewLocks(dir)
			for done.Load() < 400 {
				unlock, taken := locks.Try("a")
				if !taken {
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two at once")
				}
				for range 20 {
					runtime.Gosched() // others try meanwhile
				}
				inside.Add(-1)
				done.Add(1)
				unlock()
			}
		})
	}
	wait.Wait()
}

// A waiter gets it in the end.
func TestLocksAreHandedOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var inside atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			unlock, err := state.NewLocks(dir).Take(t.Context(), "a")
			if err != nil || inside.Add(1) != 1 {
				t.Errorf("two at once, or %v", err)
			}
			inside.Add(-1)
			unlock()
		})
	}
	wait.Wait()
}

func holdTask(t *testing.T, dir string, _ []string) {
	_, err := state.NewLocks(dir).Take(t.Context(), "a")
	require.NoError(t, err)
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
}

// The lock of a process that was killed is free, and its file is used again.
func TestALockOfAKilledProcessIsFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder := child(t, "hold", dir)
	_, err := holder.StdinPipe()
	require.NoError(t, err)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held", strings.TrimSpace(line))

	locks := state.NewLocks(dir)
	_, taken := locks.Try("a")
	require.False(t, taken)
	require.NoError(t, holder.Process.Kill())
	holder.Wait()
	unlock, err := locks.Take(t.Context(), "a")
	require.NoError(t, err)
	unlock()
}

// Where nothing can be locked the work is done all the same.
func TestLocksThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for range 2 {
		unlock, taken := state.NewLocks(file).Try("a")
		require.True(t, taken)
		defer unlock()
	}
}
