package gpulock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/filelock"
)

const (
	// retryEvery is how often one that waits tries again when there is nothing
	// to sleep on: a timer costs a process some 50 µs of processor time each.
	retryEvery = 5 * time.Millisecond
	// sureEvery is how often one that sleeps in the kernel tries all the same:
	// the file it sleeps on may have been removed.
	sureEvery = 100 * time.Millisecond
	// wakeUps is how many wake-ups in a row may come to nothing before one is
	// left out. A stranger that shares the lock, where all others want it alone,
	// would wake up waiters without end.
	wakeUps = 3
)

// errReplaced ends a line whose lock file was replaced by another one of that name: the
// folder was cleaned.
var errReplaced = errors.New("lock file was replaced")

// An obstacle is what keeps a line from having the lock.
type obstacle int

const (
	nothing obstacle = iota
	holder           // another process has the lock
	next             // another P3 is next
	mark             // a higher priority is at work or waits
)

// A line is one caller's place in the line for the lock: the files it looks at,
// and which of them it has.
type line struct {
	lock   *File
	main   *os.File
	mark   *os.File   // of its own priority
	higher []*os.File // marks that keep it from starting, the judge's first

	priority sentinel.Priority
	marked   bool // mark is taken
}

// standInLine opens what a caller of priority p needs.
func (f *File) standInLine(p sentinel.Priority) (*line, error) {
	dir, err := openFolder(f.path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	l := &line{lock: f, priority: p}
	if l.main, err = dir.open(""); err != nil {
		return nil, err
	}
	if l.mark, err = dir.open(suffix(p)); err != nil {
		l.leave()
		return nil, err
	}
	if p < sentinel.PriorityAccumulator {
		return l, nil // these look at no other priority
	}
	for q := range p {
		mark, err := dir.open(suffix(q))
		if err != nil {
			l.leave()
			return nil, err
		}
		l.higher = append(l.higher, mark)
	}
	return l, nil
}

// suffix makes the name of the lock that of the mark of p.
func suffix(p sentinel.Priority) string { return fmt.Sprintf(".p%d", p) }

// wait returns true when the lock is this line's, false when limit or ctx was
// over first.
func (l *line) wait(ctx context.Context, limit time.Duration) (bool, error) {
	if err := l.announce(); err != nil {
		return false, err
	}
	stopper, err := l.try()
	if stopper == nothing || err != nil || limit <= 0 {
		return stopper == nothing, err
	}
	over := time.NewTimer(limit)
	defer over.Stop()
	again := time.NewTimer(sureEvery)
	defer again.Stop()
	for inVain := 0; stopper != nothing; {
		var freed <-chan struct{}
		if stopper != mark && inVain < wakeUps {
			freed = l.lock.freed(stopper)
			again.Reset(sureEvery)
		} else {
			again.Reset(retryEvery)
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-over.C:
			return false, nil
		case <-freed:
			inVain++
		case <-again.C:
			inVain = 0
		}
		if stopper, err = l.try(); err != nil {
			return false, err
		}
		if !l.current() {
			return false, errReplaced
		}
	}
	return true, nil
}

// announce takes the mark of a caller that is going to wait, or of a judge. When it
// fails, a stopped or foreign program has the mark: a judge goes on without, the
// others try again while they wait.
func (l *line) announce() (err error) {
	if l.priority != sentinel.PriorityScribe { // whose mark is a queue
		l.marked, err = l.lock.insist(l.mark, filelock.Shared)
	}
	return err
}

// tryMark takes the mark if it can.
func (l *line) tryMark() (err error) {
	switch {
	case l.marked:
	case l.priority == sentinel.PriorityScribe:
		l.marked, err = l.lock.tryLock(l.mark, filelock.Exclusive)
	default:
		l.marked, err = l.lock.tryLock(l.mark, filelock.Shared)
	}
	return err
}

// try takes the lock if it is free and no higher priority wants it.
func (l *line) try() (obstacle, error) {
	if err := l.tryMark(); err != nil {
		return mark, err
	}
	if l.priority == sentinel.PriorityScribe && !l.marked {
		return next, nil
	}
	if ok, err := l.lock.tryLock(l.main, filelock.Exclusive); !ok || err != nil {
		return holder, err
	}
	// Looking only now, with the lock in hand, leaves no gap in which a judge
	// could come unseen.
	for _, m := range l.higher {
		if wanted, err := l.lock.taken(m); wanted || err != nil {
			filelock.Unlock(l.main)
			return mark, err
		}
	}
	if l.priority != sentinel.PriorityJudge {
		filelock.Unlock(l.mark) // it waits no longer
		l.marked = false
	}
	return nothing, nil
}

// taken says whether f is taken.
func (f *File) taken(file *os.File) (bool, error) {
	free, err := f.tryLock(file, filelock.Exclusive)
	if free {
		filelock.Unlock(file)
	}
	return !free && err == nil, err
}

// insist is tryLock with some patience, 3 ms at most: a process that only looks
// whether a file is taken has it for an instant.
func (f *File) insist(file *os.File, m filelock.Mode) (bool, error) {
	for pause := 20 * time.Microsecond; ; pause *= 2 {
		ok, err := f.tryLock(file, m)
		if ok || err != nil || pause > 2*time.Millisecond {
			return ok, err
		}
		time.Sleep(pause)
	}
}

// current says whether the lock is still the file of that name.
func (l *line) current() bool {
	have, err := l.main.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.lock.path)
	return err == nil && os.SameFile(have, named)
}

// leave gives back whatever the line has. Unlocking before closing counts: a
// program that is being started at this moment has the open file too.
func (l *line) leave() {
	for _, f := range append(l.higher, l.main, l.mark) {
		if f != nil {
			filelock.Unlock(f)
			f.Close()
		}
	}
}
