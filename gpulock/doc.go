// Package gpulock is the lock file that shares one GPU between processes, by
// priority.
//
// A [File] is a [sentinel.Lock]. The judge of a tool call (P0) never waits;
// advice after a tool (P1), the session's summary (P2) and learning in the
// background (P3) wait for as long as [Waits] says. The lock is held for one
// call of a model and given back:
//
//	lock := gpulock.New(gpulock.SessionPath(root, session), nil)
//	held, unlock, err := lock.Lock(ctx, sentinel.PriorityScribe)
//	defer unlock()
//
// Most callers let backend.Locked do this around a backend.
//
// # The files
//
// The lock itself is an exclusive lock of the operating system (flock, on
// Windows LockFileEx) on the file that New is given. It is free the moment its
// holder dies. Files next to it announce the priorities:
//
//	ollama.lock      held by the user of the GPU
//	ollama.lock.p0   shared by all judges at work
//	ollama.lock.p1   shared by all P1 that wait
//	ollama.lock.p2   shared by all P2 that wait
//	ollama.lock.p3   held by the one P3 that is next
//
// P2 and P3 do not start while a file of a higher priority is taken. P1 looks at
// none of them: it waits only for a judge that holds the lock. P3 is what comes in
// loops, so its file is a queue: a loop does not pass a P3 that waits.
//
// The files are empty, nothing is ever written to them, and they are never
// removed: a lock belongs to the file, not to its name, and a second file of the
// name would be a second lock.
//
// # Waiting
//
// A caller that waits for the holder, or for the P3 that is next, sleeps in the kernel and
// wakes up when the file comes free. Such a sleep cannot be called off, so those
// of one File share it: at most two goroutines remain when callers give up,
// until the holder lets go. A caller that waits for a judge to finish looks every 5 ms; a P2
// or P3 that holds the lock looks every 10 ms whether a judge has come.
//
// # Where there are no locks
//
// The folder of a session's lock lies in the working tree of a repository, which
// may have been cloned: no link below it is followed, and only plain files are
// opened. A link, a missing permission and a file system without locks are
// errors that are not [sentinel.ErrBusy]. The GPU is then used without a lock:
// that is slower, not wrong.
package gpulock
