//go:build !linux && !darwin

package project

import (
	"errors"
	"os"
)

// readDir lists a folder with the stamps of its files.
func readDir(dir string) ([]entry, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		if info, e := os.Stat(dir); e == nil && !info.IsDir() { // on Windows a file counts as no folder at all
			err = &os.PathError{Op: "read", Path: dir, Err: errors.New("is not a folder")}
		}
		return nil, err
	}
	entries := make([]entry, len(list))
	for i, e := range list {
		entries[i].name = e.Name()
		info, err := e.Info()
		if err != nil {
			entries[i].err = err
			continue
		}
		entries[i].mode, entries[i].stamp = info.Mode().Type(), newStamp(info)
	}
	return entries, nil
}
