//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package gpulock

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

const nonBlock = 0

// A mode is the kind of a lock.
type mode int

const (
	shared mode = iota
	exclusive
)

// tryLock has nothing to lock with.
func tryLock(f *os.File, m mode) (bool, error) { return false, waitLock(f, m) }

func waitLock(f *os.File, _ mode) error {
	return fmt.Errorf("%w: no lock on %s: %s has none that is freed when its holder dies", errors.ErrUnsupported, f.Name(), runtime.GOOS)
}

func unlock(*os.File) {}
