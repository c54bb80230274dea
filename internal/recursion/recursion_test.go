package recursion_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/recursion"
)

func TestGuarded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	variable, leave, err := recursion.Enter(dir)
	require.NoError(t, err)
	token, ok := strings.CutPrefix(variable, recursion.Variable+"=")
	require.True(t, ok)
	require.True(t, recursion.Guarded(dir, token))

	require.False(t, recursion.Guarded(t.TempDir(), token), "the token of another user")
	require.False(t, recursion.Guarded("", token))
	leave()
	leave()
	require.False(t, recursion.Guarded(dir, token), "the call is over")
}

// What a repository can set without knowing a token.
func TestUnknownTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, leave, err := recursion.Enter(dir)
	require.NoError(t, err)
	defer leave()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "planted"), nil, 0o600))
	for _, value := range []string{
		"", "1", "true", ".", "..", "../planted", "/dev/null", "planted",
		strings.Repeat("0", 32), strings.Repeat("0", 30), strings.Repeat("z", 32), strings.Repeat("0", 1<<16),
	} {
		require.False(t, recursion.Guarded(dir, value), "%.40q", value)
	}
}

func TestTokensAreForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a mode does not say there who may write; internal/safefile tests access lists")
	}
	dir := t.TempDir()
	variable, leave, err := recursion.Enter(dir)
	require.NoError(t, err)
	defer leave()
	token := strings.TrimPrefix(variable, recursion.Variable+"=")
	path := filepath.Join(dir, "judging", token)
	require.NoError(t, os.Chmod(path, 0o666))
	require.False(t, recursion.Guarded(dir, token), "anybody could have written it")
}

// A process that was killed leaves its token, which then counts for nothing.
func TestOldTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	variable, _, err := recursion.Enter(dir)
	require.NoError(t, err)
	token := strings.TrimPrefix(variable, recursion.Variable+"=")
	path := filepath.Join(dir, "judging", token)
	for _, age := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, at, at))
		require.False(t, recursion.Guarded(dir, token), "%v old", age)
	}
	_, leave, err := recursion.Enter(dir)
	require.NoError(t, err)
	defer leave()
	require.NoFileExists(t, path)
	entries, err := os.ReadDir(filepath.Join(dir, "judging"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, leave, err := recursion.Enter(file)
	require.ErrorContains(t, err, "recursion: ")
	leave()
	require.False(t, recursion.Guarded(file, strings.Repeat("0", 32)))
}
