//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// NonBlock is a flag of [os.OpenFile] that keeps the opening of a named pipe from
// waiting for its other end.
const NonBlock = syscall.O_NONBLOCK

func (m Mode) how() int {
	if m == Exclusive {
		return syscall.LOCK_EX
	}
	return syscall.LOCK_SH
}

func try(f *os.File, m Mode, _ int64) (bool, error) {
	err := flock(f, m.how()|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func wait(f *os.File, m Mode, _ int64) error { return flock(f, m.how()) }

// Unlock gives back the lock of [TryLock] or [WaitLock], if f has one; closing f would
// do so too.
func Unlock(f *os.File) { _ = flock(f, syscall.LOCK_UN) }

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
