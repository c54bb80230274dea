//go:build unix && !linux

package rule

import (
	"syscall"
	"time"
)

// A cpuClock counts how long this process has computed, with all of its threads.
type cpuClock struct{}

func threadClock() cpuClock { return cpuClock{} }

func (cpuClock) now() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return wallTime()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
