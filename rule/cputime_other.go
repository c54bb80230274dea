//go:build !unix && !windows

package rule

import "time"

// cpuTime is the time that has passed: how long this process has been computing
// is not known here.
func cpuTime() time.Duration { return wallTime() }
