package person

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
)

func TestAgentsAmongPrograms(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"claude":                           "claude",
		"/usr/bin/codex --full-auto":       "codex",
		"node /usr/lib/bin/copilot -p x":   "copilot",
		"/opt/bun /x/opencode":             "opencode",
		"node /x/gemini.js":                "gemini",
		"/root/.local/bin/cursor-agent":    "cursor-agent",
		"bash claude":                      "",
		"vim /home/u/claude":               "",
		"tmux new -s claude":               "",
		"/usr/share/cursor/cursor --type=": "", // an editor, whose terminals are a person's
		"node":                             "",
		"":                                 "",
	} {
		require.Equal(t, want, agentProgram(agent.Registry{}, strings.Fields(line)), line)
	}
}

// A mark that was taken out of the command's own environment stands in that of
// the process which took it out.
func TestSignsOfAProcess(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("cat")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "OPENCODE=1"}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { in.Close(); _ = cmd.Wait() }()
	_, err = io.WriteString(in, "x") // what comes back says that the program runs, with its environment
	require.NoError(t, err)
	_, err = io.ReadFull(out, make([]byte, 1))
	require.NoError(t, err)

	require.Equal(t, "OPENCODE is set", processSign(agent.Registry{}, cmd.Process.Pid))
	parent, err := parentOf(cmd.Process.Pid)
	require.NoError(t, err)
	require.Equal(t, os.Getpid(), parent)
	require.Empty(t, processSign(agent.Registry{}, 1<<30))
	_, err = parentOf(1 << 30)
	require.Error(t, err)
}
