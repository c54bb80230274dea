package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/filelock"
)

func TestTry(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if err := filelock.Try(first); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("there are no locks here")
	} else {
		require.NoError(t, err)
	}
	require.ErrorIs(t, filelock.Try(second), filelock.ErrHeld)
	require.NoError(t, first.Close())
	require.NoError(t, filelock.Try(second), "closing the file gives the lock back")
}
