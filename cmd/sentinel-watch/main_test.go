package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExitStatus(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log.jsonl")
	require.NoError(t, os.WriteFile(log, []byte("no record\n"), 0o600))
	require.Equal(t, 0, run([]string{"--no-follow", "--", log}))
	require.Equal(t, 0, run([]string{"--no-follow", log + ".missing"}), "a log may come later")
	require.Equal(t, 0, run([]string{"--help"}))
	require.Equal(t, 1, run(nil))
	require.Equal(t, 1, run([]string{"--nosuch"}))
}
