package sentineltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// good is a backend that fulfils the contract.
func good() *Backend { return NewBackend(alwaysViolation()) }

func alwaysViolation() Answer {
	a := Violation(0.9, "it is a force-push")
	a.Always = true
	return a
}

func TestRunBackendAcceptsTheFake(t *testing.T) {
	RunBackend(t, func(*testing.T) sentinel.Backend { return good() })
}

// Every backend here breaks one clause, and the kit must find that one and no
// other.
func TestRunBackendFindsTheBrokenClause(t *testing.T) {
	t.Parallel()
	const text = `{"violation":true,"confidence":0.9,"reason":"r"}`
	says := func(text string) sentinel.Response { return sentinel.Response{Text: text} }
	cancelled := []string{"2 cancelled before", "2 cancelled meanwhile", "2 deadline", "2 usable afterwards"}

	for name, c := range map[string]struct {
		build  func() sentinel.Backend
		broken []string
	}{
		"mixes up its callers": {func() sentinel.Backend {
			var last atomic.Int64
			return answering(func(req sentinel.Request) (sentinel.Response, error) {
				last.Store(*req.Seed)
				for range 100 {
					runtime.Gosched()
				}
				if last.Load() != *req.Seed {
					return sentinel.Response{}, fmt.Errorf("%w: not mine", sentinel.ErrUnavailable)
				}
				return says(text), nil
			})
		}, []string{"1 concurrent"}},
		"writes to the request": {func() sentinel.Backend {
			return wrapping(func(ctx context.Context, req sentinel.Request, next sentinel.Backend) (sentinel.Response, error) {
				req.Schema[0] = ' '
				return next.Complete(ctx, req)
			})
		}, []string{"1 request unchanged"}},
		"ignores ctx": {func() sentinel.Backend {
			return wrapping(func(ctx context.Context, req sentinel.Request, next sentinel.Backend) (sentinel.Response, error) {
				return next.Complete(context.WithoutCancel(ctx), req)
			})
		}, []string{"2 cancelled before", "2 deadline"}},
		"hangs when ctx has ended": {func() sentinel.Backend {
			never := make(chan struct{})
			return wrapping(func(ctx context.Context, req sentinel.Request, next sentinel.Backend) (sentinel.Response, error) {
				if ctx.Err() != nil {
					<-never
				}
				return next.Complete(ctx, req)
			})
		}, cancelled},
		"hides ctx.Err": {func() sentinel.Backend {
			return wrapping(func(ctx context.Context, req sentinel.Request, next sentinel.Backend) (sentinel.Response, error) {
				resp, err := next.Complete(ctx, req)
				if err != nil {
					err = fmt.Errorf("%w: %v", sentinel.ErrUnavailable, err)
				}
				return resp, err
			})
		}, []string{"2 cancelled before", "2 cancelled meanwhile", "2 deadline"}},
		"stuck after a cancelled call": {func() sentinel.Backend {
			var stuck atomic.Bool
			return wrapping(func(ctx context.Context, req sentinel.Request, next sentinel.Backend) (sentinel.Response, error) {
				if ctx.Err() != nil && *req.Seed == 0 {
					stuck.Store(true)
				} else if stuck.Load() && *req.Seed == usableSeed {
					return sentinel.Response{}, fmt.Errorf("%w: the slot is taken", sentinel.ErrUnavailable)
				}
				return next.Complete(ctx, req)
			})
		}, []string{"2 usable afterwards"}},
		"adds prose": {func() sentinel.Backend {
			return answering(func(sentinel.Request) (sentinel.Response, error) { return says("Sure: " + text), nil })
		}, []string{"3 whole answer"}},
		"ignores the schema": {func() sentinel.Backend {
			return answering(func(sentinel.Request) (sentinel.Response, error) { return says(`{"answer":"yes"}`), nil })
		}, []string{"4 schema"}},
		"fails on images": {func() sentinel.Backend {
			return answering(func(req sentinel.Request) (sentinel.Response, error) {
				if len(req.Images) > 0 {
					return sentinel.Response{}, fmt.Errorf("%w: bad request", sentinel.ErrUnavailable)
				}
				return says(text), nil
			})
		}, []string{"5 images"}},
		"passes on a cut answer": {func() sentinel.Backend {
			return answering(func(req sentinel.Request) (sentinel.Response, error) {
				if req.MaxTokens == 1 {
					return says(`{"viol`), nil
				}
				return says(text), nil
			})
		}, []string{"6 little room"}},
		"no answer is no error": {func() sentinel.Backend {
			return answering(func(req sentinel.Request) (sentinel.Response, error) {
				if req.Model != "" {
					return sentinel.Response{}, nil
				}
				return says(text), nil
			})
		}, []string{"6 unknown model"}},
		"an error of no kind": {func() sentinel.Backend {
			return answering(func(req sentinel.Request) (sentinel.Response, error) {
				if req.Model != "" {
					return sentinel.Response{}, errors.New("404")
				}
				return says(text), nil
			})
		}, []string{"6 unknown model"}},
		"caches": {func() sentinel.Backend {
			var asked atomic.Bool
			return answering(func(sentinel.Request) (sentinel.Response, error) {
				return sentinel.Response{Text: text, Cached: asked.Swap(true)}, nil
			})
		}, []string{"7 no cache"}},
		"counts below nothing": {func() sentinel.Backend {
			return answering(func(sentinel.Request) (sentinel.Response, error) {
				return sentinel.Response{Text: text, PromptTokens: -1}, nil
			})
		}, []string{"Response"}},
		"is surer than sure": {func() sentinel.Backend {
			return answering(func(req sentinel.Request) (sentinel.Response, error) {
				resp := says(text)
				if p := math.NaN(); req.Logprobs {
					resp.PTrue = &p
				}
				return resp, nil
			})
		}, []string{"Response"}},
		"panics": {func() sentinel.Backend {
			return answering(func(req sentinel.Request) (sentinel.Response, error) {
				if req.Model != "" {
					panic("no such model")
				}
				return says(text), nil
			})
		}, []string{"6 unknown model"}},
		"ping fails":        {func() sentinel.Backend { return optional{good(), errors.New("away"), errOfContext, nil} }, []string{"Pinger"}},
		"warm ignores ctx":  {func() sentinel.Backend { return optional{good(), errOfContext, nil, nil} }, []string{"Warmer"}},
		"close fails twice": {func() sentinel.Backend { return optional{good(), errOfContext, errOfContext, new(atomic.Bool)} }, []string{"io.Closer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ElementsMatch(t, c.broken, brokenClauses(t, c.build, c.broken))
		})
	}
}

// brokenClauses runs all cases and names those that find fault. Where chance
// decides (when a context ends, who meets whom) a case that is expected to fail
// is tried until it does.
func brokenClauses(t *testing.T, build func() sentinel.Backend, expected []string) (names []string) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, c := range backendCases() {
		tries := 1
		if slices.Contains(expected, c.name) {
			tries = 200
		}
		all.Go(func() {
			for range tries {
				if err := c.check(t.Context(), build()); err != nil {
					mu.Lock()
					defer mu.Unlock()
					names = append(names, c.name)
					return
				}
			}
		})
	}
	all.Wait()
	return names
}

type wrapping func(ctx context.Context, req sentinel.Request, next sentinel.Backend) (sentinel.Response, error)

func (w wrapping) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	return w(ctx, req, good())
}

// answering fulfils clause 2 and lets f break another.
type answering func(sentinel.Request) (sentinel.Response, error)

func (a answering) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if err := ctx.Err(); err != nil {
		return sentinel.Response{}, err
	}
	return a(req)
}

// errOfContext replaces the error of the context in [optional].
var errOfContext = errors.New("error of the context")

// optional implements every optional interface, with these results.
type optional struct {
	sentinel.Backend
	ping, warm error
	closed     *atomic.Bool
}

func (o optional) result(ctx context.Context, err error) error {
	if err == errOfContext {
		return ctx.Err()
	}
	return err
}

func (o optional) Ping(ctx context.Context, _ string) error { return o.result(ctx, o.ping) }
func (o optional) Warm(ctx context.Context, _ string) error { return o.result(ctx, o.warm) }
func (o optional) Close() error {
	if o.closed != nil && o.closed.Swap(true) {
		return errors.New("closed already")
	}
	return nil
}
