//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package state

import (
	"errors"
	"os"
)

// tryLock reports that there are no locks here.
func tryLock(*os.File) error { return errors.ErrUnsupported }
