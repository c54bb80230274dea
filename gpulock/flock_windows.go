package gpulock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// nonBlock is not needed: named pipes do not lie in folders here.
const nonBlock = 0

// A mode is the kind of a lock.
type mode uint32

const (
	shared    mode = 0
	exclusive mode = windows.LOCKFILE_EXCLUSIVE_LOCK
)

// tryLock takes the lock of f unless somebody has it. It belongs to the open
// file: another one of the same name is somebody else, in this process too.
func tryLock(f *os.File, m mode) (bool, error) {
	err := lockFile(f, uint32(m)|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// waitLock takes the lock of f when nobody has it any more.
func waitLock(f *os.File, m mode) error { return lockFile(f, uint32(m)) }

// unlock gives back the lock of f if it has one; closing f would do so too, but
// not at once.
func unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

func lockFile(f *os.File, flags uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_INVALID_FUNCTION), errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w: no lock on %s: LockFileEx: %w", errors.ErrUnsupported, f.Name(), err)
	default:
		return fmt.Errorf("no lock on %s: LockFileEx: %w", f.Name(), err)
	}
}
