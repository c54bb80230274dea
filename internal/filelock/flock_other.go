//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// NonBlock is not known here.
const NonBlock = 0

func try(f *os.File, m Mode, offset int64) (bool, error) { return false, wait(f, m, offset) }

func wait(f *os.File, _ Mode, _ int64) error {
	return fmt.Errorf("%w: no lock on %s: %s has none that is freed when its holder dies", errors.ErrUnsupported, f.Name(), runtime.GOOS)
}

// Unlock does nothing.
func Unlock(*os.File) {}
