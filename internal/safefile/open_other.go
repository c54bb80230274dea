//go:build !(unix || windows)

package safefile

import (
	"io/fs"
	"os"
)

// NoFollow has no counterpart here.
const NoFollow = 0

func openRead(path string) (*os.File, error) { return os.Open(path) }

func openAppend(path string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, perm)
}

// closed: nothing is known here.
func closed(*os.File) error { return nil }

// Private says why a file is not this user's own; here only that it is not a file.
func Private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	return nil
}
