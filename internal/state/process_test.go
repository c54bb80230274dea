package state_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// requirePrivate requires a file for the user alone. A mode does not say that on Windows.
func requirePrivate(t *testing.T, path string) {
	t.Helper()
	f, info, err := safefile.OpenPrivate(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	if runtime.GOOS != "windows" {
		require.Zero(t, info.Mode().Perm()&0o077, path)
	}
}

// childTask is the variable that makes this test binary work as another process:
// the task's name and folder.
const childTask = "SENTINEL_STATE_TEST_TASK"

// child returns the command that runs a task of TestChild in a process of its own.
func child(t testing.TB, task, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^TestChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), childTask+"="+strings.Join(append([]string{task, dir}, args...), "\n"))
	return cmd
}

// inProcesses runs a task in n processes at once and returns what each printed.
func inProcesses(t *testing.T, n int, task, dir string) []string {
	t.Helper()
	out := make([]strings.Builder, n)
	cmds := make([]*exec.Cmd, n)
	for i := range cmds {
		cmds[i] = child(t, task, dir, fmt.Sprint(i))
		cmds[i].Stdout, cmds[i].Stderr = &out[i], os.Stderr
		require.NoError(t, cmds[i].Start())
	}
	printed := make([]string, n)
	for i, cmd := range cmds {
		require.NoError(t, cmd.Wait(), "%s", out[i].String())
		printed[i], _, _ = strings.Cut(out[i].String(), "PASS\n")
	}
	return printed
}

// TestChild is what the other processes of this file's tests run.
func TestChild(t *testing.T) {
	fields := strings.Split(os.Getenv(childTask), "\n")
	task, ok := tasks()[fields[0]]
	if !ok {
		t.Skip("only for the processes that other tests start")
	}
	task(t, fields[1], fields[2:])
}

func tasks() map[string]func(t *testing.T, dir string, args []string) {
	return map[string]func(t *testing.T, dir string, args []string){
		"count":   countTask,
		"hammer":  hammerTask,
		"give":    giveTask,
		"spend":   spendTask,
		"answers": answersTask,
		"full":    fullTask,
		"folder":  folderTask,
		"pass":    passTask,
		"claim":   claimTask,
		"hold":    holdTask,
	}
}
