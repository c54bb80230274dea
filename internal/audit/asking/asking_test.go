package asking_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit/asking"
)

// said is what a backend says at one try.
type said struct {
	text string
	err  error
}

// speaker says one thing after the other and keeps the seeds it was asked with.
type speaker struct {
	says  []said
	seeds []int64
}

func (s *speaker) Complete(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	this := s.says[len(s.seeds)]
	s.seeds = append(s.seeds, *req.Seed)
	if this.text == "panic" {
		panic("boom")
	}
	return sentinel.Response{Text: this.text, Model: "served", PromptTokens: 10, OutputTokens: 2}, this.err
}

func TestAsk(t *testing.T) {
	t.Parallel()
	busy := &sentinel.BackendError{Backend: "b", Op: "complete", Err: sentinel.ErrUnavailable}
	after := func(d time.Duration) said {
		return said{err: &sentinel.BackendError{Backend: "b", Op: "complete", RetryAfter: d, Err: sentinel.ErrUnavailable}}
	}
	for name, tt := range map[string]struct {
		says  []said
		waits []time.Duration
		tries int
		want  int // 0 is an error
		is    error
	}{
		"at once":                         {says: []said{{text: "7"}}, tries: 1, want: 7},
		"malformed twice, without a wait": {says: []said{{text: "x"}, {text: "y"}, {text: "3"}}, tries: 3, want: 3},
		"malformed to the end":            {says: []said{{text: "x"}, {text: "y"}, {text: "z"}}, tries: 3, is: sentinel.ErrMalformed},
		"failed twice":                    {says: []said{{err: busy}, {err: busy}, {text: "3"}}, waits: []time.Duration{2 * time.Second, 4 * time.Second}, tries: 3, want: 3},
		"failed to the end":               {says: []said{{err: busy}, {err: busy}, {err: busy}}, waits: []time.Duration{2 * time.Second, 4 * time.Second}, tries: 3, is: sentinel.ErrUnavailable},
		"the server names its time":       {says: []said{after(time.Minute), after(time.Second), {text: "3"}}, waits: []time.Duration{time.Minute, 4 * time.Second}, tries: 3, want: 3},
		"and names too long a time":       {says: []said{after(3 * time.Minute)}, tries: 1, is: sentinel.ErrUnavailable},
		"refused":                         {says: []said{{err: sentinel.ErrRefused}}, tries: 1, is: sentinel.ErrRefused},
		"cannot do it":                    {says: []said{{err: errors.ErrUnsupported}}, tries: 1, is: errors.ErrUnsupported},
		"panics":                          {says: []said{{text: "panic"}}, tries: 1, is: asking.ErrPanic},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, seed := &speaker{says: tt.says}, int64(40)
			var waits []time.Duration
			got, asked, err := asking.Ask(t.Context(), s, sentinel.Request{Model: "m", Seed: &seed}, strconv.Atoi,
				func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil })
			require.Equal(t, tt.want, got)
			require.ErrorIs(t, err, tt.is)
			require.Equal(t, tt.waits, waits)
			require.Equal(t, []int64{40, 41, 42}[:tt.tries], s.seeds)
			require.EqualValues(t, 40, seed, "the caller's seed stays as it is")
			require.Equal(t, tt.tries, asked.Tries)
			if tt.is != asking.ErrPanic {
				require.Equal(t, "served", asked.Model)
				require.Equal(t, 10*tt.tries, asked.PromptTokens)
				require.Equal(t, 2*tt.tries, asked.OutputTokens)
			} else {
				require.Equal(t, "m", asked.Model)
				require.ErrorContains(t, err, "boom")
			}
		})
	}
}

// Wrappers of a backend judge an answer by what the caller can read.
func TestAnswersAreValidByTheirParser(t *testing.T) {
	t.Parallel()
	seed := int64(1)
	b := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		require.NoError(t, req.Valid("5"))
		require.ErrorIs(t, req.Valid("five"), sentinel.ErrMalformed)
		return sentinel.Response{Text: "5"}, nil
	})
	got, _, err := asking.Ask(t.Context(), b, sentinel.Request{Seed: &seed}, strconv.Atoi, nil)
	require.NoError(t, err)
	require.Equal(t, 5, got)
}

// The clock is not waited for once the context has ended.
func TestTheEndOfTheContext(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	over, seed := errors.New("over"), int64(1)
	s := &speaker{says: []said{{err: sentinel.ErrUnavailable}, {text: "1"}}}
	b := sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
		defer time.AfterFunc(time.Millisecond, func() { stop(over) }) // most likely while it waits
		return s.Complete(ctx, req)
	})
	_, asked, err := asking.Ask(ctx, b, sentinel.Request{Seed: &seed}, strconv.Atoi, nil)
	require.True(t, errors.Is(err, over) || errors.Is(err, sentinel.ErrUnavailable), err) // cut off in the wait, or just before
	require.Equal(t, 1, asked.Tries)
}
