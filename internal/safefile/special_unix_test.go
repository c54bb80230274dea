//go:build unix

package safefile_test

import (
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func fifo(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) }

// socket makes a socket in the working folder of another name: a path of a socket
// may be short only.
func socket(t *testing.T, path string) {
	dir, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", dir+"/s")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	require.NoError(t, os.Rename(dir+"/s", path))
}
