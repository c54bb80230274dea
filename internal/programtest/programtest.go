// Package programtest writes programs that tests then run.
package programtest

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Write makes an executable file. Nothing is started meanwhile: a child that
// another test starts just then would have the file open for writing until it has
// become its own program, and until then the file cannot be run ("text file busy",
// https://go.dev/issue/22315).
func Write(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}
