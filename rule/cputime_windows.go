package rule

import (
	"syscall"
	"time"
)

// A cpuClock counts how long this process has computed, with all of its threads.
type cpuClock struct{}

func threadClock() cpuClock { return cpuClock{} }

func (cpuClock) now() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return wallTime()
	}
	var created, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return wallTime()
	}
	return ticks(kernel) + ticks(user)
}

// ticks reads a duration that is counted in 100 ns.
func ticks(f syscall.Filetime) time.Duration {
	return 100 * time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime))
}
