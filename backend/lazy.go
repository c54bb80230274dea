package backend

import (
	"context"
	"fmt"
	"sync"

	"github.com/agentsentinel/sentinel"
)

// Lazy returns a backend that calls build at its first use, once. A backend
// that no rule asks then costs nothing, and one that may not be built (not
// trusted, wrongly configured) harms only the rules that ask it: the error of
// build is what every call returns, unchanged.
//
// [sentinel.As] on it is a use.
func Lazy(build func() (sentinel.Backend, error)) sentinel.Backend {
	return &lazy{build: sync.OnceValues(build)}
}

type lazy struct {
	build func() (sentinel.Backend, error)
}

func (l *lazy) get() (sentinel.Backend, error) {
	b, err := l.build()
	if err == nil && b == nil {
		err = fmt.Errorf("backend: %w: nothing was built", sentinel.ErrUnavailable)
	}
	return b, err
}

// Complete asks the backend, which is built first if need be.
func (l *lazy) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	b, err := l.get()
	if err != nil {
		return sentinel.Response{}, err
	}
	return b.Complete(ctx, req)
}

// Unwrap returns the backend, built if need be; nil if it could not be built.
func (l *lazy) Unwrap() sentinel.Backend {
	b, err := l.get()
	if err != nil {
		return nil
	}
	return b
}
