package backend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
)

// TestPeek: Peek returns kept answers, and does not ask for others.
func TestPeek(t *testing.T) {
	t.Parallel()
	model, calls := counting(answers(sentinel.Response{Text: "yes"}, nil))
	b := backend.Lazy(func() (sentinel.Backend, error) { return backend.Cached(model, &store{}, "f"), nil })
	p, ok := sentinel.As[interface {
		Peek(sentinel.Request) (sentinel.Response, bool)
	}](b)
	require.True(t, ok)
	req := sentinel.Request{Prompt: "?"}
	_, kept := p.Peek(req)
	require.False(t, kept)
	require.Zero(t, calls.Load())

	_, err := b.Complete(t.Context(), req)
	require.NoError(t, err)
	resp, kept := p.Peek(req)
	require.True(t, kept)
	require.Equal(t, "yes", resp.Text)
	require.True(t, resp.Cached)
	_, kept = p.Peek(sentinel.Request{Prompt: "another"})
	require.False(t, kept)
	require.EqualValues(t, 1, calls.Load())
}
