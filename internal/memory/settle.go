package memory

import (
	"context"
	"time"
)

const (
	moment     = 500 * time.Millisecond
	quietAfter = 3  // moments in which nothing was written, and nothing more is waited for
	maxMoments = 20 // in all: what comes later is caught up with at the next start
)

// settle waits until a transcript that is written late has been written: until it has not
// grown for a while. wait lets a moment pass, and reports whether there is time for
// another one.
func settle(path string, wait func() bool) {
	last, quiet := fileSize(path), 0
	for n := 0; n < maxMoments && quiet < quietAfter && wait(); n++ {
		size := fileSize(path)
		if quiet++; size != last || size < 0 {
			quiet = 0
		}
		last = size
	}
}

// pause lets a moment pass.
func (m *Memory) pause(ctx context.Context) bool {
	if m.Wait != nil {
		return m.Wait(ctx)
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(moment):
		return true
	}
}
