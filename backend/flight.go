package backend

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
)

// flights has equal questions asked once at a time. The zero value is ready.
type flights struct {
	mu sync.Mutex
	by map[question]*flight
}

// A question can be asked once for several callers. They have the same time and
// priority.
type question struct {
	key      string
	timeout  time.Duration
	priority sentinel.Priority
}

// A flight is a call under way for all callers that wait for it.
type flight struct {
	cancel  context.CancelCauseFunc
	waiting int // guarded by flights.mu

	done     chan struct{} // closed once the rest is set
	resp     sentinel.Response
	err      error
	panicked any
}

// errNoAnswer is the error of a call that ended its own goroutine.
var errNoAnswer = fmt.Errorf("backend: %w: the backend returned nothing", sentinel.ErrUnavailable)

// do returns the answer of the call that is under way for q, or else calls ask
// with a context that ends when no caller waits for it any more. A panic of ask is
// one of do.
func (fs *flights) do(ctx context.Context, q question, ask func(context.Context) (sentinel.Response, error)) (sentinel.Response, error) {
	start := time.Now()
	f, joined := fs.board(ctx, q, ask)
	select {
	case <-f.done:
	case <-ctx.Done():
		if !fs.leave(q, f, ctx.Err()) {
			return sentinel.Response{}, gaveUp(ctx, nil)
		}
		<-f.done // what was started has ended when Complete returns: the contract of a backend
		if f.panicked == nil && f.err != nil {
			return f.resp, gaveUp(ctx, f.err)
		}
	}
	if f.panicked != nil {
		panic(f.panicked)
	}
	resp := f.resp
	if joined && f.err == nil {
		resp.Cached, resp.PromptTokens, resp.OutputTokens = true, 0, 0
		resp.Waited, resp.Took = time.Since(start), 0
	}
	return resp, f.err
}

// board joins the flight for q, or starts it.
func (fs *flights) board(ctx context.Context, q question, ask func(context.Context) (sentinel.Response, error)) (f *flight, joined bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := fs.by[q]; f != nil {
		f.waiting++
		return f, true
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f = &flight{cancel: cancel, waiting: 1, done: make(chan struct{}), err: errNoAnswer}
	if fs.by == nil {
		fs.by = make(map[question]*flight)
	}
	fs.by[q] = f
	go fs.run(own, q, f, ask)
	return f, false
}

func (fs *flights) run(ctx context.Context, q question, f *flight, ask func(context.Context) (sentinel.Response, error)) {
	defer func() {
		f.panicked = recover()
		fs.land(q, f)
	}()
	f.resp, f.err = ask(ctx)
}

// leave takes a waiting caller off the flight. The last one ends it, and a later
// caller starts a new one. why becomes the cause of the call's context, because a
// breaker treats a caller out of time and a cancelled one differently.
func (fs *flights) leave(q question, f *flight, why error) (last bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.waiting--
	if f.waiting > 0 {
		return false
	}
	fs.remove(q, f)
	f.cancel(why)
	return true
}

// land ends the flight: a later caller starts a new one.
func (fs *flights) land(q question, f *flight) {
	fs.mu.Lock()
	fs.remove(q, f)
	fs.mu.Unlock()
	f.cancel(nil)
	close(f.done)
}

// remove wants fs.mu held. A flight that was left may have a successor.
func (fs *flights) remove(q question, f *flight) {
	if fs.by[q] == f {
		delete(fs.by, q)
	}
}

// gaveUp is the error for a caller whose ctx ended. err is what the call ended
// with, nil if it goes on for others.
func gaveUp(ctx context.Context, err error) error {
	if errors.Is(err, ctx.Err()) {
		return err
	}
	kind := sentinel.ErrUnavailable
	if errors.Is(err, sentinel.ErrBusy) {
		kind = sentinel.ErrBusy
	}
	late := fmt.Errorf("%w: no answer before the caller gave up: %w", kind, ctx.Err())
	var be *sentinel.BackendError
	if errors.As(err, &be) {
		return &sentinel.BackendError{Backend: be.Backend, Op: be.Op, Err: late}
	}
	return fmt.Errorf("backend: %w", late)
}
