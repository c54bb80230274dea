package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
)

// Locked returns a backend that holds l during each call of b, at the call's
// Request.Priority: for models that share one GPU with other processes. A
// backend without a shared GPU takes no lock and is not wrapped.
//
//   - A judge is asked whatever the lock says.
//   - A call that does not get the lock in time is [sentinel.ErrBusy], and wraps
//     ctx.Err() if it was ctx that ended: nothing was asked of b.
//   - A P2 or P3 that has to give way to a judge has its call cancelled, and is
//     asked again when it has the lock again. Only ctx bounds how often; an answer
//     that came in time is kept.
//   - The questions of an audit that are under way at once hold the lock together, so
//     that all slots of the server are used. At most 16 do, which begin within 5
//     seconds: then others, in other processes, have their turn.
//   - Where there can be no lock (no permission, a file system without locks) b
//     is asked without one. Telling somebody is up to l.
//
// All the time before the call that gave the result, calls that gave way
// included, is added to Response.Waited and does not use up Request.Timeout.
func Locked(b sentinel.Backend, l sentinel.Lock) sentinel.Backend {
	return &locked{next: b, lock: l, batch: batch{lock: l}}
}

type locked struct {
	next  sentinel.Backend
	lock  sentinel.Lock
	batch batch
}

// Complete waits for the lock, then asks, until no judge comes between.
func (l *locked) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	start := time.Now()
	for {
		held, unlock, err := l.hold(ctx, req.Priority)
		waited := time.Since(start)
		switch {
		case err == nil:
		case req.Priority != sentinel.PriorityJudge && contended(ctx, err):
			unlock()
			return sentinel.Response{Waited: waited}, busy(err)
		default:
			held = ctx
		}
		resp, err := ask(held, unlock, l.next, req)
		resp.Waited += waited
		if err == nil || !errors.Is(context.Cause(held), sentinel.ErrPreempted) {
			return resp, err
		}
	}
}

// hold waits for the lock.
func (l *locked) hold(ctx context.Context, p sentinel.Priority) (held context.Context, unlock func(), err error) {
	if p == sentinel.PriorityAudit {
		return l.batch.Lock(ctx, p)
	}
	return l.lock.Lock(ctx, p)
}

// ask gives the lock back even if b panics.
func ask(held context.Context, unlock func(), b sentinel.Backend, req sentinel.Request) (sentinel.Response, error) {
	defer unlock()
	return b.Complete(held, req)
}

// contended says whether err means that others had the lock, and not that the
// lock is impossible.
func contended(ctx context.Context, err error) bool {
	return errors.Is(err, sentinel.ErrBusy) || ctx.Err() != nil
}

// busy makes err one that is [sentinel.ErrBusy].
func busy(err error) error {
	if errors.Is(err, sentinel.ErrBusy) {
		return fmt.Errorf("backend: the GPU is in use: %w", err)
	}
	return fmt.Errorf("backend: the GPU is in use: %w: %w", sentinel.ErrBusy, err)
}

// Unwrap returns the backend that is locked.
func (l *locked) Unwrap() sentinel.Backend { return l.next }
