package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/filelock"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Locks lets processes do the same thing one after the other, by locks of the
// kernel: the lock of a process that died is free. It may be used concurrently, by
// the goroutines of a process too.
//
// A file exists only while its lock is held, or when the process that held it was
// killed.
type Locks struct{ dir string }

// NewLocks keeps the locks in files of dir. Nothing is touched before the first
// one is taken.
func NewLocks(dir string) *Locks { return &Locks{dir} }

const (
	// lockPause is the time between two tries of a lock that is held: a wait inside
	// the kernel could not be ended.
	lockPause = 5 * time.Millisecond
	// staleLock is the age from which a file belongs to a process that was killed.
	staleLock = 24 * time.Hour
	// maxLocks bounds how many of those there are.
	maxLocks = 1000
)

// Take waits for the lock of name until ctx ends; the error is then that of ctx.
// unlock is never nil and may be called twice. If the file system
// has no locks the answer is as for a free lock.
func (l *Locks) Take(ctx context.Context, name string) (unlock func(), err error) {
	for {
		unlock, taken := l.Try(name)
		if taken {
			return unlock, nil
		}
		wait := time.NewTimer(lockPause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return unlock, ctx.Err()
		}
	}
}

// Try takes the lock of name if it is free. unlock is as for [Locks.Take].
func (l *Locks) Try(name string) (unlock func(), taken bool) {
	path := filepath.Join(l.dir, fileName(name))
	f, err := l.open(path)
	if err != nil {
		return func() {}, true
	}
	if errors.Is(filelock.Try(f), filelock.ErrHeld) || !isNamed(f, path) { // or its holder has removed it since
		f.Close()
		return func() {}, false
	}
	return sync.OnceFunc(func() {
		err := os.Remove(path) // while it is locked: a process that waits for it checks isNamed
		f.Close()
		if err != nil && runtime.GOOS == "windows" { // where a file that is open stays, also that of the next holder
			os.Remove(path)
		}
	}), true
}

// open opens the file of a lock, and makes it if it is missing. Then it removes the
// files of killed processes. On Windows a file that its holder is just removing cannot be
// opened, which does not mean that there are no locks.
func (l *Locks) open(path string) (f *os.File, err error) {
	err = safefile.Patiently(func() error {
		f, err = openPrivate(path, os.O_RDWR, func(dir string) { prune(dir, isFileName, staleLock, maxLocks) })
		return err
	})
	return f, err
}

// isNamed reports whether path leads to the open file f.
func isNamed(f *os.File, path string) bool {
	at, err := os.Lstat(path)
	if err != nil {
		return false
	}
	own, err := f.Stat()
	return err == nil && os.SameFile(at, own)
}
