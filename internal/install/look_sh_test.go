package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wordsBySh returns the words that the system's shell makes of a line: those of
// its first word's folders are named by a function that prints them.
func wordsBySh(t *testing.T, dir, line string) []string {
	t.Helper()
	file := filepath.Join(dir, "out")
	// A function's name has no slash, so the words are set as parameters instead.
	script := "set -- " + line + "\nfor w in \"$@\"; do printf '%s\\0' \"$w\"; done >" + file
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = dir
	require.NoError(t, cmd.Run())
	out, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
