package project

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/rule"
)

// withEnd is [context.WithDeadline] without a timer, until somebody waits for the
// end: most calls only look at the clock, and a timer wakes another thread.
func withEnd(parent context.Context, ends time.Time) (context.Context, context.CancelFunc) {
	if at, ok := parent.Deadline(); ok && at.Before(ends) {
		ends = at
	}
	c := &endContext{Context: parent, ends: ends}
	return c, c.cancel
}

// An endContext ends with its parent, at a time, or when it is cancelled.
type endContext struct {
	context.Context
	ends time.Time

	mu    sync.Mutex
	timed context.Context // nil until somebody waits for the end
	stop  context.CancelFunc
	over  bool // cancelled
}

func (c *endContext) Deadline() (time.Time, bool) { return c.ends, true }

// Err also tells from the clock: the timer may be late.
func (c *endContext) Err() error {
	c.mu.Lock()
	timed, over := c.timed, c.over
	c.mu.Unlock()
	if timed != nil {
		if err := timed.Err(); err != nil {
			return err
		}
	} else if err := c.Context.Err(); err != nil {
		return err
	}
	switch {
	case over:
		return context.Canceled
	case !time.Now().Before(c.ends):
		return context.DeadlineExceeded
	}
	return nil
}

func (c *endContext) Done() <-chan struct{} { return c.wait().Done() }

// Value lets a context that is made of this one find the one with the timer.
func (c *endContext) Value(key any) any {
	c.mu.Lock()
	timed := c.timed
	c.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return c.Context.Value(key)
}

// wait is the context with the timer.
func (c *endContext) wait() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.stop = context.WithDeadline(c.Context, c.ends)
		if c.over {
			c.stop()
		}
	}
	return c.timed
}

func (c *endContext) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.stop != nil {
		c.stop()
	}
}

// bound is ctx with the end of Options.Deadline.
func (d *Docket) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.ends.IsZero() {
		return ctx, func() {}
	}
	return withEnd(ctx, d.ends)
}

// A repository has its share of the time for an event, so that a slow one takes
// none from the rules of the user and Sentinel's own: these are read, matched and
// judged first. A repository's rules may be read in half of the time that is left,
// and be matched in half of what is left then.

// errNotRead and errNotMatched say why rules of a folder count as not judged.
var (
	errNotRead    = errors.New("not read in the time that a folder of rules has; make the rules smaller or fewer")
	errTooMuch    = errors.New("the call has too many parts for the number of rules; make the call smaller")
	errNotMatched = errors.New("there was no time to match all of its rules; make the rules or the call smaller")
)

// half is the middle of the time that is left at now; zero without an end.
func (o *Options) half(now time.Time) time.Time { return half(now, o.Ends) }

func half(now, ends time.Time) time.Time {
	if ends.IsZero() {
		return ends
	}
	return now.Add(ends.Sub(now) / 2)
}

// overdue reports whether the time for reading a project's rules is over.
func (o *Options) overdue() bool { return !o.loadEnds.IsZero() && time.Now().After(o.loadEnds) }

// hurried is overdue, and from half of the time on that the folder says agents wait
// (in seconds): what others' rules take does not count.
func (r *reader) hurried(overdue func() bool, waits int) func() bool {
	if r.opts.loadEnds.IsZero() {
		return overdue
	}
	ends := time.Now().Add(time.Duration(waits) * time.Second / 2)
	return func() bool { return overdue() || time.Now().After(ends) }
}

// OpenInHaste opens the folders that apply as [Open] does, for an answer that cannot
// wait for their rules: the user's own are read, and of a project the configuration
// alone, with one rule about everything that counts as not judged. strict is called
// with what [Project.Strict] would say, as soon as that is certain: with false when
// all folders are known.
func OpenInHaste(starts []string, opts *Options, strict func(bool)) *Project {
	p := openUser(opts)
	p.haste = true
	if p.Strict() {
		strict(true)
	}
	for _, at := range p.places(starts) {
		if p.Folders = append(p.Folders, loadInHaste(at, &p.opts)); p.Strict() {
			strict(true)
		}
	}
	if !p.Strict() {
		strict(false)
	}
	return p
}

// loadInHaste reads the configuration of a folder.
func loadInHaste(p place, o *Options) *Folder {
	p.real = p.realDir()
	next := compiled{dir: p.dir}
	old := o.snapshot(cachePath(o.CacheDir, p.dir, o.addedBackends()), p.dir)
	if p.err == nil {
		next.takeConfig(p, old, o, o.now())
	} else {
		next.config = lastKnown(old)
	}
	if g := o.guardOf(p); g.load() {
		g.config(&next)
	}
	f := newFolder(p, o, &next.config, nil)
	return f.hold(&next, []rule.File{brokenFile(p, p.dir, errors.New("its rules were "+errNotRead.Error()))}, o)
}

// Late reports whether the time for the event is over: rules that are judged now
// count as not judged, the user's own too.
func (d *Docket) Late() bool { return !d.ends.IsZero() && time.Now().After(d.ends) }

// HookTimeout is how long the agents wait for an answer, as the folders that apply
// say by hook_timeout_s; 0 without any folder. The longest counts: a repository takes
// no time from the rules of the user, or of the repository around it.
func (i *Inspector) HookTimeout() time.Duration {
	longest := 0
	for _, f := range i.project.Folders {
		if !f.User || f.configured || f.rules.any() {
			longest = max(longest, f.Config.HookTimeoutS)
		}
	}
	return time.Duration(longest) * time.Second
}

// EndBy makes the answer due earlier than Options.Ends; a later time has no effect. It
// is to be called before the first event.
func (p *Project) EndBy(ends time.Time) {
	if p.opts.Ends.IsZero() || ends.Before(p.opts.Ends) {
		p.opts.Ends = ends
	}
}
