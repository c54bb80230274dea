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

// claimClock keeps claims by a clock that the test sets.
type claimClock struct {
	*state.Claims
	dir string
	now time.Time
}

func newClaims(t *testing.T) *claimClock {
	t.Helper()
	c := &claimClock{dir: filepath.Join(t.TempDir(), "state", "turns"), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	c.Claims = state.NewClaims(c.dir, ourSeal(), func() time.Time { return c.now })
	return c
}

// take claims a call, or returns the answer of the process that had claimed it.
func take(ctx context.Context, claims *state.Claims, call state.Call) (claim *state.Claim, relayed []byte, err error) {
	claim, answered, err := claims.Take(ctx, call, func(answer []byte) bool { relayed = answer; return true })
	if answered != (relayed != nil) {
		return nil, nil, errors.New("an answer that was not passed on")
	}
	return claim, relayed, err
}

// judge claims a call and answers it.
func (c *claimClock) judge(t *testing.T, call state.Call, answer string) {
	t.Helper()
	claim, relayed, err := take(t.Context(), c.Claims, call)
	require.NoError(t, err)
	require.Nil(t, relayed)
	require.NotNil(t, claim)
	claim.Finish([]byte(answer))
}

func TestClaimsPassAnAnswerOn(t *testing.T) {
	t.Parallel()
	first := state.Call{Session: "s", Action: "push", ID: "1"}
	for _, tt := range []struct {
		name    string
		later   time.Duration
		call    state.Call
		relayed bool
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
			c := newClaims(t)
			c.judge(t, first, `{"no":1}`)
			c.now = c.now.Add(tt.later)
			claim, relayed, err := take(t.Context(), c.Claims, tt.call)
			require.NoError(t, err)
			if tt.relayed {
				require.Nil(t, claim)
				require.JSONEq(t, `{"no":1}`, string(relayed))
				return
			}
			require.NotNil(t, claim)
			require.Nil(t, relayed)
			claim.Finish(nil)
			claim.Finish(nil) // twice does no harm
		})
	}
}

// An answer that a process cannot use does not count: it judges, and what it answers
// holds from then on.
func TestAnAnswerThatIsNotAccepted(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	call := state.Call{Session: "s", Action: "push"}
	c.judge(t, call, `{"no":1}`)
	claim, answered, err := c.Take(t.Context(), call, func([]byte) bool { return false })
	require.NoError(t, err)
	require.False(t, answered)
	claim.Finish([]byte(`{"no":2}`))
	_, relayed, err := take(t.Context(), c.Claims, call)
	require.NoError(t, err)
	require.JSONEq(t, `{"no":2}`, string(relayed))
}

func TestAClaimWithoutAnAnswerIsTakenByTheNext(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	call := state.Call{Session: "s", Action: "push"}
	for range 2 {
		claim, relayed, err := take(t.Context(), c.Claims, call)
		require.NoError(t, err)
		require.Nil(t, relayed)
		require.NotNil(t, claim)
		claim.Finish(nil)
	}
	claim, _, err := take(t.Context(), c.Claims, call)
	require.NoError(t, err)
	claim.Finish(make([]byte, 200<<10)) // larger than what is passed on
	claim, relayed, err := take(t.Context(), c.Claims, call)
	require.NoError(t, err)
	require.Nil(t, relayed)
	claim.Finish(nil)
	var none *state.Claim
	none.Finish([]byte("x"))
}

// A wait ends with its context; a call with another id does not wait at all.
func TestWaitingForAClaimEnds(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	claim, _, err := take(t.Context(), c.Claims, state.Call{Session: "s", Action: "push", ID: "1"})
	require.NoError(t, err)
	defer claim.Finish(nil)

	why := errors.New("out of time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, _, err = take(ctx, c.Claims, state.Call{Session: "s", Action: "push", ID: "1"})
	require.ErrorIs(t, err, why)

	other, relayed, err := take(t.Context(), c.Claims, state.Call{Session: "s", Action: "push", ID: "2"})
	require.NoError(t, err)
	require.Nil(t, other)
	require.Nil(t, relayed)
}

// A counted context calls a function at each wait of a loop.
type countedContext struct {
	context.Context
	waits int
	each  func(wait int)
}

func (c *countedContext) Done() <-chan struct{} {
	c.waits++
	c.each(c.waits)
	return c.Context.Done()
}

// A process that has waited for a long time may look at the file while the holder writes
// the answer. It goes on waiting, and does not judge the call a second time.
func TestAnAnswerIsWrittenAfterALongWait(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	call := state.Call{Session: "s", Action: "push"}
	claim, _, err := take(t.Context(), c.Claims, call)
	require.NoError(t, err)
	ctx := &countedContext{Context: t.Context(), each: func(wait int) {
		switch wait {
		case 25:
			c.tear(t)
		case 27:
			claim.Finish([]byte(`{"no":1}`))
		}
	}}
	other, relayed, err := take(ctx, c.Claims, call)
	require.NoError(t, err)
	require.Nil(t, other)
	require.JSONEq(t, `{"no":1}`, string(relayed))
}

// tear empties the files of claims, as a process does that is about to write one.
func (c *claimClock) tear(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		require.NoError(t, os.Truncate(f, 0))
	}
}

// The content of a file that is not locked is an answer to this call or nothing.
func TestDamagedClaims(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "{", `[]`, `{"key":7}`, `{"key":"x","answer":{}}`, "\x00\xff"} {
		c := newClaims(t)
		call := state.Call{Session: "s", Action: "push"}
		c.judge(t, call, `{}`)
		files, err := filepath.Glob(filepath.Join(c.dir, "*"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.NoError(t, os.WriteFile(files[0], []byte(data), 0o600))
		claim, relayed, err := take(t.Context(), c.Claims, call)
		require.NoError(t, err)
		require.Nil(t, relayed, data)
		require.NotNil(t, claim, data)
		claim.Finish(nil)
	}
}

// Without a place for claims each process judges.
func TestNoClaimsWithoutAPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	claim, relayed, err := take(t.Context(), state.NewClaims(filepath.Join(dir, "file"), ourSeal(), nil), state.Call{Action: "push"})
	require.NoError(t, err)
	require.Nil(t, claim)
	require.Nil(t, relayed)
}

func TestClaimsDoNotPileUp(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	for i := range 600 {
		c.judge(t, state.Call{Action: fmt.Sprint(i)}, `{}`)
	}
	files, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	require.LessOrEqual(t, len(files), 256)
	for _, f := range files {
		requirePrivate(t, filepath.Join(c.dir, f.Name()))
	}
}

// claimTask claims a call, says so, and answers when its input ends.
func claimTask(t *testing.T, dir string, args []string) {
	claim, relayed, err := take(context.Background(), state.NewClaims(dir, ourSeal(), nil), state.Call{Session: "s", Action: "push"})
	require.NoError(t, err)
	if claim == nil {
		fmt.Printf("relayed %s\n", relayed)
		return
	}
	fmt.Println("judging")
	_, _ = io.ReadAll(os.Stdin)
	claim.Finish([]byte(`{"answer":"` + args[0] + `"}`))
}

// held starts a process that has claimed the call, and returns once it does.
func held(t *testing.T, dir string) (answer func(), kill func()) {
	t.Helper()
	cmd := child(t, "claim", dir, "first")
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
	relayed := make(chan string, 1)
	go func() {
		_, data, err := take(context.Background(), state.NewClaims(dir, ourSeal(), nil), state.Call{Session: "s", Action: "push"})
		relayed <- fmt.Sprint(string(data), err)
	}()
	select {
	case text := <-relayed:
		t.Fatalf("it did not wait: %s", text)
	default:
	}
	answer()
	require.Equal(t, `{"answer":"first"}<nil>`, <-relayed)
}

func TestAKilledProcessFreesItsClaim(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "turns")
	_, kill := held(t, dir)
	took := make(chan *state.Claim, 1)
	go func() {
		claim, _, err := take(context.Background(), state.NewClaims(dir, ourSeal(), nil), state.Call{Session: "s", Action: "push"})
		if err != nil {
			claim = nil
		}
		took <- claim
	}()
	kill()
	claim := <-took
	require.NotNil(t, claim, "the next one judges")
	claim.Finish(nil)
}
