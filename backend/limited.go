package backend

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/agentsentinel/sentinel"
)

// Limited returns a backend that has at most slots calls of b under way at once
// and lets the others wait, first come, first served. Fewer than one slot means
// one. The limit holds within this process.
//
// The wait is bounded by ctx alone and does not use up Request.Timeout; it is
// added to Response.Waited. A call that got no slot is [sentinel.ErrBusy] and
// wraps ctx.Err(): nothing was asked, so it says nothing about b.
func Limited(b sentinel.Backend, slots int64) sentinel.Backend {
	return &limited{next: b, slots: semaphore.NewWeighted(max(slots, 1))}
}

type limited struct {
	next  sentinel.Backend
	slots *semaphore.Weighted
}

// Complete waits for a slot, then asks.
func (l *limited) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	start := time.Now()
	if err := l.slots.Acquire(ctx, 1); err != nil {
		waited := time.Since(start)
		return sentinel.Response{Waited: waited}, fmt.Errorf("backend: %w: no slot came free within %s: %w",
			sentinel.ErrBusy, waited.Round(time.Millisecond), err)
	}
	defer l.slots.Release(1)
	waited := time.Since(start)
	resp, err := l.next.Complete(ctx, req)
	resp.Waited += waited
	return resp, err
}

// Unwrap returns the backend that the slots are for.
func (l *limited) Unwrap() sentinel.Backend { return l.next }
