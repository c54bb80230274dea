package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
)

// Timed returns a backend that bounds each call of b by Request.Timeout, counted
// from the moment the call reaches it, and measures the call into Response.Took.
// A Timeout of 0 or less leaves the call to ctx.
//
// A call whose time is up is [sentinel.ErrUnavailable] and
// [context.DeadlineExceeded] both. When it is ctx that ends, the error of b is
// returned as it is.
func Timed(b sentinel.Backend) sentinel.Backend { return &timed{next: b} }

type timed struct{ next sentinel.Backend }

// Complete asks, and gives up when the time is up.
func (t *timed) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	own := ctx
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		own, cancel = context.WithTimeout(ctx, req.Timeout)
		defer cancel()
	}
	start := time.Now()
	resp, err := t.next.Complete(own, req)
	resp.Took = time.Since(start)
	if err != nil && ctx.Err() == nil && own.Err() != nil && !errors.Is(err, sentinel.ErrMalformed) {
		err = timeUp(err, req.Timeout)
	}
	return resp, err
}

// timeUp says that limit was too short, in the name of the backend in err. The rest of err only says that a context ended.
func timeUp(err error, limit time.Duration) error {
	late := fmt.Errorf("%w: no answer within %s: %w", sentinel.ErrUnavailable, limit, context.DeadlineExceeded)
	var be *sentinel.BackendError
	if errors.As(err, &be) {
		return &sentinel.BackendError{Backend: be.Backend, Op: be.Op, Err: late}
	}
	return fmt.Errorf("backend: %w", late)
}

// Unwrap returns the backend that is timed.
func (t *timed) Unwrap() sentinel.Backend { return t.next }
