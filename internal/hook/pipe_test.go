package hook

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/project"
)

// answerOn gives an answer that stops a call, as a process of its own.
func answerOn(name string) {
	answer := agent.Answer{Stdout: []byte("{}\n")}
	if name == "answer-on-stderr" {
		answer = agent.Answer{Stderr: []byte("Stopped.\n"), Exit: exit.Block}
	}
	c := &call{stops: true, env: &Env{Stdout: os.Stdout, Stderr: os.Stderr, Project: func() *project.Options { return &project.Options{Program: "sentinel"} }}}
	os.Exit(c.put(answer))
}

// TestNobodyReads: an answer stops the call even if the agent has closed the pipe.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"answer-on-stdout", "answer-on-stderr"} {
		reader, writer, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, reader.Close())
		cmd := exec.CommandContext(t.Context(), os.Args[0], name)
		cmd.Stdout, cmd.Stderr = writer, writer
		var ended *exec.ExitError
		require.ErrorAs(t, cmd.Run(), &ended, name)
		require.NoError(t, writer.Close())
		require.Equal(t, exit.Block, ended.ExitCode(), name)
	}
}
