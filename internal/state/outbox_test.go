package state_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

func TestOutboxGivesTextsOnceToTheirSession(t *testing.T) {
	t.Parallel()
	outbox := state.NewOutbox(filepath.Join(t.TempDir(), "kept"), 64<<10)
	take := func(session string) []string {
		texts, err := outbox.Take(session)
		require.NoError(t, err)
		return texts
	}
	require.Empty(t, take("a"))
	require.NoError(t, outbox.Add("a", nil))
	require.NoError(t, outbox.Add("a", []string{"one\nline", "two"}))
	require.NoError(t, outbox.Add("a", []string{"three"}))
	require.NoError(t, outbox.Add("../../b", []string{"other"}))
	require.Equal(t, []string{"one\nline", "two", "three"}, take("a"))
	require.Empty(t, take("a"))
	require.Equal(t, []string{"other"}, take("../../b"))
}

func TestATornLineOfAnOutboxLosesOnlyItself(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kept")
	outbox := state.NewOutbox(dir, 64<<10)
	require.NoError(t, outbox.Add("a", []string{"one"}))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("[\"to\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, outbox.Add("a", []string{"three"}))
	texts, err := outbox.Take("a")
	require.NoError(t, err)
	require.Equal(t, []string{"one", "three"}, texts)
}
