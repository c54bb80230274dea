package rule

import (
	"time"

	"golang.org/x/sys/unix"
)

// A cpuClock counts how long one thread has computed.
type cpuClock int32

// threadClock is the clock of the calling thread. The kernel makes its number of the
// inverted number of the thread, the bit for one thread (4) and the clock of the
// scheduler (2): make_thread_cpuclock in Linux's include/linux/posix-timers.h.
func threadClock() cpuClock { return cpuClock(^int32(unix.Gettid())<<3 | 4 | 2) }

// now is 0 when the thread has ended.
func (c cpuClock) now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(int32(c), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
