package failure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
)

type busy struct{}

func (busy) Error() string             { return "busy" }
func (busy) RetryAfter() time.Duration { return 30 * time.Second }

func TestOf(t *testing.T) {
	t.Parallel()
	require.NoError(t, failure.Of(t.Context(), "b", "ping", nil))

	err := failure.Of(t.Context(), "b", "ping", fmt.Errorf("%w: %w", sentinel.ErrBusy, busy{}))
	var be *sentinel.BackendError
	require.ErrorAs(t, err, &be)
	require.Equal(t, "b", be.Backend)
	require.Equal(t, "ping", be.Op)
	require.Equal(t, 30*time.Second, be.RetryAfter)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = failure.Of(ctx, "b", "complete", errors.New("broken pipe"))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.NotContains(t, err.Error(), "broken pipe")

	err = failure.Of(ctx, "b", "complete", sentinel.ErrMalformed)
	require.ErrorIs(t, err, sentinel.ErrMalformed, "there was an answer before ctx ended")
}

func TestBroke(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		&url.Error{Op: "Post", URL: "http://localhost", Err: io.EOF}:                               true,
		fmt.Errorf("after 3 bytes: %w", io.ErrUnexpectedEOF):                                       true,
		&net.OpError{Op: "read", Net: "tcp", Err: errors.New("reset by peer")}:                     true,
		fmt.Errorf("x: %w", &net.OpError{Op: "write", Net: "tcp", Err: errors.New("broken pipe")}): true,
		&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}:                           false,
		context.DeadlineExceeded: false,
	} {
		require.Equal(t, want, failure.Broke(err), "%v", err)
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"a\x1b[2J\u202e\n"`, failure.Excerpt("a\x1b[2J\u202e\n"))
	require.Equal(t, `"`+strings.Repeat("ü", 200)+`…"`, failure.Excerpt(strings.Repeat("ü", 201)))
	require.Equal(t, `"`+strings.Repeat("ü", 200)+`"`, failure.Excerpt(strings.Repeat("ü", 200)))
	require.Equal(t, `"\xff"`, failure.Excerpt("\xff"))
}
