package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// A program of another name calls each of its commands by that name, and leaves
// other commands alone.
func TestEveryCommandIsCalledByTheProgramsName(t *testing.T) {
	t.Parallel()
	env := &command.Env{Name: "ours"}
	for _, c := range newRoot(env).Commands() {
		require.Equal(t, "run `ours "+c.Name()+"` first", env.Called("run `sentinel "+c.Name()+"` first"))
	}
	for _, text := range []string{"a sentinel that watches", ".claude/sentinel init", "sentinel:own-commands", "sentinel-watch --lines", "Sentinel init"} {
		require.Equal(t, text, env.Called(text))
	}
	require.Equal(t, "sentinel init", (&command.Env{}).Called("sentinel init"))
}
