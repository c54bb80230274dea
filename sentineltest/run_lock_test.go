package sentineltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

func TestRunLockAcceptsACorrectLock(t *testing.T) {
	t.Parallel()
	var locks sync.Map
	RunLock(t, func(_ *testing.T, dir string) sentinel.Lock {
		l, _ := locks.LoadOrStore(dir, newMemoryLock(""))
		return l.(sentinel.Lock)
	})
}

// Every lock here breaks one clause.
func TestRunLockFindsTheBrokenClause(t *testing.T) {
	t.Parallel()
	for flaw, broken := range map[flaw][]string{
		"shares with everybody":        {"0 exclusive", "1 own limit", "4 unlock twice", "5 order"},
		"ignores ctx":                  {"1 ctx bounds the wait"},
		"waits for ever":               {"1 own limit"},
		"lets the judge wait":          {"2 judge never waits", "2 judge is announced"},
		"fails the judge":              {"2 judge never waits", "2 judge is announced"},
		"forgets the judge":            {"2 judge is announced"},
		"forgets the second judge":     {"2 judge is announced"},
		"preempts nobody":              {"3 preempted"},
		"preempts without a cause":     {"3 preempted"},
		"returns a nil unlock":         {"4 unlock after failure"},
		"unlocks the next one as well": {"4 unlock twice"},
		"first come, first served":     {"5 order"},
	} {
		t.Run(string(flaw), func(t *testing.T) {
			t.Parallel()
			// In the bubble no goroutine really waits.
			synctest.Test(t, func(t *testing.T) {
				var found []string
				for _, c := range lockCases() {
					l := newMemoryLock(flaw)
					if flaw == "waits for ever" && c.name == "1 own limit" {
						l.limit = time.Hour // elsewhere the limit only keeps a case from hanging
					}
					if c.check(t.Context(), func() sentinel.Lock { return l }) != nil {
						found = append(found, c.name)
					}
				}
				require.ElementsMatch(t, broken, found)
			})
		})
	}
}

// A file that only its maker removes outlives a maker that is killed.
func TestRunLockFindsALockOfTheDead(t *testing.T) {
	t.Parallel()
	open := func(_ *testing.T, dir string) sentinel.Lock { return markerLock{filepath.Join(dir, "lock")} }
	if os.Getenv(holderVar) != "" {
		RunLock(t, open)
		return
	}
	dir := t.TempDir()
	err := checkDeadHolder(t, t.Name(), dir, func() sentinel.Lock { return open(t, dir) })
	require.ErrorContains(t, err, "after its holder was killed")
}

type markerLock struct{ path string }

func (l markerLock) Lock(context.Context, sentinel.Priority) (context.Context, func(), error) {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, func() {}, fmt.Errorf("%w: %w", sentinel.ErrBusy, err)
	}
	return context.Background(), func() { os.Remove(l.path) }, f.Close()
}

// flaw is what is wrong with a memoryLock; "" is nothing.
type flaw string

// memoryLock is a lock within this process.
type memoryLock struct {
	flaw  flaw
	limit time.Duration

	mu      sync.Mutex
	changed chan struct{} // closed at every change
	judges  int
	holder  *holder
	line    []sentinel.Priority // those who wait, in the order in which they came
}

type holder struct {
	priority sentinel.Priority
	preempt  context.CancelCauseFunc
}

func newMemoryLock(f flaw) *memoryLock {
	return &memoryLock{flaw: f, limit: time.Second, changed: make(chan struct{})}
}

func (l *memoryLock) Lock(ctx context.Context, p sentinel.Priority) (context.Context, func(), error) {
	if p == sentinel.PriorityJudge && l.flaw != "lets the judge wait" {
		return l.announce(ctx)
	}
	clock := time.NewTimer(l.limit)
	defer clock.Stop()
	over := ctx.Done()
	if l.flaw == "ignores ctx" {
		over = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, p)
	defer l.leave(p)
	for {
		if ctx.Err() == nil && l.mayEnter(p) {
			return l.enter(ctx, p)
		}
		changed := l.changed
		l.mu.Unlock()
		var err error
		select {
		case <-changed:
		case <-over:
			err = ctx.Err()
		case <-clock.C:
			err = sentinel.ErrBusy
		}
		l.mu.Lock()
		if err != nil && l.flaw == "returns a nil unlock" {
			return nil, nil, err
		}
		if err != nil {
			return nil, func() {}, err
		}
	}
}

func (l *memoryLock) mayEnter(p sentinel.Priority) bool {
	if l.flaw == "shares with everybody" {
		return p < sentinel.PriorityAccumulator || l.judges == 0
	}
	if l.holder != nil || (p >= sentinel.PriorityAccumulator && l.judges > 0) {
		return false
	}
	if l.flaw == "first come, first served" {
		return l.line[0] == p
	}
	for _, other := range l.line {
		if other < p {
			return false
		}
	}
	return true
}

func (l *memoryLock) enter(ctx context.Context, p sentinel.Priority) (context.Context, func(), error) {
	held, cancel := context.WithCancelCause(ctx)
	me := &holder{p, cancel}
	l.holder = me
	return held, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		cancel(nil)
		if l.holder == me || l.flaw == "unlocks the next one as well" {
			l.holder = nil
			l.tell()
		}
	}, nil
}

func (l *memoryLock) announce(ctx context.Context) (context.Context, func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.holder; h != nil {
		switch {
		case l.flaw == "fails the judge", l.flaw == "preempts nobody":
		case h.priority >= sentinel.PriorityAccumulator && l.flaw == "preempts without a cause":
			h.preempt(errors.New("go away"))
		case h.priority >= sentinel.PriorityAccumulator:
			h.preempt(sentinel.ErrPreempted)
		}
	}
	switch {
	case l.flaw == "fails the judge" && (l.holder != nil || l.judges > 0):
		if h := l.holder; h != nil {
			h.preempt(sentinel.ErrPreempted)
		}
		return nil, func() {}, sentinel.ErrBusy
	case l.flaw == "forgets the judge":
	case l.flaw == "forgets the second judge" && l.judges > 0:
	default:
		l.judges++
	}
	return ctx, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.judges > 0 {
			l.judges--
		}
		l.tell()
	}), nil
}

func (l *memoryLock) leave(p sentinel.Priority) {
	for i, other := range l.line {
		if other == p {
			l.line = append(l.line[:i:i], l.line[i+1:]...)
			break
		}
	}
	l.tell()
}

func (l *memoryLock) tell() {
	close(l.changed)
	l.changed = make(chan struct{})
}
