package backend_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// A local model has one slot; each call gets two seconds once it has the slot.
func ExampleLimited() {
	model := sentineltest.NewBackend(sentineltest.Clean(0.9))
	b := backend.Limited(backend.Timed(model), 1)

	resp, err := b.Complete(context.Background(), sentinel.Request{Prompt: "…", Timeout: 2 * time.Second})
	fmt.Println(resp.Text, err)
	// Output: {"violation":false,"confidence":0.9} <nil>
}

// The server never answers: the call ends when its own time is up.
func ExampleTimed() {
	never := make(chan struct{})
	b := backend.Timed(sentineltest.NewBackend(sentineltest.Answer{Wait: never}))

	_, err := b.Complete(context.Background(), sentinel.Request{Timeout: time.Millisecond})
	fmt.Println(err)
	fmt.Println(errors.Is(err, sentinel.ErrUnavailable), errors.Is(err, context.DeadlineExceeded))
	// Output:
	// fake: complete: unavailable: no answer within 1ms: context deadline exceeded
	// true true
}

// A backend that may not be used does no harm until it is asked.
func ExampleLazy() {
	b := backend.Lazy(func() (sentinel.Backend, error) {
		return nil, fmt.Errorf("%w: run `sentinel trust` to allow this server", sentinel.ErrRefused)
	})

	_, err := b.Complete(context.Background(), sentinel.Request{})
	fmt.Println(err)
	// Output: refused: run `sentinel trust` to allow this server
}
