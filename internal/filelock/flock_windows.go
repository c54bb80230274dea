package filelock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// NonBlock is not needed: named pipes do not lie in folders here.
const NonBlock = 0

func try(f *os.File, m Mode, offset int64) (bool, error) {
	err := lockFile(f, m, windows.LOCKFILE_FAIL_IMMEDIATELY, offset)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func wait(f *os.File, m Mode, offset int64) error { return lockFile(f, m, 0, offset) }

// Unlock gives back the lock of [TryLock] or [WaitLock], if f has one; closing f would
// do so too, but not at once.
func Unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

func lockFile(f *os.File, m Mode, flags uint32, offset int64) error {
	if m == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: uint32(offset >> 32)})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_INVALID_FUNCTION), errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w: no lock on %s: LockFileEx: %w", errors.ErrUnsupported, f.Name(), err)
	default:
		return fmt.Errorf("no lock on %s: LockFileEx: %w", f.Name(), err)
	}
}
