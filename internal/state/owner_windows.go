package state

import (
	"fmt"
	"io/fs"
	"os"
)

// noFollow has no counterpart among Go's flags for Windows, where making a link
// takes a privilege.
const noFollow = 0

func openNoFollow(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := private(info); err != nil {
		return nil, fmt.Errorf("state: %s: %w", path, err)
	}
	return os.Open(path)
}

// private relies on the folder: the profile of a user is closed to others.
func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("is not a regular file")
	}
	return nil
}
