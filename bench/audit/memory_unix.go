//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// work is the processor time of this process and of those that it started and that have ended.
func work() (all time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			all += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return all
}

// memory is the most that this process has held, in MB.
func memory() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	unit := 1024.0 // kilobytes
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(usage.Maxrss) * unit / (1 << 20)
}
