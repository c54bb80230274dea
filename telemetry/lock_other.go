//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package telemetry

import (
	"errors"
	"os"
)

// tryLock reports that there are no locks: lines are appended, never torn, and
// the file is not rotated.
func tryLock(*os.File) error { return errors.ErrUnsupported }
