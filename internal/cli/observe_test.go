package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// observed is the command of somebody who wants to be told: what came is written
// to a file in the home folder, but not before there is one named "go".
func observed() int {
	env := command.Process()
	home := env.Getenv("HOME")
	env.Observe = func(_ context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error {
		for {
			if _, err := os.Stat(filepath.Join(home, "go")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if env.Getenv("OTEL_TEST") == "refuse" {
			return errors.New("the collector\n\x1b[31mis gone")
		}
		text := fmt.Sprintf("%s %s %s %s %s %t", ev.Phase, ev.Agent, ev.Session, ev.Tool.Name, d.Verdict, at.IsZero())
		for _, f := range d.Findings {
			text += fmt.Sprintf(" | %s %s %s %s", f.Rule.ID, f.Outcome, f.Action.Trigger, f.Action.Target)
		}
		text += fmt.Sprintf(" | %d %s %s %s\n", len(ev.Tool.Args), env.Getenv("TRACEPARENT"), env.Getenv("OTEL_TEST"), env.Getenv("CLAUDECODE"))
		return os.WriteFile(filepath.Join(home, "observed.tmp"), []byte(text), 0o600)
	}
	status := cli.Run(env)
	os.Rename(filepath.Join(home, "observed.tmp"), filepath.Join(home, "observed"))
	return status
}

// The hook ends with its answer while its observer has not even begun: if
// it waited, this would never end.
func TestHookDoesNotWaitForItsObserver(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	home := filepath.Join(top, "home")
	rules := filepath.Join(top, "repo", ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.MkdirAll(home, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "never.yaml"),
		[]byte("id: never\ntrigger: bash\nscope: [\"rm *\"]\nseverity: block\nbackend: builtin\nwhen: \"true\"\nmessage: never here\n"), 0o600))
	program, err := exec.LookPath("observed")
	require.NoError(t, err)
	event, err := json.Marshal(map[string]any{
		"session_id": "s1", "cwd": filepath.Join(top, "repo"), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]string{"command": "rm -rf x"},
	})
	require.NoError(t, err)
	cmd := exec.Command(program, "hook")
	cmd.Dir = top
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "GOCOVERDIR=" + os.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stdin = bytes.NewReader(event)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr // pipes: Run returns when no process has them any more
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Run(), &exit)
	require.Equal(t, 2, exit.ExitCode())
	require.Contains(t, stderr.String(), "never here")
	require.NoFileExists(t, filepath.Join(home, "observed"))

	require.NoError(t, os.WriteFile(filepath.Join(home, "go"), nil, 0o600))
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(home, "observed"))
		return err == nil
	}, 2*time.Minute, 5*time.Millisecond)
}
