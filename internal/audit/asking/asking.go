// Package asking puts one question to a model until there is an answer that can
// be used, or it is plain that there will be none.
package asking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
)

const (
	// MaxTries bounds how often one question is put.
	MaxTries = 3
	// maxWait bounds the wait that a server may ask for. After a longer one the
	// server is not asked again: an audit must not stop for an hour.
	maxWait = 2 * time.Minute
	// firstWait is how long a failed connection is left alone, doubled each time.
	firstWait = 2 * time.Second
)

// ErrPanic says that the backend panicked instead of answering.
var ErrPanic = errors.New("the backend panicked")

// A Wait waits for d. It returns early, with an error, when ctx ends. nil waits
// by the clock.
type Wait func(ctx context.Context, d time.Duration) error

// Asked counts the effort of a question, all tries together.
type Asked struct {
	Model        string // that answered last, as the server names it; else the one that was asked for
	Tries        int
	Took         time.Duration // without waiting for a slot, or before another try
	PromptTokens int
	OutputTokens int
}

// Ask asks a question up to [MaxTries] times and returns the first answer that
// parse accepts. After an answer that parse refuses ([sentinel.ErrMalformed]) it
// asks again at once. After a failure it waits first, for as long as the server
// wants. It does not ask again after a refusal, a panic of the backend, a question
// that the model cannot answer, and the end of ctx.
//
// The question stays the same, but the model's seed grows by one with each try, so
// that the answer can differ. req has a seed; Ask sets its Valid. The error wraps
// that of the last try.
func Ask[T any](ctx context.Context, b sentinel.Backend, req sentinel.Request, parse func(text string) (T, error), wait Wait) (answer T, asked Asked, err error) {
	asked.Model = req.Model
	strict := strictly(parse)
	req.Valid = func(text string) error { _, err := strict(text); return err }
	first := *req.Seed
	for asked.Tries < MaxTries {
		if err = pause(ctx, asked.Tries, err, wait); err != nil {
			break
		}
		seed := first + int64(asked.Tries)
		req.Seed = &seed
		var text string
		if text, err = asked.try(ctx, b, req); err == nil {
			answer, err = strict(text)
		}
		if err == nil || ctx.Err() != nil || !worthAnother(err) {
			break
		}
	}
	return answer, asked, err
}

// strictly names whatever parse refuses malformed.
func strictly[T any](parse func(string) (T, error)) func(string) (T, error) {
	return func(text string) (T, error) {
		answer, err := parse(text)
		if err != nil {
			var none T
			return none, fmt.Errorf("%w: %w", sentinel.ErrMalformed, err)
		}
		return answer, nil
	}
}

// try asks once.
func (a *Asked) try(ctx context.Context, b sentinel.Backend, req sentinel.Request) (string, error) {
	a.Tries++
	start := time.Now()
	resp, err := complete(ctx, b, req)
	a.Took += max(time.Since(start)-resp.Waited, 0)
	a.PromptTokens += resp.PromptTokens
	a.OutputTokens += resp.OutputTokens
	a.Model = cmp.Or(resp.Model, a.Model)
	return resp.Text, err
}

func complete(ctx context.Context, b sentinel.Backend, req sentinel.Request) (resp sentinel.Response, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, cause)
		}
	}()
	return b.Complete(ctx, req)
}

// worthAnother reports whether the same question may fare better a second time.
func worthAnother(err error) bool {
	return !errors.Is(err, ErrPanic) && !errors.Is(err, sentinel.ErrRefused) && !errors.Is(err, errors.ErrUnsupported)
}

// pause waits before a try, for as long as the server wants: not before the first
// try, and not after a malformed answer. An error means that it is not tried again.
func pause(ctx context.Context, tries int, failed error, wait Wait) error {
	if failed == nil || errors.Is(failed, sentinel.ErrMalformed) {
		return nil
	}
	d := firstWait << (tries - 1)
	var said *sentinel.BackendError
	if errors.As(failed, &said) {
		d = max(d, said.RetryAfter)
	}
	if d > maxWait {
		return fmt.Errorf("%w (it asks to be left alone for %s, which is too long)", failed, d)
	}
	if wait == nil {
		wait = byClock
	}
	return wait(ctx, d)
}

func byClock(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
