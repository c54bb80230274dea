//go:build unix

package subprocess_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// Output that a process outside of the group may still write is not taken for whole.
func TestPartialOutput(t *testing.T) {
	t.Parallel()
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("no setsid here")
	}
	const script = `mkfifo up; "$0" sh -c 'echo >up; exec sleep 3' & read x <up; echo said`
	out, err := subprocess.Run(t.Context(), subprocess.Program{Argv: []string{"sh", "-c", script, setsid}, Dir: t.TempDir()})
	require.NoError(t, err)
	require.True(t, out.Partial)
	require.Equal(t, "said\n", string(out.Stdout))

	out, err = subprocess.Run(t.Context(), subprocess.Program{Argv: []string{"echo", "said"}})
	require.NoError(t, err)
	require.False(t, out.Partial)
}
