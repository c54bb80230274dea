package project

import (
	"context"
	"sync"
	"time"
)

// withEnd is [context.WithDeadline] without a timer, until somebody waits for the
// end: most calls only look at the clock, and a timer wakes another thread.
func withEnd(parent context.Context, ends time.Time) (context.Context, context.CancelFunc) {
	if at, ok := parent.Deadline(); ok && at.Before(ends) {
		ends = at
	}
	c := &endContext{Context: parent, ends: ends}
	return c, c.cancel
}

// An endContext ends with its parent, at a time, or when it is cancelled.
type endContext struct {
	context.Context
	ends time.Time

	mu    sync.Mutex
	timed context.Context // nil until somebody waits for the end
	stop  context.CancelFunc
	over  bool // cancelled
}

func (c *endContext) Deadline() (time.Time, bool) { return c.ends, true }

// Err also tells from the clock: the timer may be late.
func (c *endContext) Err() error {
	c.mu.Lock()
	timed, over := c.timed, c.over
	c.mu.Unlock()
	if timed != nil {
		if err := timed.Err(); err != nil {
			return err
		}
	} else if err := c.Context.Err(); err != nil {
		return err
	}
	switch {
	case over:
		return context.Canceled
	case !time.Now().Before(c.ends):
		return context.DeadlineExceeded
	}
	return nil
}

func (c *endContext) Done() <-chan struct{} { return c.wait().Done() }

// Value lets a context that is made of this one find the one with the timer.
func (c *endContext) Value(key any) any {
	c.mu.Lock()
	timed := c.timed
	c.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return c.Context.Value(key)
}

// wait is the context with the timer.
func (c *endContext) wait() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.stop = context.WithDeadline(c.Context, c.ends)
		if c.over {
			c.stop()
		}
	}
	return c.timed
}

func (c *endContext) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.stop != nil {
		c.stop()
	}
}

// bound is ctx with the end of Options.Deadline.
func (d *Docket) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.ends.IsZero() {
		return ctx, func() {}
	}
	return withEnd(ctx, d.ends)
}
