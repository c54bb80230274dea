package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIsGone: a file that is not there was not read, wherever it would be.
func TestIsGone(t *testing.T) {
	t.Parallel()
	root, other := t.TempDir(), t.TempDir()
	for _, dir := range []string{root, other} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	}
	for name, want := range map[string]bool{
		"a": false, "b": true, "a/b": true, "c/b": true, "~/none": false,
		filepath.ToSlash(filepath.Join(other, "a")): false, filepath.ToSlash(filepath.Join(other, "b")): true,
	} {
		require.Equal(t, want, isGone(root, name), name)
	}
}
