package gpulock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/sentineltest"
)

func TestContract(t *testing.T) {
	waits := gpulock.Waits{Synthesizer: time.Second, Accumulator: time.Second, Scribe: time.Second}
	sentineltest.RunLock(t, func(_ *testing.T, dir string) sentinel.Lock {
		return gpulock.New(filepath.Join(dir, "ollama.lock"), &gpulock.Options{Waits: waits})
	})
}

func TestWaits(t *testing.T) {
	t.Parallel()
	own := gpulock.Waits{Synthesizer: 1, Accumulator: 2, Scribe: -3}
	for p, want := range map[sentinel.Priority][2]time.Duration{
		sentinel.PriorityJudge:       {0, 0},
		sentinel.PrioritySynthesizer: {5 * time.Second, 1},
		sentinel.PriorityAccumulator: {30 * time.Second, 2},
		sentinel.PriorityScribe:      {10 * time.Second, -3},
	} {
		require.Equal(t, want[0], gpulock.Limit(gpulock.Waits{}, p), "P%d", p)
		require.Equal(t, want[1], gpulock.Limit(own, p), "P%d", p)
	}
}

func newLock(t *testing.T) *gpulock.File {
	return gpulock.New(filepath.Join(t.TempDir(), "ollama.lock"), patient())
}

// mustLock takes the lock and gives it back when the test ends, if not before.
func mustLock(t *testing.T, lock *gpulock.File, p sentinel.Priority) (held context.Context, unlock func()) {
	t.Helper()
	held, unlock, err := lock.Lock(t.Context(), p)
	require.NoError(t, err)
	t.Cleanup(unlock)
	return held, unlock
}

func TestNewTouchesNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	lock := gpulock.New(gpulock.SessionPath(root, "s"), nil)
	require.Equal(t, filepath.Join(root, ".sentinel", "sessions", "s", "ollama.lock"), lock.Path())
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestBusy(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	mustLock(t, lock, sentinel.PrioritySynthesizer)

	hurried := gpulock.New(lock.Path(), &gpulock.Options{Waits: gpulock.Waits{Synthesizer: -1, Accumulator: time.Millisecond}})
	held, unlock, err := hurried.Lock(t.Context(), sentinel.PrioritySynthesizer)
	require.ErrorIs(t, err, sentinel.ErrBusy)
	require.ErrorContains(t, err, "gpulock: busy: "+lock.Path()+" did not come free within ")
	require.Equal(t, t.Context(), held)
	unlock()

	_, _, err = hurried.Lock(t.Context(), sentinel.PriorityAccumulator)
	require.ErrorIs(t, err, sentinel.ErrBusy)

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, _, err = lock.Lock(ctx, sentinel.PriorityScribe)
	require.ErrorIs(t, err, sentinel.ErrBusy)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for p := sentinel.PriorityJudge; p <= sentinel.PriorityScribe; p++ {
		_, unlock, err := lock.Lock(ctx, p)
		require.ErrorIs(t, err, context.Canceled, "P%d got a free lock all the same", p)
		unlock()
	}
}

// held of a P2 or P3 ends with the lock, and for no other reason; that of the
// others is the caller's own.
func TestHeld(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	for p := sentinel.PriorityJudge; p <= sentinel.PriorityScribe; p++ {
		held, unlock := mustLock(t, lock, p)
		require.NoError(t, held.Err())
		unlock()
		if p < sentinel.PriorityAccumulator {
			require.Equal(t, t.Context(), held)
			continue
		}
		require.Equal(t, context.Canceled, context.Cause(held))
	}
}

// Priorities that there are not wait at the end of the line.
func TestUnknownPriority(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	_, unlock := mustLock(t, lock, 200)
	untilTaken := func() bool { s, err := lock.Probe(); require.NoError(t, err); return s.Held }
	require.True(t, untilTaken())
	unlock()
	require.False(t, untilTaken())
}

// turns records who gets a lock in which order.
type turns struct {
	lock *gpulock.File
	got  chan sentinel.Priority
}

// queue adds one of priority p to the line.
func (o *turns) queue(t *testing.T, p sentinel.Priority) {
	go func() {
		_, unlock, err := o.lock.Lock(t.Context(), p)
		if err == nil {
			o.got <- p
		}
		unlock()
	}()
	untilWaiting(t, o.lock, p)
}

func TestOrder(t *testing.T) {
	t.Parallel()
	o := turns{newLock(t), make(chan sentinel.Priority)}
	_, unlock := mustLock(t, o.lock, sentinel.PrioritySynthesizer)
	for p := sentinel.PriorityScribe; p > sentinel.PriorityJudge; p-- {
		o.queue(t, p)
	}
	unlock()
	for p := sentinel.PrioritySynthesizer; p <= sentinel.PriorityScribe; p++ {
		require.Equal(t, p, <-o.got)
	}
}

// One that takes the lock again and again does not pass another P3 that waits.
func TestLoopLetsOthersIn(t *testing.T) {
	t.Parallel()
	o := turns{newLock(t), make(chan sentinel.Priority, 1)}
	_, unlock := mustLock(t, o.lock, sentinel.PriorityScribe)
	o.queue(t, sentinel.PriorityScribe)
	unlock()
	mustLock(t, o.lock, sentinel.PriorityScribe)
	require.Len(t, o.got, 1, "the loop had the lock again before the one that waited")
}

// A waiting P1 keeps out those below it even while a judge has the lock.
func TestAdviceAfterJudge(t *testing.T) {
	t.Parallel()
	o := turns{newLock(t), make(chan sentinel.Priority)}
	_, unlockFirst := mustLock(t, o.lock, sentinel.PriorityJudge)
	_, unlockSecond := mustLock(t, o.lock, sentinel.PriorityJudge)
	o.queue(t, sentinel.PriorityScribe)
	o.queue(t, sentinel.PriorityAccumulator)
	o.queue(t, sentinel.PrioritySynthesizer)
	unlockFirst()
	require.Equal(t, sentinel.PrioritySynthesizer, <-o.got, "advice waits for who holds the lock, not for every judge")
	unlockSecond()
	require.Equal(t, sentinel.PriorityAccumulator, <-o.got)
	require.Equal(t, sentinel.PriorityScribe, <-o.got)
}

// One File serves many goroutines, one at a time.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	var holders atomic.Int32
	var all sync.WaitGroup
	for i := range 24 {
		p := sentinel.Priority(i % 4)
		all.Go(func() {
			for range 5 {
				_, unlock, err := lock.Lock(t.Context(), p)
				if err != nil {
					t.Errorf("P%d: %v", p, err)
					return
				}
				if p != sentinel.PriorityJudge {
					if holders.Add(1) != 1 {
						t.Errorf("P%d was not alone", p)
					}
					runtime.Gosched()
					holders.Add(-1)
				}
				unlock()
				unlock()
			}
		})
	}
	all.Wait()
}

// When somebody removes the lock file, those who wait for it meet those who come
// later at the new one.
func TestRemovedFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed here")
	}
	root := t.TempDir()
	lock := gpulock.New(gpulock.SessionPath(root, "s"), patient())
	mustLock(t, lock, sentinel.PrioritySynthesizer)
	got := make(chan func())
	go func() {
		_, unlock, err := lock.Lock(t.Context(), sentinel.PriorityAccumulator)
		if err != nil {
			t.Error(err)
		}
		got <- unlock
	}()
	untilWaiting(t, lock, sentinel.PriorityAccumulator)
	require.NoError(t, os.RemoveAll(filepath.Join(root, ".sentinel")))
	unlock := <-got

	hurried := gpulock.New(lock.Path(), &gpulock.Options{Waits: gpulock.Waits{Scribe: -1}})
	_, _, err := hurried.Lock(t.Context(), sentinel.PriorityScribe)
	require.ErrorIs(t, err, sentinel.ErrBusy)
	unlock()
	mustLock(t, hurried, sentinel.PriorityScribe)
}

func TestProbe(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	probe := func() gpulock.State {
		s, err := lock.Probe()
		require.NoError(t, err)
		return s
	}
	require.True(t, probe().Free())
	_, unlockFirst := mustLock(t, lock, sentinel.PriorityJudge)
	_, unlockSecond := mustLock(t, lock, sentinel.PriorityJudge)
	require.Equal(t, gpulock.State{Held: true, Waiting: [4]bool{true}}, probe())
	unlockFirst()
	require.Equal(t, gpulock.State{Waiting: [4]bool{true}}, probe(), "a judge works without the lock")
	unlockSecond()
	require.True(t, probe().Free())
	_, unlock := mustLock(t, lock, sentinel.PriorityScribe)
	require.Equal(t, gpulock.State{Held: true}, probe())
	unlock()
	require.True(t, probe().Free())

	lock.LockNothing()
	_, err := lock.Probe()
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

// A program that is not ours has a mark for itself. Judges go on without it.
func TestForeignMark(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	mark, err := os.Create(lock.Path() + ".p0")
	require.NoError(t, err)
	defer mark.Close()
	require.NoError(t, gpulock.WaitLock(mark))

	_, unlock := mustLock(t, lock, sentinel.PriorityJudge)
	unlock()
	mustLock(t, lock, sentinel.PrioritySynthesizer)
	hurried := gpulock.New(lock.Path(), &gpulock.Options{Waits: gpulock.Waits{Scribe: -1}})
	_, _, err = hurried.Lock(t.Context(), sentinel.PriorityScribe)
	require.ErrorIs(t, err, sentinel.ErrBusy)
}

// A program that is not ours shares the lock, which must not put to sleep
// those who sleep until they can share it. They do not go round and round.
func TestForeignShare(t *testing.T) {
	t.Parallel()
	lock := newLock(t)
	foreign, err := os.Create(lock.Path())
	require.NoError(t, err)
	defer foreign.Close()
	require.NoError(t, gpulock.ShareLock(foreign))
	hurried := gpulock.New(lock.Path(), &gpulock.Options{Waits: gpulock.Waits{Scribe: 50 * time.Millisecond}})
	tries := hurried.CountTries()
	_, _, err = hurried.Lock(t.Context(), sentinel.PriorityScribe)
	require.ErrorIs(t, err, sentinel.ErrBusy)
	require.Less(t, tries.Load(), int64(100), "three wake-ups in 5 ms are allowed")
	gpulock.Unlock(foreign)
	mustLock(t, hurried, sentinel.PriorityScribe)
}
