package telemetry_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "down", "a.log")
	log := telemetry.Open(path, &telemetry.Options{Within: dir, MaxMB: 3})
	require.NoError(t, log.Check())
	require.NoDirExists(t, filepath.Join(dir, "deep"), "nothing is made")
	require.EqualValues(t, 3_000_000, log.MaxBytes())

	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("x\n"), 0o600))
	require.NoError(t, log.Check())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "x\n", string(text), "nothing is written")
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	require.ErrorContains(t, log.Check(), "is a folder")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "deep")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deep"), nil, 0o600))
	require.ErrorContains(t, log.Check(), "the log's folder")

	require.NoError(t, os.Remove(filepath.Join(dir, "deep")))
	if os.Symlink(t.TempDir(), filepath.Join(dir, "deep")) == nil {
		require.ErrorContains(t, log.Check(), "lies outside")
	}
}
