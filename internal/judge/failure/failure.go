// Package failure has what the errors of all backends have in common.
package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/agentsentinel/sentinel"
)

// Of dresses err as the failure of a backend at an operation; nil stays nil.
// When ctx has ended, that is the reason, whatever else the error says. An error
// in the chain with a method RetryAfter() time.Duration says how long to leave the
// server alone.
func Of(ctx context.Context, backend, op string, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, sentinel.ErrMalformed) {
		err = fmt.Errorf("%w: the call was given up: %w", sentinel.ErrUnavailable, ended)
	}
	wrapped := &sentinel.BackendError{Backend: backend, Op: op, Err: err}
	var wait interface{ RetryAfter() time.Duration }
	if errors.As(err, &wait) {
		wrapped.RetryAfter = wait.RetryAfter()
	}
	return wrapped
}

// Completed is what a backend returns for a call that gave resp and err.
func Completed(ctx context.Context, backend string, resp sentinel.Response, err error) (sentinel.Response, error) {
	if err != nil {
		return sentinel.Response{}, Of(ctx, backend, "complete", err)
	}
	return resp, nil
}

// Broke reports whether err is a connection that ended before an answer came, as
// when a server is stopped while it works. The http package says little more of it
// than "EOF".
func Broke(err error) bool {
	var conn *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &conn) && (conn.Op == "read" || conn.Op == "write")
}

// most is how many characters of others' words an error repeats.
const most = 200

// Excerpt quotes the beginning of what a server or a program said: bounded, and
// with control characters escaped, since people read it in a terminal and agents
// in their context.
func Excerpt(s string) string {
	n := 0
	for i := range s {
		if n == most {
			s = s[:i] + "…"
			break
		}
		n++
	}
	return strconv.Quote(s)
}
