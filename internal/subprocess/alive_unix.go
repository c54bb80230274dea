//go:build unix

package subprocess

import (
	"errors"
	"syscall"
)

// Alive reports whether there is a process with this number.
func Alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return pid > 0 && (err == nil || errors.Is(err, syscall.EPERM))
}
