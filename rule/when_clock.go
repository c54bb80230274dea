package rule

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// whenClock bounds one evaluation in time and memory. It is used by one
// goroutine.
type whenClock struct {
	ctx      context.Context
	limit    timeLimit
	ticks    int
	joined   int // bytes
	evidence *whenEvidence
}

func newClock(ctx context.Context) *whenClock {
	return &whenClock{ctx: ctx, limit: limitOf(whenTime, &computing{}), evidence: &whenEvidence{}}
}

// tick is called at each step of each loop. It is true, so that it can be
// put before anything.
func (c *whenClock) tick() (bool, error) {
	if c.ticks++; c.ticks%16 != 0 {
		return true, nil
	}
	if err := c.ctx.Err(); err != nil {
		return false, err
	}
	if c.limit.over() {
		return false, errWhenSlow
	}
	return true, nil
}

func (c *whenClock) join(a, b string) (string, error) {
	if c.joined += len(a) + len(b); c.joined > whenText {
		return "", errWhenText
	}
	return a + b, nil
}

// A timeLimit ends when an evaluation has computed for a time since the limit was
// made. Time during which a busy machine, or a busy program around it, does not let the
// evaluation run does not count: else a rule could be put out by keeping the machine
// busy. whenWall ends it in any case.
type timeLimit struct {
	computed    *computing
	next, last  time.Time // when to look again, and the end in any case
	begun, most time.Duration
}

func limitOf(most time.Duration, computed *computing) timeLimit {
	now := time.Now()
	return timeLimit{computed: computed, next: now.Add(most), last: now.Add(whenWall), begun: computed.time(), most: most}
}

// over reports whether the time is used up. As long as no more than that time has
// passed at all that costs one look at the clock.
func (l *timeLimit) over() bool {
	now := time.Now()
	if now.Before(l.next) {
		return false
	}
	left := l.most - (l.computed.time() - l.begun)
	if left <= 0 || !now.Before(l.last) {
		return true
	}
	l.next = now.Add(left)
	return false
}

// computing is how long one evaluation has computed. On Linux that is the time of its
// thread; elsewhere other threads of the process count too. Its methods may be called
// at the same time, but during only once.
type computing struct {
	begun   time.Duration
	clock   cpuClock
	started atomic.Bool // begun and clock are set
}

// during runs the evaluation. No other goroutine uses its thread in the meantime.
func (c *computing) during(evaluate func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c.clock = threadClock()
	c.begun = c.clock.now()
	c.started.Store(true)
	evaluate()
}

// time is 0 before the evaluation begins.
func (c *computing) time() time.Duration {
	if !c.started.Load() {
		return 0
	}
	return max(0, c.clock.now()-c.begun)
}

// wallTime counts from a fixed moment, for systems that do not tell what a
// process computes.
func wallTime() time.Duration { return time.Since(time.Unix(0, 0)) }
