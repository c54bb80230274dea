package subprocess_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// An agent that gives a hook up kills the hook, which can end nothing then.
func TestEndsWithItsParent(t *testing.T) {
	t.Parallel()
	w := newWatch(t)
	cmd := exec.Command(os.Args[0], w.address())
	cmd.Env = append(os.Environ(), role+"=run")
	require.NoError(t, cmd.Start())
	w.there()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	w.gone()
}
