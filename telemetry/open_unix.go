//go:build unix

package telemetry

import (
	"os"
	"syscall"
)

// openAppend does not follow a symbolic link at the end of path, and does not
// wait for the other end of a FIFO.
func openAppend(path string, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, mode)
}

// openRead does not wait for the other end of a FIFO.
func openRead(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
