package safefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Replace replaces a file as a whole: a reader, and a crash at any moment,
// finds the old bytes or the new ones. An existing file keeps its mode; a new
// one gets perm. The folder must exist.
func Replace(path string, data []byte, perm os.FileMode) error {
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	temp, err := writeTemp(filepath.Dir(path), filepath.Base(path), data, perm)
	if err == nil {
		if err = Patiently(func() error { return rename(temp, path) }); err != nil {
			_ = os.Remove(temp)
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// writeTemp writes and syncs a new file in the folder of the one to be replaced.
func writeTemp(dir, base string, data []byte, perm os.FileMode) (name string, err error) {
	f, err := os.CreateTemp(dir, "."+base+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), perm)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// rename puts a file in the place of another one of its folder. Those who have that one open
// keep it, unlike with [os.Rename].
func rename(temp, path string) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Rename(filepath.Base(temp), filepath.Base(path))
}

// busy reports whether another process has the file open without sharing it: editors and
// virus scanners do for moments.
func busy(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
