//go:build !unix

package main

import (
	"runtime"
	"time"
)

// work is not known here: the clock takes its place.
func work() time.Duration { return time.Duration(time.Now().UnixNano()) }

// memory is what this process has taken from the system, in MB.
func memory() float64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.Sys) / (1 << 20)
}
