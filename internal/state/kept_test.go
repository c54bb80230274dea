package state_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

func TestKeptTextsAreGivenOnceToTheirSession(t *testing.T) {
	t.Parallel()
	kept := state.NewKept(filepath.Join(t.TempDir(), "kept"))
	take := func(session string) []string {
		texts, err := kept.Take(session)
		require.NoError(t, err)
		return texts
	}
	require.Empty(t, take("a"))
	require.NoError(t, kept.Add("a", nil))
	require.NoError(t, kept.Add("a", []string{"one\nline", "two"}))
	require.NoError(t, kept.Add("a", []string{"three"}))
	require.NoError(t, kept.Add("../../b", []string{"other"}))
	require.Equal(t, []string{"one\nline", "two", "three"}, take("a"))
	require.Empty(t, take("a"))
	require.Equal(t, []string{"other"}, take("../../b"))
}

func TestATornKeptLineLosesOnlyItself(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kept")
	kept := state.NewKept(dir)
	require.NoError(t, kept.Add("a", []string{"one"}))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("[\"to\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, kept.Add("a", []string{"three"}))
	texts, err := kept.Take("a")
	require.NoError(t, err)
	require.Equal(t, []string{"one", "three"}, texts)
}
