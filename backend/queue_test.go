package backend_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/state"
)

// queue is a store at which somebody else is always at work, for as long as the
// test says.
type queue struct {
	store
	ahead  func(ctx context.Context, key string)
	left   func(key string) // what was done by somebody who left before the caller came
	inside int
}

func (q *queue) Wait(ctx context.Context, key string) (leave func(), waited bool) {
	if waited = q.ahead != nil; waited {
		q.ahead(ctx, key)
	}
	if q.left != nil {
		q.left(key)
	}
	q.inside++
	return func() { q.inside-- }, waited
}

var _ backend.Queue = (*state.Cache)(nil)

func TestCachedWaitsForWhoAsksTheSame(t *testing.T) {
	t.Parallel()
	t.Run("and has the answer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			q := &queue{}
			other, _ := counting(answers(sentinel.Response{Text: "theirs"}, nil))
			q.ahead = func(ctx context.Context, key string) {
				time.Sleep(3 * time.Second)
				q.ahead = nil
				_, err := backend.Cached(other, q, "f").Complete(ctx, sentinel.Request{Prompt: "p"})
				require.NoError(t, err)
			}
			mine, calls := counting(answers(sentinel.Response{Text: "mine"}, nil))
			resp, err := backend.Cached(mine, q, "f").Complete(t.Context(), sentinel.Request{Prompt: "p"})
			require.NoError(t, err)
			require.Equal(t, sentinel.Response{Text: "theirs", Cached: true, Waited: 3 * time.Second}, resp)
			require.Zero(t, calls.Load())
			require.Zero(t, q.inside)
		})
	})

	t.Run("and has the answer of one who has just left", func(t *testing.T) {
		t.Parallel()
		q := &queue{}
		q.left = func(string) {
			q.left = nil
			_, err := backend.Cached(answers(sentinel.Response{Text: "theirs"}, nil), q, "f").Complete(t.Context(), sentinel.Request{Prompt: "p"})
			require.NoError(t, err)
		}
		mine, calls := counting(answers(sentinel.Response{Text: "mine"}, nil))
		resp, err := backend.Cached(mine, q, "f").Complete(t.Context(), sentinel.Request{Prompt: "p"})
		require.NoError(t, err)
		require.Equal(t, sentinel.Response{Text: "theirs", Cached: true}, resp)
		require.Zero(t, calls.Load())
		require.Zero(t, q.inside)
	})

	for name, c := range map[string]struct{ timeout, deadline, want time.Duration }{
		"no longer than a call may take":       {5 * time.Second, time.Hour, 5 * time.Second},
		"no longer than half of what is left":  {time.Minute, 4 * time.Second, 2 * time.Second},
		"no longer than anybody should":        {time.Hour, 2 * time.Hour, 30 * time.Second},
		"without any limit":                    {0, 0, 30 * time.Second},
		"not at all where there is hardly any": {time.Minute, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				q := &queue{ahead: func(ctx context.Context, _ string) { <-ctx.Done() }}
				b, calls := counting(answers(sentinel.Response{Text: "mine"}, nil))
				resp, err := backend.Cached(b, q, "f").Complete(ctx, sentinel.Request{Timeout: c.timeout})
				require.NoError(t, err)
				require.Equal(t, sentinel.Response{Text: "mine", Waited: c.want}, resp)
				require.EqualValues(t, 1, calls.Load())
				require.Equal(t, 1, q.len())
			})
		})
	}

	t.Run("and leaves when it fails or panics", func(t *testing.T) {
		t.Parallel()
		q := &queue{}
		_, err := backend.Cached(answers(sentinel.Response{}, errDown), q, "f").Complete(t.Context(), sentinel.Request{})
		require.ErrorIs(t, err, errDown)
		b := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) { panic("no") })
		require.Panics(t, func() { backend.Cached(b, q, "f").Complete(t.Context(), sentinel.Request{}) })
		require.Zero(t, q.inside)
	})

	t.Run("unless it is called off", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		q := &queue{ahead: func(ctx context.Context, _ string) { cancel(); <-ctx.Done() }}
		b := sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
			return sentinel.Response{}, ctx.Err()
		})
		_, err := backend.Cached(b, q, "f").Complete(ctx, sentinel.Request{})
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, q.inside)
	})
}

// An asker is a process that asks one question and holds its answer back until it
// is told.
type asker struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  *bufio.Reader
}

func startAsker(t *testing.T, dir string) *asker {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	a := &asker{t: t, cmd: exec.Command(exe, "-test.run=^TestAskerProcess$", "-test.count=1")}
	a.cmd.Env = append(os.Environ(), askerDir+"="+dir)
	a.cmd.Stderr = os.Stderr
	a.stdin, err = a.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := a.cmd.StdoutPipe()
	require.NoError(t, err)
	a.said = bufio.NewReader(out)
	require.NoError(t, a.cmd.Start())
	t.Cleanup(func() { a.kill() })
	require.Equal(t, "ready\n", a.line())
	return a
}

func (a *asker) line() string {
	a.t.Helper()
	line, err := a.said.ReadString('\n')
	require.NoError(a.t, err)
	return line
}

// answer lets the process's model answer.
func (a *asker) answer() { a.stdin.Close() }

func (a *asker) kill() {
	a.cmd.Process.Kill()
	a.cmd.Wait()
}

const askerDir = "SENTINEL_BACKEND_TEST_ASKER"

// TestAskerProcess is what the processes of this file's tests run.
func TestAskerProcess(t *testing.T) {
	dir := os.Getenv(askerDir)
	if dir == "" {
		t.Skip("only for the processes that other tests start")
	}
	fmt.Println("ready")
	model := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		fmt.Println("asked")
		io.Copy(io.Discard, os.Stdin)
		return sentinel.Response{Text: "yes"}, nil
	})
	resp, err := backend.Cached(model, state.NewCache(dir, nil), "f").Complete(t.Context(), sentinel.Request{Prompt: "p"})
	fmt.Println("answer", resp.Text, resp.Cached, err)
}

// A question that several processes have at once is asked once, and each has the answer.
func TestAskedOnceAcrossProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startAsker(t, dir)
	require.Equal(t, "asked\n", first.line())
	var others []*asker
	for range 4 {
		others = append(others, startAsker(t, dir))
	}
	first.answer()
	require.Equal(t, "answer yes false <nil>\n", first.line())
	for _, a := range others {
		require.Equal(t, "answer yes true <nil>\n", a.line())
	}
	left, err := os.ReadDir(dir + "/asking")
	require.True(t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	if os.PathSeparator == '/' { // elsewhere an open file cannot be removed
		require.Empty(t, left)
	}
}

// A process that waits for one that is killed asks itself.
func TestAKilledAskerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startAsker(t, dir)
	require.Equal(t, "asked\n", first.line())
	second := startAsker(t, dir)
	first.kill()
	second.answer()
	require.Equal(t, "asked\n", second.line())
	require.Equal(t, "answer yes false <nil>\n", second.line())

	third := startAsker(t, dir)
	require.Equal(t, "answer yes true <nil>\n", third.line())
}
