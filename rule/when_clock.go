package rule

import (
	"context"
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
	return &whenClock{ctx: ctx, limit: newLimit(), evidence: &whenEvidence{}}
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

// A timeLimit ends when this process has computed for a time since it began.
// Time during which a busy machine does not let the process run does not count:
// else a rule could be put out by keeping the machine busy. whenWall ends it in
// any case.
type timeLimit struct {
	next, last  time.Time // when to look again, and the end in any case
	begun, most time.Duration
}

func newLimit() timeLimit { return limitOf(whenTime) }

func limitOf(most time.Duration) timeLimit {
	now := time.Now()
	return timeLimit{next: now.Add(most), last: now.Add(whenWall), begun: cpuTime(), most: most}
}

// over reports whether the time is used up. As long as no more than that time has
// passed at all that costs one look at the clock.
func (l *timeLimit) over() bool {
	now := time.Now()
	if now.Before(l.next) {
		return false
	}
	left := l.most - (cpuTime() - l.begun)
	if left <= 0 || !now.Before(l.last) {
		return true
	}
	l.next = now.Add(left)
	return false
}

// wallTime counts from a fixed moment, for systems that do not tell what a
// process computes.
func wallTime() time.Duration { return time.Since(time.Unix(0, 0)) }
