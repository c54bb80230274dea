package backend

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
)

// How many questions hold the lock together before it is given back once, and how long
// others may join them: where an answer takes many seconds, those who wait would give up.
const (
	batchSize = 16
	batchTime = 5 * time.Second
)

// A batch is a lock that several callers hold together: the first takes it, the last
// gives it back. It is a [sentinel.Lock] for one priority.
type batch struct {
	lock sentinel.Lock

	mu      sync.Mutex
	held    context.Context // nil while the lock is free
	release func()
	users   int           // how many hold it now
	joined  int           // how many have held it since it was taken
	since   time.Time     // when it was taken
	changed chan struct{} // closed when those that wait should look again
	taking  bool          // one caller waits for the lock itself
}

// Lock joins those who hold the lock, or takes it for those who come.
func (b *batch) Lock(ctx context.Context, p sentinel.Priority) (held context.Context, unlock func(), err error) {
	for {
		b.mu.Lock()
		if b.held != nil && b.held.Err() != nil && b.users == 0 { // it ended before anybody joined
			b.giveBack()
		}
		switch {
		case b.held != nil && b.held.Err() == nil && (b.users == 0 || b.joined < batchSize && time.Since(b.since) < batchTime):
			defer b.mu.Unlock()
			return b.join(ctx)
		case b.held == nil && !b.taking:
			b.taking = true
			b.mu.Unlock()
			if err := b.take(ctx, p); err != nil {
				return ctx, func() {}, err
			}
			continue
		}
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx, func() {}, ctx.Err()
		}
	}
}

// join counts one who holds the lock. What it holds ends with its own ctx, and with the lock's.
// The caller holds mu.
func (b *batch) join(ctx context.Context) (context.Context, func(), error) {
	b.users++
	b.joined++
	lock := b.held
	own, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(lock, func() { cancel(context.Cause(lock)) })
	return own, sync.OnceFunc(func() { stop(); cancel(nil); b.leave() }), nil
}

// take takes the lock itself. It is not held for as long as the ctx of the one who took it,
// who may be done before the others.
func (b *batch) take(ctx context.Context, p sentinel.Priority) error {
	apart, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	held, unlock, err := b.lock.Lock(apart, p)
	if !stop() && err == nil {
		unlock()
		err = ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taking = false
	b.wake()
	if err != nil {
		cancel()
		return cmp.Or(ctx.Err(), err)
	}
	b.held, b.users, b.joined, b.since = held, 0, 0, time.Now()
	b.release = func() { unlock(); cancel() }
	return nil
}

// leave gives the lock back after the last one.
func (b *batch) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users--; b.users > 0 {
		return
	}
	b.giveBack()
}

// giveBack gives the lock back. The caller holds mu.
func (b *batch) giveBack() {
	b.release()
	b.held, b.release = nil, nil
	b.wake()
}

// wake has those who wait look again. The caller holds mu.
func (b *batch) wake() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}
