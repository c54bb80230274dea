//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package gpulock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// nonBlock keeps the opening of a named pipe from waiting for its other end.
const nonBlock = syscall.O_NONBLOCK

// A mode is the kind of a lock.
type mode int

const (
	shared    mode = syscall.LOCK_SH
	exclusive mode = syscall.LOCK_EX
)

// tryLock takes the lock of f unless somebody has it. It belongs to the open
// file: another one of the same name is somebody else, in this process too.
func tryLock(f *os.File, m mode) (bool, error) {
	err := flock(f, int(m)|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// waitLock takes the lock of f when nobody has it any more.
func waitLock(f *os.File, m mode) error { return flock(f, int(m)) }

// unlock gives back the lock of f if it has one; closing f would do so too.
func unlock(f *os.File) { _ = flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case err == nil:
			return nil
		case err == syscall.EINTR:
		case err == syscall.EBADF, err == syscall.EINVAL, err == syscall.ENOLCK, errors.Is(err, errors.ErrUnsupported):
			// File systems of a network or in user space answer in all these ways.
			return fmt.Errorf("%w: no lock on %s: flock: %w", errors.ErrUnsupported, f.Name(), err)
		default:
			return fmt.Errorf("no lock on %s: flock: %w", f.Name(), err)
		}
	}
}
