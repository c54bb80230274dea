//go:build unix

package main

import (
	"runtime"
	"syscall"
)

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
