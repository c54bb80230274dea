//go:build unix

package trigger

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// Opening a FIFO waits for its writer, which may never come.
func TestFIFOIsNotOpened(t *testing.T) {
	t.Parallel()
	root := tree(t, "d/")
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "d", "fifo"), 0o600))
	_, err := resolverAt(t, root, Options{}).readScript(root, "d/fifo")
	require.ErrorIs(t, err, shell.ErrNotRead)
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "d", "Makefile"), 0o600))
	actions, err := New(nil).MapTool(t.Context(), sentinel.Event{Dir: root, Root: root, Tool: bashCall("make -C d")})
	require.NoError(t, err)
	require.Equal(t, "file of recipes cannot be looked at: d/Makefile", actions[0].Command.Unparsed)
	require.NoError(t, os.Remove(filepath.Join(root, "d", "Makefile")))
	require.Equal(t, []string{"d", "d/fifo"}, one(t, root, shell.Effect{Kind: shell.EffectDelete, Path: "d"}).Forms)
	require.Equal(t, []string{"d/fifo"}, one(t, root, shell.Effect{Kind: shell.EffectRead, Path: "d/fifo"}).Forms)
}
