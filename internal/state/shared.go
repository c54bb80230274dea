package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/filelock"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// These functions are for small files that many processes change at once. Such a
// file is never renamed or replaced, because its lock belongs to the file itself
// and not to its name.

const (
	// lockWait bounds the wait for a file's lock. It is held for microseconds, unless
	// the process that holds it was stopped.
	lockWait = time.Second
	// maxShared bounds what is read of a file that is changed in place.
	maxShared = 256 << 10
)

// openLocked opens a private file for reading and writing, with its lock taken
// until it is closed. A file that is missing is made, and the folder too; then
// tidy is called with the folder's path, so that the code that fills a folder also
// clears it. Where the system has no locks the file is opened without one.
func openLocked(path string, tidy func(dir string)) (*os.File, error) {
	f, err := openPrivate(path, os.O_RDWR, tidy)
	if err != nil {
		return nil, err
	}
	return checked(path, f, func() error { return waitLock(f) })
}

// openPrivate opens a file that only the user can have written. One that is
// missing is made, and the folder too, as [openLocked] says.
func openPrivate(path string, flags int, tidy func(dir string)) (*os.File, error) {
	flags |= safefile.NoFollow
	f, err := os.OpenFile(path, flags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		dir := filepath.Dir(path)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		tidy(dir)
		f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, err
	}
	return checked(path, f, func() error { return safefile.PrivateFile(f) })
}

// checked returns f, or closes it when a check fails.
func checked(path string, f *os.File, check func() error) (*os.File, error) {
	if err := check(); err != nil {
		f.Close()
		return nil, fmt.Errorf("state: %s: %w", path, err)
	}
	return f, nil
}

// waitLock takes the lock of f, or gives up after lockWait with [filelock.ErrHeld]. It
// asks again and again, because a wait inside the kernel could not be ended.
func waitLock(f *os.File) error {
	pause := 50 * time.Microsecond
	for end := time.Now().Add(lockWait); ; {
		err := filelock.Try(f)
		if !errors.Is(err, filelock.ErrHeld) {
			return nil // taken; or no locks on this file system, where the work is done all the same
		}
		if time.Now().After(end) {
			return err
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Millisecond)
	}
}

// readShared returns the content of an open file, at most maxShared bytes of it.
func readShared(f *os.File) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(f, 0, maxShared))
}

// prune removes files of dir that were not changed for maxAge, and beyond
// maxFiles the oldest. Only files whose names ours accepts are looked at.
func prune(dir string, ours func(name string) bool, maxAge time.Duration, maxFiles int) {
	files := list(dir, ours)
	oldest := time.Now().Add(-maxAge)
	for i, f := range files {
		if i < len(files)-maxFiles || f.changed.Before(oldest) {
			os.Remove(filepath.Join(dir, f.name))
		}
	}
}

type listed struct {
	name    string
	size    int64
	changed time.Time
}

// list returns the regular files of dir whose names ours accepts, the oldest
// first. A folder that cannot be read is empty.
func list(dir string, ours func(name string) bool) []listed {
	entries, _ := os.ReadDir(dir) // the entries that could be read are enough
	files := make([]listed, 0, len(entries))
	for _, e := range entries {
		if !e.Type().IsRegular() || !ours(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil { // otherwise it is gone already
			files = append(files, listed{e.Name(), info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b listed) int { return a.changed.Compare(b.changed) })
	return files
}

// fresh reports whether age lies within the time. One from the future, after the
// clock was set back, does not.
func fresh(age, within time.Duration) bool { return age >= 0 && age < within }
