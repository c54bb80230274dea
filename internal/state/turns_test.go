package state_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

// turnClock keeps turns by a clock that the test sets.
type turnClock struct {
	*state.Turns
	dir string
	now time.Time
}

func newTurns(t *testing.T) *turnClock {
	t.Helper()
	c := &turnClock{dir: filepath.Join(t.TempDir(), "state", "turns"), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	c.Turns = state.NewTurns(c.dir, func() time.Time { return c.now })
	return c
}

// take takes the turn for a call, or returns the answer of who had it.
func take(ctx context.Context, turns *state.Turns, call state.Call) (turn *state.Turn, told []byte, err error) {
	turn, answered, err := turns.Take(ctx, call, func(answer []byte) bool { told = answer; return true })
	if answered != (told != nil) {
		return nil, nil, errors.New("an answer that nobody was told")
	}
	return turn, told, err
}

// judge takes the turn for a call and answers it.
func (c *turnClock) judge(t *testing.T, call state.Call, answer string) {
	t.Helper()
	turn, told, err := take(t.Context(), c.Turns, call)
	require.NoError(t, err)
	require.Nil(t, told)
	require.NotNil(t, turn)
	turn.Finish([]byte(answer))
}

func TestTurnsPassAnAnswerOn(t *testing.T) {
	t.Parallel()
	first := state.Call{Session: "s", Action: "push", ID: "1"}
	for _, tt := range []struct {
		name  string
		later time.Duration
		call  state.Call
		told  bool
	}{
		{"the same call", 0, first, true},
		{"a hook that sends no id", 0, state.Call{Session: "s", Action: "push"}, true},
		{"a little late", 3*time.Second - 1, first, true},
		{"too late", 3 * time.Second, first, false},
		{"the clock was set back", -1, first, false},
		{"another call, tried again", 0, state.Call{Session: "s", Action: "push", ID: "2"}, false},
		{"another session", 0, state.Call{Session: "s2", Action: "push", ID: "1"}, false},
		{"another action", 0, state.Call{Session: "s", Action: "pull", ID: "1"}, false},
		{"texts are not run together", 0, state.Call{Session: "sp", Action: "ush", ID: "1"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newTurns(t)
			c.judge(t, first, `{"no":1}`)
			c.now = c.now.Add(tt.later)
			turn, told, err := take(t.Context(), c.Turns, tt.call)
			require.NoError(t, err)
			if tt.told {
				require.Nil(t, turn)
				require.JSONEq(t, `{"no":1}`, string(told))
				return
			}
			require.NotNil(t, turn)
			require.Nil(t, told)
			turn.Finish(nil)
			turn.Finish(nil) // twice is no harm
		})
	}
}

// An answer that is of no use to a process is none: it judges, and what it answers
// holds from then on.
func TestAnAnswerThatIsNotAccepted(t *testing.T) {
	t.Parallel()
	c := newTurns(t)
	call := state.Call{Session: "s", Action: "push"}
	c.judge(t, call, `{"no":1}`)
	turn, answered, err := c.Take(t.Context(), call, func([]byte) bool { return false })
	require.NoError(t, err)
	require.False(t, answered)
	turn.Finish([]byte(`{"no":2}`))
	_, told, err := take(t.Context(), c.Turns, call)
	require.NoError(t, err)
	require.JSONEq(t, `{"no":2}`, string(told))
}

func TestATurnWithoutAnAnswerIsTakenByTheNext(t *testing.T) {
	t.Parallel()
	c := newTurns(t)
	call := state.Call{Session: "s", Action: "push"}
	for range 2 {
		turn, told, err := take(t.Context(), c.Turns, call)
		require.NoError(t, err)
		require.Nil(t, told)
		require.NotNil(t, turn)
		turn.Finish(nil)
	}
	turn, _, err := take(t.Context(), c.Turns, call)
	require.NoError(t, err)
	turn.Finish(make([]byte, 200<<10)) // larger than what is passed on
	turn, told, err := take(t.Context(), c.Turns, call)
	require.NoError(t, err)
	require.Nil(t, told)
	turn.Finish(nil)
	var none *state.Turn
	none.Finish([]byte("x"))
}

// A wait ends with its context; a call with another id does not wait at all.
func TestWaitingForATurnEnds(t *testing.T) {
	t.Parallel()
	c := newTurns(t)
	turn, _, err := take(t.Context(), c.Turns, state.Call{Session: "s", Action: "push", ID: "1"})
	require.NoError(t, err)
	defer turn.Finish(nil)

	why := errors.New("out of time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, _, err = take(ctx, c.Turns, state.Call{Session: "s", Action: "push", ID: "1"})
	require.ErrorIs(t, err, why)

	other, told, err := take(t.Context(), c.Turns, state.Call{Session: "s", Action: "push", ID: "2"})
	require.NoError(t, err)
	require.Nil(t, other)
	require.Nil(t, told)
}

// What stands in a file that nobody holds is an answer to this call or nothing.
func TestDamagedTurns(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "{", `[]`, `{"key":7}`, `{"key":"x","answer":{}}`, "\x00\xff"} {
		c := newTurns(t)
		call := state.Call{Session: "s", Action: "push"}
		c.judge(t, call, `{}`)
		files, err := filepath.Glob(filepath.Join(c.dir, "*"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.NoError(t, os.WriteFile(files[0], []byte(data), 0o600))
		turn, told, err := take(t.Context(), c.Turns, call)
		require.NoError(t, err)
		require.Nil(t, told, data)
		require.NotNil(t, turn, data)
		turn.Finish(nil)
	}
}

// Without a place to hold turns everybody judges.
func TestNoTurnsWithoutAPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	turn, told, err := take(t.Context(), state.NewTurns(filepath.Join(dir, "file"), nil), state.Call{Action: "push"})
	require.NoError(t, err)
	require.Nil(t, turn)
	require.Nil(t, told)
}

func TestTurnsDoNotPileUp(t *testing.T) {
	t.Parallel()
	c := newTurns(t)
	for i := range 600 {
		c.judge(t, state.Call{Action: fmt.Sprint(i)}, `{}`)
	}
	files, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	require.LessOrEqual(t, len(files), 256)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "for the user alone")
	}
}

// turnTask takes a turn, says so, and answers when its input ends.
func turnTask(t *testing.T, dir string, args []string) {
	turn, told, err := take(context.Background(), state.NewTurns(dir, nil), state.Call{Session: "s", Action: "push"})
	require.NoError(t, err)
	if turn == nil {
		fmt.Printf("told %s\n", told)
		return
	}
	fmt.Println("judging")
	_, _ = io.ReadAll(os.Stdin)
	turn.Finish([]byte(`{"answer":"` + args[0] + `"}`))
}

// held starts a process that has the turn, and returns once it does.
func held(t *testing.T, dir string) (answer func(), kill func()) {
	t.Helper()
	cmd := child(t, "turn", dir, "first")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "judging\n", line)
	return func() { in.Close() }, func() { require.NoError(t, cmd.Process.Kill()) }
}

func TestAnotherProcessWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "turns")
	answer, _ := held(t, dir)
	told := make(chan string, 1)
	go func() {
		_, data, err := take(context.Background(), state.NewTurns(dir, nil), state.Call{Session: "s", Action: "push"})
		told <- fmt.Sprint(string(data), err)
	}()
	select {
	case text := <-told:
		t.Fatalf("it did not wait: %s", text)
	default:
	}
	answer()
	require.Equal(t, `{"answer":"first"}<nil>`, <-told)
}

func TestAKilledProcessFreesItsTurn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "turns")
	_, kill := held(t, dir)
	took := make(chan *state.Turn, 1)
	go func() {
		turn, _, err := take(context.Background(), state.NewTurns(dir, nil), state.Call{Session: "s", Action: "push"})
		if err != nil {
			turn = nil
		}
		took <- turn
	}()
	kill()
	turn := <-took
	require.NotNil(t, turn, "the next one judges")
	turn.Finish(nil)
}
