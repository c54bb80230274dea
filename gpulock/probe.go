package gpulock

import (
	"os"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/filelock"
)

// State is the use of a lock at one moment.
type State struct {
	Held    bool    // somebody has the lock
	Waiting [4]bool // by priority: somebody waits; for [sentinel.PriorityJudge]: one is at work
}

// Free says whether the lock is neither used nor waited for.
func (s State) Free() bool { return s == State{} }

// Probe looks at the lock; it takes 15 ms at most. Folder and files are made if
// they are missing: whether there can be a lock is seen only by trying. The error
// says why there cannot, as that of Lock does.
func (f *File) Probe() (State, error) {
	var s State
	l, err := f.standInLine(sentinel.PriorityScribe)
	if err != nil {
		return s, f.cannotLock(err)
	}
	defer l.leave()
	if s.Held, err = f.held(l.main); err != nil {
		return s, f.cannotLock(err)
	}
	for p, m := range append(l.higher, l.mark) {
		if s.Waiting[p], err = f.held(m); err != nil {
			return s, f.cannotLock(err)
		}
	}
	return s, nil
}

// held is taken, but does not count a process that only looks.
func (f *File) held(file *os.File) (bool, error) {
	free, err := f.insist(file, filelock.Exclusive)
	if free {
		filelock.Unlock(file)
	}
	return !free && err == nil, err
}
