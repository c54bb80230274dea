// Package programtest writes programs that tests then run, trees of files, and links.
package programtest

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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

// SkipOnWine skips what Wine does otherwise than Windows; why says what that is.
func SkipOnWine(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("SENTINEL_WINE") != "" {
		t.Skip("on Wine: " + why)
	}
}

var drivePath = regexp.MustCompile(`[A-Za-z]:\\[^\s'"]*`)

// Line writes a line for a POSIX shell, or JSON: the paths in it get slashes on Windows.
func Line(line string) string {
	if runtime.GOOS != "windows" {
		return line
	}
	return drivePath.ReplaceAllStringFunc(line, filepath.ToSlash)
}

// privilegeNotHeld is what Windows says to a user who may make no symbolic links.
const privilegeNotHeld = syscall.Errno(1314)

// Link makes a symbolic link. The test is skipped where the user may make none.
func Link(t testing.TB, target, path string) {
	t.Helper()
	err := os.Symlink(target, path)
	if runtime.GOOS == "windows" && errors.Is(err, privilegeNotHeld) {
		t.Skip("Windows lets this user make no symbolic links")
	}
	require.NoError(t, err)
}

// Tree writes files below a folder, by their paths with slashes.
func Tree(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
}
