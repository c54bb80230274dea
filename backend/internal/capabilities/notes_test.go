package capabilities_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/backend/internal/capabilities"
	"github.com/agentsentinel/sentinel/internal/state"
)

// TestLearn: that a server did not tell is kept too, with what it told, but not for a week.
func TestLearn(t *testing.T) {
	t.Parallel()
	gone, end := context.WithCancel(t.Context())
	end()
	hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, c := range map[string]struct {
		ctx  context.Context
		ask  func(context.Context) error
		kept time.Duration
		says string
	}{
		"it tells":           {t.Context(), func(context.Context) error { return nil }, capabilities.Expiry, ""},
		"it refuses":         {t.Context(), func(context.Context) error { return errors.New("403") }, capabilities.Retry, "403"},
		"it hangs":           {t.Context(), hangs, capabilities.Retry, "did not tell within"},
		"the caller gave up": {gone, hangs, 0, "canceled"},
		"no server is there": {t.Context(), func(context.Context) error { return &net.OpError{Op: "dial", Err: errors.New("refused")} }, 0, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, asked := time.Date(2026, 3, 30, 14, 0, 0, 0, time.UTC), 0
			store := state.NewValues(t.TempDir())
			learn := func(n *capabilities.Notes) {
				ctx, cancel := context.WithTimeout(c.ctx, 10*time.Second)
				defer cancel()
				text, err := n.Learn(ctx, "m", func(ctx context.Context) (string, error) {
					if asked++; asked > 1 {
						return "a part", nil
					}
					return "a part", c.ask(ctx)
				})
				require.Equal(t, "a part", text)
				if c.says != "" && asked == 1 {
					require.ErrorContains(t, err, c.says)
				}
			}
			notes := func() *capabilities.Notes {
				return capabilities.NewNotes("a", store, func() time.Time { return now })
			}
			n := notes()
			learn(n)
			_, _, known := n.Known("m")
			require.Equal(t, c.says == "", known)
			if c.kept > 0 {
				now = now.Add(c.kept - 1)
				learn(n)
				learn(notes())
				require.Equal(t, 1, asked, "this process and another one know it")
				now = now.Add(1)
			}
			learn(notes())
			require.Equal(t, 2, asked)
		})
	}
}
