package gpulock

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/filelock"
)

// watchEvery is how often a P2 or P3 that holds the lock looks whether a judge
// has come: a kernel wakes no process because a lock was taken.
const watchEvery = 10 * time.Millisecond

// freed returns a channel that is closed when the stopper may have come free, nil if
// that cannot be known. One goroutine of a File sleeps on each,
// for all that wait in this process. A sleep in the kernel cannot be called off:
// when all have given up the goroutine stays until the holder lets go, and serves
// the next caller.
func (f *File) freed(stopper obstacle) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.asleep[stopper]; c != nil {
		return c
	}
	// The file is opened here and not there, so that nothing is made after the
	// last caller has left.
	file, err := f.open(stopper)
	if err != nil {
		return nil
	}
	if f.asleep == nil {
		f.asleep = make(map[obstacle]chan struct{})
	}
	c := make(chan struct{})
	f.asleep[stopper] = c
	go func() {
		err := sleep(file)
		f.mu.Lock()
		delete(f.asleep, stopper)
		f.mu.Unlock()
		if err == nil {
			close(c)
		}
	}()
	return c
}

// open opens the file on which a caller that stopper keeps waiting sleeps.
func (f *File) open(stopper obstacle) (*os.File, error) {
	dir, err := openFolder(f.path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if stopper == next {
		return dir.open(suffix(sentinel.PriorityScribe))
	}
	return dir.open("")
}

// sleep returns when no process has file alone. It shares the lock for an
// instant, so that any number of sleepers wake up at once.
func sleep(file *os.File) error {
	defer file.Close()
	err := filelock.WaitLock(file, filelock.Shared)
	filelock.Unlock(file)
	return err
}

// watch returns ctx with an end when a judge comes, and what stops the watching.
func (l *line) watch(ctx context.Context) (held context.Context, stop func()) {
	held, end := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		look := time.NewTicker(watchEvery)
		defer look.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-look.C:
				if came, _ := l.lock.taken(l.higher[0]); came {
					end(fmt.Errorf("gpulock: %w: a judge needs the GPU", sentinel.ErrPreempted))
				}
			}
		}
	}()
	return held, func() { end(nil); <-stopped }
}
