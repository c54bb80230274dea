package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset lies behind every byte of the file: locks are mandatory there, and
// readers must not be kept out.
const lockOffset = 1 << 30

// Try takes the lock of f, which closing f gives back, or returns [ErrHeld]. An
// error that is not ErrHeld means that there are no locks on this file system.
func Try(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: lockOffset})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrHeld
	}
	return err
}
