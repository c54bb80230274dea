package profile_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/profile"
)

// TestCacheKey: a kept answer belongs to all that the profiles say, and to the forced one.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	next := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{}, nil
	})
	key := func(text, forced string) string {
		p, err := profile.Parse("p.yaml", []byte(text))
		require.NoError(t, err)
		return string(profile.Wrap(next, profile.Options{Profiles: profile.Set{p}, Forced: forced}).CacheKey(sentinel.Request{}))
	}
	const text = "name: p\nmatch: [x]\nschema: none\n"
	seen := map[string]bool{}
	for _, k := range []string{key(text, ""), key(text, "p"), key(text+"think: low\n", ""), key(text+"max_tokens: 9\n", "")} {
		require.False(t, seen[k])
		seen[k] = true
	}
	require.True(t, seen[key(text, "")])
}
