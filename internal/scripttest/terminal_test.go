//go:build !windows

package scripttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTerminal: a program reads what is typed, and all that it shows is seen, also what it shows last.
func TestTerminal(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(keys, []byte("yes\n"), 0o600))
	for range 20 {
		shown, err := runAtTerminal(keys, exec.Command("sh", "-c", `printf 'sure? ' >/dev/tty; read x; [ "$x" = yes ] || exit 3; seq 3000 >/dev/tty; exit 2`))
		exit := (*exec.ExitError)(nil)
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 2, exit.ExitCode())
		require.Contains(t, shown, "sure? ")
		require.True(t, strings.HasSuffix(strings.TrimSpace(shown), "\n3000"), "its end is %q", shown[max(0, len(shown)-20):])
	}
	_, err := runAtTerminal(keys+"none", exec.Command("sh", "-c", "exit 0"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
