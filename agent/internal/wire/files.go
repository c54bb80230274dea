package wire

import (
	"io"
	"os"
	"path/filepath"
)

// ReadSmall reads a regular file of at most limit bytes; a link to one counts.
func ReadSmall(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, os.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// ReadOwn reads the beginning of a regular file that is not a link.
func ReadOwn(path string, limit int64) ([]byte, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// FirstFolder is the first folder that a pattern matches, "" for none. A home folder
// whose name has brackets makes the pattern wrong, and then nothing is found.
func FirstFolder(pattern string) string {
	found, _ := filepath.Glob(pattern)
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
	}
	return ""
}
