package project

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// withEnd does what context.WithDeadline does, whether or not somebody waits for it.
func TestWithEnd(t *testing.T) {
	t.Parallel()
	type key struct{}
	long, past := time.Now().Add(time.Hour), time.Now().Add(-time.Second)
	ended, end := context.WithCancel(context.WithValue(context.Background(), key{}, 7))
	end()
	for name, tc := range map[string]struct {
		parent context.Context
		ends   time.Time
		cancel bool
		want   error
	}{
		"open":      {context.Background(), long, false, nil},
		"over":      {context.Background(), past, false, context.DeadlineExceeded},
		"cancelled": {context.Background(), long, true, context.Canceled},
		"parent":    {ended, long, false, context.Canceled},
	} {
		for _, waited := range []bool{false, true} {
			ctx, cancel := withEnd(tc.parent, tc.ends)
			defer cancel()
			if waited {
				ctx.Done()
			}
			if tc.cancel {
				cancel()
			}
			require.Equal(t, tc.want, ctx.Err(), name)
			child, stop := context.WithCancel(ctx)
			defer stop()
			require.Equal(t, tc.want, child.Err(), name)
			if tc.want != nil {
				<-ctx.Done()
				require.Equal(t, tc.want, ctx.Err(), name)
			}
			require.Equal(t, tc.parent.Value(key{}), ctx.Value(key{}), name)
		}
	}
	first, cancel := withEnd(context.Background(), past)
	defer cancel()
	second, cancel := withEnd(first, long)
	defer cancel()
	at, ok := second.Deadline()
	require.True(t, ok)
	require.Equal(t, past, at, "the earlier end counts")
	child, stop := context.WithCancel(ended)
	defer stop()
	open, cancelOpen := withEnd(context.Background(), long)
	waits, stop := context.WithCancel(open)
	defer stop()
	cancelOpen()
	<-waits.Done()
	<-child.Done()
}
