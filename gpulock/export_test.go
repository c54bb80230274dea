package gpulock

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/agentsentinel/sentinel/internal/filelock"
)

// Bare locks of the operating system, to compare with.
func WaitLock(f *os.File) error  { return filelock.WaitLock(f, filelock.Exclusive) }
func ShareLock(f *os.File) error { return filelock.WaitLock(f, filelock.Shared) }
func Unlock(f *os.File)          { filelock.Unlock(f) }

// LockNothing has f behave as on a file system without locks.
func (f *File) LockNothing() {
	f.tryLock = func(file *os.File, _ filelock.Mode) (bool, error) {
		return false, fmt.Errorf("%w: no lock on %s", errors.ErrUnsupported, file.Name())
	}
}

// CountTries counts how often f asks the operating system for a lock.
func (f *File) CountTries() *atomic.Int64 {
	var n atomic.Int64
	try := f.tryLock
	f.tryLock = func(file *os.File, m filelock.Mode) (bool, error) {
		n.Add(1)
		return try(file, m)
	}
	return &n
}

// Limit is how long p waits.
var Limit = Waits.limit
