package gpulock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/filelock"
)

// Options of a [File]. nil means the defaults.
type Options struct {
	Waits  Waits
	Logger *slog.Logger // gets one line when there can be no lock; nil discards
}

// Waits is how long each priority waits for the lock before it gives up with
// [sentinel.ErrBusy]. 0 means the default, less than 0 that it does not wait.
// The judge never waits.
type Waits struct {
	Synthesizer time.Duration // P1; default 5 s
	Accumulator time.Duration // P2; default 30 s
	Scribe      time.Duration // P3; default 10 s
}

// limit is how long p waits.
func (w Waits) limit(p sentinel.Priority) time.Duration {
	switch p {
	case sentinel.PriorityJudge:
		return 0
	case sentinel.PrioritySynthesizer:
		return cmp.Or(w.Synthesizer, 5*time.Second)
	case sentinel.PriorityAccumulator:
		return cmp.Or(w.Accumulator, 30*time.Second)
	case sentinel.PriorityAudit:
		return math.MaxInt64 // ctx alone
	default:
		return cmp.Or(w.Scribe, 10*time.Second)
	}
}

// A File is a lock in the file system. All Files of one path are the same lock,
// in this process and in others. It is safe for concurrent use; it keeps callers
// apart in time, and does not replace a mutex around memory that they share.
type File struct {
	path    string
	waits   Waits
	logger  *slog.Logger
	logged  sync.Once
	tryLock func(*os.File, filelock.Mode) (bool, error) // of the operating system

	mu     sync.Mutex
	asleep map[obstacle]chan struct{} // one for each goroutine that sleeps in the kernel
}

var _ sentinel.Lock = (*File)(nil)

// New returns the lock at path, which [SessionPath] or [MachinePath] gave. It
// touches nothing: folder and files are made by the first Lock.
func New(path string, opts *Options) *File {
	if opts == nil {
		opts = &Options{}
	}
	logger := opts.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &File{path: path, waits: opts.Waits, logger: logger, tryLock: filelock.TryLock}
}

// Path returns the path of the lock file.
func (f *File) Path() string { return f.path }

// Lock waits until p may use the GPU; see [sentinel.Lock]. An audit waits in line as a
// P3 that never gives up; a priority below it waits as P3 does.
//
// held is ctx, for P2 and P3 with an end of its own: with cause
// [sentinel.ErrPreempted] within some milliseconds of a judge's coming, or when
// unlock is called.
//
// An error is [sentinel.ErrBusy] when the time ran out, and wraps ctx.Err() too
// when it was ctx that ended. Any other says why there can be no lock here
// ([errors.ErrUnsupported] when the file system has none): the caller does best
// to go on without. Options.Logger gets one line. With an error held is ctx, and
// unlock does nothing.
func (f *File) Lock(ctx context.Context, p sentinel.Priority) (held context.Context, unlock func(), err error) {
	limit := f.waits.limit(p)
	p = min(p, sentinel.PriorityScribe)
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return ctx, func() {}, f.busy(start, err)
	}
	l, err := f.take(ctx, p, start, limit)
	if err != nil {
		return ctx, func() {}, err
	}
	if p < sentinel.PriorityAccumulator {
		return ctx, sync.OnceFunc(l.leave), nil
	}
	held, stop := l.watch(ctx)
	return held, sync.OnceFunc(func() { stop(); l.leave() }), nil
}

// take waits in line until p has the lock.
func (f *File) take(ctx context.Context, p sentinel.Priority, start time.Time, limit time.Duration) (*line, error) {
	for {
		l, err := f.standInLine(p)
		if err != nil {
			return nil, f.cannotLock(err)
		}
		left := limit
		if left > 0 {
			left = max(limit-time.Since(start), 0)
		}
		ok, err := l.wait(ctx, left)
		if ok || err == nil && p == sentinel.PriorityJudge {
			return l, nil
		}
		l.leave()
		switch {
		case errors.Is(err, errReplaced):
		case err != nil:
			return nil, f.cannotLock(err)
		default:
			return nil, f.busy(start, ctx.Err())
		}
	}
}

// busy is the error of one that did not get the lock; ended says why if it was
// the caller's context.
func (f *File) busy(start time.Time, ended error) error {
	waited := time.Since(start).Round(time.Millisecond)
	if ended != nil {
		return fmt.Errorf("gpulock: %w: gave up on %s after %s: %w", sentinel.ErrBusy, f.path, waited, ended)
	}
	return fmt.Errorf("gpulock: %w: %s did not come free within %s", sentinel.ErrBusy, f.path, waited)
}

// cannotLock logs once that there is no lock here.
func (f *File) cannotLock(err error) error {
	err = fmt.Errorf("gpulock: %w", err)
	f.logged.Do(func() {
		f.logger.Warn("no GPU lock: models are asked without one", "path", f.path, "error", err)
	})
	return err
}
