//go:build unix

package rule

import (
	"syscall"
	"time"
)

// cpuTime is how long this process has been computing.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return wallTime()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
