//go:build !unix && !windows

package rule

import "time"

// A cpuClock counts the time that passes, because the system does not tell how long a
// thread has computed.
type cpuClock struct{}

func threadClock() cpuClock { return cpuClock{} }

func (cpuClock) now() time.Duration { return wallTime() }
