package place_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/internal/place"
)

// TestRoot: the nearest folder with rules, or that git takes for a repository.
func TestRoot(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a/b/x", "")
	below := filepath.Join(r.Dir, "a", "b")
	require.Equal(t, r.Dir, place.Root(below))
	r.Write("a/b/.git/HEAD", "ref: refs/heads/main\n")
	require.Equal(t, r.Dir, place.Root(below), "a folder that only looks like a repository")
	r.Write("a/.claude/sentinel/config.yaml", "")
	require.Equal(t, filepath.Join(r.Dir, "a"), place.Root(below))
	for _, dir := range []string{"objects", "refs"} {
		require.NoError(t, os.Mkdir(filepath.Join(below, ".git", dir), 0o755))
	}
	require.Equal(t, below, place.Root(below))
}
