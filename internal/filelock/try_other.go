//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"os"
)

// Try reports that there are no locks here.
func Try(*os.File) error { return errors.ErrUnsupported }
