package backend_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// store is a Store in memory.
type store struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (s *store) Get(key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	return v, ok
}

func (s *store) Put(key string, value []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string][]byte{}
	}
	s.values[key] = value
}

func (s *store) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.values)
}

// counting counts the calls of b.
func counting(b sentinel.BackendFunc) (counted sentinel.Backend, calls *atomic.Int32) {
	calls = new(atomic.Int32)
	return sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
		calls.Add(1)
		return b(ctx, req)
	}), calls
}

// answers gives every request the same response.
func answers(resp sentinel.Response, err error) sentinel.BackendFunc {
	return func(context.Context, sentinel.Request) (sentinel.Response, error) { return resp, err }
}

// The kit's own case about caches is about backends, which keep none; so the
// store forgets at once.
func TestCachedContract(t *testing.T) {
	t.Parallel()
	answer := sentineltest.Violation(0.9, "it is one")
	answer.Always = true
	sentineltest.RunBackend(t, func(*testing.T) sentinel.Backend {
		return backend.Cached(sentineltest.NewBackend(answer), nil, "fake")
	})
}

func TestCached(t *testing.T) {
	t.Parallel()
	p := 0.8
	full := sentinel.Response{
		Text: "yes, \xff and all", Backend: "b", Model: "m", PTrue: &p,
		PromptTokens: 200, OutputTokens: 30, Waited: time.Second, Took: time.Minute,
	}
	b, calls := counting(answers(full, nil))
	s := &store{}
	c := backend.Cached(b, s, "f")
	resp, err := c.Complete(t.Context(), sentinel.Request{Prompt: "p"})
	require.NoError(t, err)
	require.Equal(t, full, resp)
	for _, c := range []sentinel.Backend{c, backend.Cached(b, s, "f")} {
		resp, err = c.Complete(t.Context(), sentinel.Request{Prompt: "p"})
		require.NoError(t, err)
		require.Equal(t, sentinel.Response{Text: full.Text, Backend: "b", Model: "m", PTrue: &p, Cached: true}, resp,
			"nobody worked and nobody is billed")
	}
	require.EqualValues(t, 1, calls.Load())
}

func TestCachedKey(t *testing.T) {
	t.Parallel()
	one, two := int64(1), int64(2)
	base := sentinel.Request{
		System: "s", Prompt: "p", Schema: json.RawMessage(`{}`), Model: "m", MaxTokens: 300, Temperature: 0.1,
		Seed: &one, Images: []sentinel.Image{{MIME: "image/png", Data: []byte("data")}},
	}
	with := func(change func(*sentinel.Request)) sentinel.Request {
		r := base
		change(&r)
		return r
	}
	s := &store{}
	b, calls := counting(answers(sentinel.Response{Text: "yes"}, nil))
	ask := func(name, fingerprint string, req sentinel.Request, fresh bool) {
		t.Helper()
		before := calls.Load()
		_, err := backend.Cached(b, s, fingerprint).Complete(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, fresh, calls.Load() > before, name)
	}
	ask("the first", "f", base, true)
	for name, req := range map[string]sentinel.Request{
		"system":      with(func(r *sentinel.Request) { r.System = "t" }),
		"prompt":      with(func(r *sentinel.Request) { r.Prompt = "q" }),
		"boundary":    with(func(r *sentinel.Request) { r.System, r.Prompt = "sp", "" }),
		"schema":      with(func(r *sentinel.Request) { r.Schema = nil }),
		"model":       with(func(r *sentinel.Request) { r.Model = "" }),
		"max tokens":  with(func(r *sentinel.Request) { r.MaxTokens = 301 }),
		"temperature": with(func(r *sentinel.Request) { r.Temperature = 0 }),
		"seed":        with(func(r *sentinel.Request) { r.Seed = &two }),
		"no seed":     with(func(r *sentinel.Request) { r.Seed = nil }),
		"think":       with(func(r *sentinel.Request) { r.Think = true }),
		"logprobs":    with(func(r *sentinel.Request) { r.Logprobs = true }),
		"image":       with(func(r *sentinel.Request) { r.Images = []sentinel.Image{{MIME: "image/png", Data: []byte("atad")}} }),
		"image type":  with(func(r *sentinel.Request) { r.Images = []sentinel.Image{{MIME: "image/gif", Data: []byte("data")}} }),
		"no image":    with(func(r *sentinel.Request) { r.Images = nil }),
	} {
		ask(name, "f", req, true)
		ask(name+", again", "f", req, false)
	}
	ask("another backend", "g", base, true)
	again := one
	for name, req := range map[string]sentinel.Request{
		"same":     base,
		"seed":     with(func(r *sentinel.Request) { r.Seed = &again }),
		"timeout":  with(func(r *sentinel.Request) { r.Timeout = time.Second }),
		"priority": with(func(r *sentinel.Request) { r.Priority = sentinel.PriorityScribe }),
		"action":   with(func(r *sentinel.Request) { r.Action = &sentinel.Action{Target: "x"} }),
	} {
		ask(name, "f", req, false)
	}
}

// byAction is a backend that looks at the action.
type byAction struct{ sentinel.Backend }

func (byAction) CacheKey(req sentinel.Request) []byte { return []byte(req.Action.Target) }

func TestCachedKeyer(t *testing.T) {
	t.Parallel()
	b, calls := counting(answers(sentinel.Response{Text: "yes"}, nil))
	c := backend.Cached(backend.Timed(byAction{b}), &store{}, "f")
	for _, target := range []string{"a", "b", "a", "b"} {
		_, err := c.Complete(t.Context(), sentinel.Request{Action: &sentinel.Action{Target: target}})
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, calls.Load())
}

// Only what the request accepts is kept, and accepted again when it is taken out.
func TestCachedKeepsWhatIsValid(t *testing.T) {
	t.Parallel()
	notYes := errors.New("not yes")
	valid := func(text string) error {
		if text != "yes" {
			return notYes
		}
		return nil
	}
	for name, c := range map[string]struct {
		resp  sentinel.Response
		err   error
		valid func(string) error
		kept  bool
	}{
		"valid":                 {sentinel.Response{Text: "yes"}, nil, valid, true},
		"not valid":             {sentinel.Response{Text: "maybe"}, nil, valid, false},
		"nobody asks":           {sentinel.Response{Text: "maybe"}, nil, nil, true},
		"empty":                 {sentinel.Response{}, nil, nil, false},
		"an error":              {sentinel.Response{Text: "yes"}, sentinel.ErrUnavailable, valid, false},
		"kept by somebody else": {sentinel.Response{Text: "yes", Cached: true}, nil, valid, false},
	} {
		s := &store{}
		b, calls := counting(answers(c.resp, c.err))
		for range 2 {
			resp, err := backend.Cached(b, s, "f").Complete(t.Context(), sentinel.Request{Valid: c.valid})
			require.Equal(t, c.err, err, name)
			require.Equal(t, c.resp.Text, resp.Text, name)
		}
		require.Equal(t, c.kept, s.len() == 1, name)
		require.Equal(t, c.kept, calls.Load() == 1, name)
	}

	s := &store{}
	b, calls := counting(answers(sentinel.Response{Text: "maybe"}, nil))
	c := backend.Cached(b, s, "f")
	for _, v := range []func(string) error{nil, valid, valid} {
		_, err := c.Complete(t.Context(), sentinel.Request{Valid: v})
		require.NoError(t, err)
	}
	require.EqualValues(t, 3, calls.Load(), "what was kept is not valid any more")
}

// A store may hold anything.
func TestCachedDamage(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x03yes", "\x03yes\x00\x00\x01", "\x03yes\x00\x00\x00more"} {
		s := &store{}
		b, calls := counting(answers(sentinel.Response{Text: "no"}, nil))
		c := backend.Cached(b, s, "f")
		_, err := c.Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err)
		for key := range s.values {
			s.values[key] = []byte(value)
		}
		resp, err := c.Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err)
		require.Equal(t, "no", resp.Text, "%q", value)
		require.EqualValues(t, 2, calls.Load(), "%q", value)
	}
}

// Equal requests at once are one call, and one caller has the bill.
func TestCachedAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, calls := counting(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
			resp, err := slow(ctx, taking(5))
			resp.PromptTokens, resp.OutputTokens, resp.Took = 200, 30, 5*time.Second
			return resp, err
		})
		for name, s := range map[string]backend.Store{"with a store": &store{}, "without": nil} {
			calls.Store(0)
			c := backend.Cached(b, s, "f")
			var tokens, cached atomic.Int32
			var wait sync.WaitGroup
			for i := range 50 {
				wait.Go(func() {
					time.Sleep(time.Duration(i%5) * time.Second)
					resp, err := c.Complete(t.Context(), sentinel.Request{Prompt: "p"})
					require.NoError(t, err)
					require.Equal(t, "yes", resp.Text)
					tokens.Add(int32(resp.PromptTokens + resp.OutputTokens))
					if resp.Cached {
						cached.Add(1)
						require.Equal(t, time.Duration(5-i%5)*time.Second, resp.Waited)
						require.Zero(t, resp.Took)
					}
				})
			}
			wait.Wait()
			require.EqualValues(t, 1, calls.Load(), name)
			require.EqualValues(t, 230, tokens.Load(), name)
			require.EqualValues(t, 49, cached.Load(), name)
		}
	})
}

// Each caller keeps its own time and priority.
func TestCachedAsksApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, calls := counting(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) { return slow(ctx, taking(5)) })
		c := backend.Cached(b, nil, "f")
		var wait sync.WaitGroup
		for _, req := range []sentinel.Request{
			{Timeout: time.Second}, {Timeout: time.Minute}, {Timeout: time.Minute, Priority: sentinel.PriorityScribe},
		} {
			wait.Go(func() { c.Complete(t.Context(), req) })
		}
		wait.Wait()
		require.EqualValues(t, 3, calls.Load())
	})
}

func TestCachedCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		b, calls := counting(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
			ended = false
			defer func() { ended = true }()
			return slow(ctx, taking(10))
		})
		s := &store{}
		c := backend.Cached(b, s, "f")
		ask := func(give time.Duration, check func(sentinel.Response, error)) func() {
			return func() {
				ctx, cancel := context.WithTimeout(t.Context(), give)
				defer cancel()
				start := time.Now()
				resp, err := c.Complete(ctx, sentinel.Request{})
				require.LessOrEqual(t, time.Since(start), give)
				check(resp, err)
			}
		}
		tooLate := func(_ sentinel.Response, err error) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, err, sentinel.ErrUnavailable)
		}
		var wait sync.WaitGroup

		// The first goes; the others have the answer all the same.
		wait.Go(ask(2*time.Second, tooLate))
		synctest.Wait()
		wait.Go(ask(time.Minute, func(resp sentinel.Response, err error) {
			require.NoError(t, err)
			require.True(t, resp.Cached)
		}))
		wait.Go(ask(3*time.Second, tooLate))
		wait.Wait()
		require.EqualValues(t, 1, calls.Load())
		require.Equal(t, 1, s.len())

		// All go: the call ends, its own error is told, and nothing is kept.
		s.values = nil
		wait.Go(ask(2*time.Second, tooLate))
		synctest.Wait()
		wait.Go(ask(3*time.Second, func(resp sentinel.Response, err error) {
			tooLate(resp, err)
			require.True(t, ended, "what was started has ended")
			require.EqualError(t, err, "slow: complete: unavailable: no answer before the caller gave up: context deadline exceeded")
		}))
		wait.Wait()
		require.EqualValues(t, 2, calls.Load())
		require.Zero(t, s.len())

		// A later caller starts again.
		wait.Go(ask(time.Minute, func(_ sentinel.Response, err error) { require.NoError(t, err) }))
		wait.Wait()
		require.EqualValues(t, 3, calls.Load())
	})
}

// One who comes while a call that everybody has left is still ending gets a call
// of their own.
func TestCachedAfterTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, calls := counting(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
			resp, err := slow(ctx, taking(10))
			if err != nil {
				time.Sleep(time.Second) // it takes its time to end
			}
			return resp, err
		})
		c := backend.Cached(b, nil, "f")
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := c.Complete(ctx, sentinel.Request{})
			left <- err
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		_, err := c.Complete(t.Context(), sentinel.Request{})
		require.NoError(t, err)
		require.ErrorIs(t, <-left, context.Canceled)
		require.EqualValues(t, 2, calls.Load())
	})
}

func TestCachedCancelledBefore(t *testing.T) {
	t.Parallel()
	b, calls := counting(answers(sentinel.Response{Text: "yes"}, nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := backend.Cached(b, nil, "f").Complete(ctx, sentinel.Request{})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, calls.Load())
}

// Each caller gets the error, and it is not kept.
func TestCachedErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &sentinel.BackendError{Backend: "b", Op: "complete", Err: sentinel.ErrMalformed}
		b, calls := counting(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			time.Sleep(time.Second)
			return sentinel.Response{OutputTokens: 7}, broken
		})
		c := backend.Cached(b, &store{}, "f")
		for range 2 {
			var wait sync.WaitGroup
			for range 3 {
				wait.Go(func() {
					_, err := c.Complete(t.Context(), sentinel.Request{})
					require.Equal(t, broken, err)
				})
			}
			wait.Wait()
		}
		require.EqualValues(t, 2, calls.Load())
	})
}

// A panic comes out where the caller expects it, for all who wait.
func TestCachedPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := backend.Cached(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			time.Sleep(time.Second)
			panic("broken")
		}), &store{}, "f")
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				require.PanicsWithValue(t, "broken", func() { c.Complete(t.Context(), sentinel.Request{}) })
			})
		}
		wait.Wait()
	})
}

func TestCachedManyAtOnce(t *testing.T) {
	t.Parallel()
	b, calls := counting(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{Text: "to " + req.Prompt}, nil
	})
	c := backend.Cached(b, &store{}, "f")
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			for i := range 50 {
				ctx, cancel := context.WithCancel(context.Background())
				if i%3 == 0 {
					go cancel()
				}
				prompt := fmt.Sprint(i)
				resp, err := c.Complete(ctx, sentinel.Request{Prompt: prompt})
				cancel()
				switch {
				case err == nil && resp.Text != "to "+prompt:
					t.Errorf("%s got %q", prompt, resp.Text)
				case err != nil && !errors.Is(err, context.Canceled):
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	calls.Store(0)
	for i := range 50 {
		if i%3 == 0 {
			continue // may have been cancelled each time
		}
		_, err := c.Complete(t.Context(), sentinel.Request{Prompt: fmt.Sprint(i)})
		require.NoError(t, err)
	}
	require.Zero(t, calls.Load(), "all of them are kept")
}
