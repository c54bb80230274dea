// Package filelock locks open files between processes. A lock belongs to the open
// file, so another open file of the same name is a stranger, in this process too. The
// kernel gives a lock back when the file is closed or its process dies.
//
// Waiting by priority is package gpulock's.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld says that another process, or another open file of this one, has the
// lock.
var ErrHeld = errors.New("the file is locked")

// A Mode is the kind of a lock.
type Mode bool

// Any number of open files can share a lock; one alone can have it exclusively.
const (
	Shared    Mode = false
	Exclusive Mode = true
)

// Try takes the lock of a file that is changed in place, or returns [ErrHeld].
// Another error means that the file system has no locks. On Windows, where locks keep
// readers out, the locked byte lies behind the content.
func Try(f *os.File) error {
	ok, err := try(f, Exclusive, behindContent)
	if err == nil && !ok {
		return ErrHeld
	}
	return err
}

// TryLock takes the lock of an empty file, and reports whether it could. An error is
// [errors.ErrUnsupported] when the file system has no locks.
func TryLock(f *os.File, m Mode) (bool, error) { return try(f, m, 0) }

// WaitLock takes the lock of an empty file when it is free. The wait
// cannot be ended.
func WaitLock(f *os.File, m Mode) error { return wait(f, m, 0) }

// behindContent is an offset behind every byte of a file.
const behindContent = 1 << 62
