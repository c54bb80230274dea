// Package filelock takes the lock of an open file that short-lived processes
// change in place, without waiting for it. The kernel gives it back when a process
// dies. Locks that are waited for by priority are package gpulock's.
package filelock

import "errors"

// ErrHeld says that another process, or another open file of this one, has the
// lock.
var ErrHeld = errors.New("the file is locked")
