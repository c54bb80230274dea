package backend

import (
	"context"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
)

// A Counter counts calls by day: YYYY-MM-DD in local time. It is safe for concurrent
// use, by several processes if the limit is theirs together.
type Counter interface {
	// Calls returns how many calls of a day were counted.
	Calls(day string) (int64, error)
	// Count counts one more.
	Count(day string) error
}

// CallsOptions are the settings of [CallLimit]. nil means no limit.
type CallsOptions struct {
	PerDay int64                   // 0 means no limit
	Paid   func(model string) bool // whether a request counts, by the model that it names; nil counts each

	Now func() time.Time // its location says when a day begins; nil means time.Now
}

// CallLimit returns a backend that asks b at most PerDay times in a day. Beyond that
// every request that counts is [sentinel.ErrRefused], with how to raise the limit,
// until midnight of local time. It is not [sentinel.ErrOverBudget], which allows rules to
// be left out: this limit does not. A call is counted before it is made. One that cannot be
// counted is refused too, because a limit that cannot be checked does not limit. Calls that
// begin at the same moment can go beyond it together.
func CallLimit(b sentinel.Backend, counter Counter, opts *CallsOptions) sentinel.Backend {
	if opts == nil || opts.PerDay <= 0 || counter == nil {
		return b
	}
	l := &callLimit{next: b, counter: counter, opts: *opts}
	if l.opts.Now == nil {
		l.opts.Now = time.Now
	}
	return l
}

type callLimit struct {
	next    sentinel.Backend
	counter Counter
	opts    CallsOptions
}

// Complete asks, if the day's calls are below the limit.
func (l *callLimit) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if l.opts.Paid == nil || l.opts.Paid(req.Model) {
		if err := l.count(); err != nil {
			return sentinel.Response{}, err
		}
	}
	return l.next.Complete(ctx, req)
}

// Unwrap returns the backend that is asked.
func (l *callLimit) Unwrap() sentinel.Backend { return l.next }

func (l *callLimit) count() error {
	day := l.opts.Now().Format(time.DateOnly)
	calls, err := l.counter.Calls(day)
	if err == nil && calls >= l.opts.PerDay {
		return fmt.Errorf("backend: %w: %d of %d paid calls of today are made; raise budget.paid_calls_per_day (0 is no limit), or wait until midnight",
			sentinel.ErrRefused, calls, l.opts.PerDay)
	}
	if err == nil {
		err = l.counter.Count(day)
	}
	if err != nil {
		return fmt.Errorf("backend: %w: paid calls cannot be counted, so budget.paid_calls_per_day cannot be kept: %w", sentinel.ErrRefused, err)
	}
	return nil
}
