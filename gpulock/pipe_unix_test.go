//go:build unix

package gpulock_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func namedPipe(name string) func(*testing.T, string, string) {
	return func(t *testing.T, root, _ string) {
		name := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, unix.Mkfifo(name, 0o600))
	}
}
