package backend_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/state"
)

// wrapperTask is the variable that makes this test binary work as a hook of its
// own, which asks one question: the task's name and the folder of its state.
const wrapperTask = "SENTINEL_BACKEND_TEST_TASK"

// hook starts a process that asks one question. end waits for it and returns
// "asked" if the backend was asked, and the error.
func hook(t *testing.T, task, dir string) (end func() string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^TestHookProcess$", "-test.count=1")
	cmd.Env = append(os.Environ(), wrapperTask+"="+task+"\n"+dir)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	require.NoError(t, cmd.Start())
	return func() string {
		require.NoError(t, cmd.Wait(), "%s", out.String())
		said, _, _ := strings.Cut(out.String(), "PASS\n")
		return said
	}
}

// TestHookProcess is what the other processes of this file's tests run.
func TestHookProcess(t *testing.T) {
	task, dir, ok := strings.Cut(os.Getenv(wrapperTask), "\n")
	if !ok {
		t.Skip("only for the processes that other tests start")
	}
	asked := func(resp sentinel.Response, err error) sentinel.Backend {
		return sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			fmt.Println("asked")
			return resp, err
		})
	}
	good := asked(sentinel.Response{Text: "yes", PromptTokens: 400}, nil)
	var b sentinel.Backend
	switch task {
	case "breaker":
		b = backend.Breaker(asked(sentinel.Response{}, errDown), state.NewValues(dir), "b", &backend.BreakerOptions{Pause: time.Hour})
	case "half-open": // long after the pause began
		later := func() time.Time { return time.Now().Add(2 * time.Hour) }
		b = backend.Breaker(asked(sentinel.Response{}, errDown), state.NewValues(dir), "b", &backend.BreakerOptions{Pause: time.Hour, Now: later})
	case "budget":
		b = backend.Budget(good, state.NewLedger(dir), &backend.BudgetOptions{TokensPerDay: 1000})
	case "cached":
		b = backend.Cached(good, state.NewCache(dir, nil), "f")
	}
	if _, err := b.Complete(t.Context(), sentinel.Request{Prompt: "p"}); err != nil {
		fmt.Println(err)
	}
}

// inTurn counts the processes, started one after the other, that asked.
func inTurn(t *testing.T, n int, task, dir string) (asked int) {
	t.Helper()
	for range n {
		asked += strings.Count(hook(t, task, dir)(), "asked\n")
	}
	return asked
}

func TestAcrossProcesses(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]int{"breaker": 3, "budget": 3, "cached": 1} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, inTurn(t, 6, task, t.TempDir()))
		})
	}
}

// Of many processes that come when a pause is over, one tries.
func TestHalfOpenAcrossProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Equal(t, 3, inTurn(t, 4, "breaker", dir))
	var ends []func() string
	for range 6 {
		ends = append(ends, hook(t, "half-open", dir))
	}
	said := ""
	for _, end := range ends {
		said += end()
	}
	require.Equal(t, 1, strings.Count(said, "asked\n"), "%s", said)
	require.Equal(t, 5, strings.Count(said, "left alone until"), "%s", said)
}
