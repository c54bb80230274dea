package state_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

// An approvalClock is a file of approvals with a clock that the test sets.
type approvalClock struct {
	*state.Approvals
	path string
	now  time.Time
}

func newApprovals(t *testing.T) *approvalClock {
	t.Helper()
	c := &approvalClock{path: filepath.Join(t.TempDir(), "state", "stopped"), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	c.Approvals = state.NewApprovals(c.path, ourSeal(), func() time.Time { return c.now })
	return c
}

// stop stops a call and returns its code.
func (c *approvalClock) stop(t *testing.T, action string) string {
	t.Helper()
	code, allowed, err := c.Stop(state.Stopped{Action: action, Project: "/r", Detail: json.RawMessage(`{"a":1}`)})
	require.NoError(t, err)
	require.Nil(t, allowed)
	require.Regexp(t, `^[ACDEFGHJKMNPQRTVWXY34679]{4}$`, code)
	return code
}

// passes reports whether a call passes by a user's approval.
func (c *approvalClock) passes(t *testing.T, action string) bool {
	t.Helper()
	_, allowed, err := c.Stop(state.Stopped{Action: action})
	require.NoError(t, err)
	return allowed != nil
}

func TestACodeLetsItsOwnCallThroughOnce(t *testing.T) {
	t.Parallel()
	c := newApprovals(t)
	code := c.stop(t, "push")
	require.NotEqual(t, code, c.stop(t, "other"), "two calls have two codes")
	require.Equal(t, code, c.stop(t, "push"), "one that is tried again keeps its code")

	found, err := c.Find(strings.ToLower(" " + code + " "))
	require.NoError(t, err)
	require.Equal(t, "push", found.Action)
	require.Equal(t, "/r", found.Project)
	require.JSONEq(t, `{"a":1}`, string(found.Detail))

	require.False(t, c.Granted("push"))
	allowed, err := c.Allow(code, "ann")
	require.NoError(t, err)
	require.Equal(t, "ann", allowed.By)
	require.True(t, allowed.Allowed.Equal(c.now))

	require.False(t, c.Granted("other"))
	require.False(t, c.passes(t, "other"), "nothing else passes")
	require.True(t, c.Granted("push"), "looking does not use it up")
	require.True(t, c.passes(t, "push"))
	require.False(t, c.Granted("push"))
	require.False(t, c.passes(t, "push"), "once")
	_, err = c.Find(code)
	require.ErrorIs(t, err, state.ErrCodeUsed)
	_, err = c.Allow(code, "ann")
	require.ErrorIs(t, err, state.ErrCodeUsed)
}

func TestCodesEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		before, after time.Duration // of the code being entered, and of the call afterwards
		entered       bool
		passes        bool
	}{
		{"at once", 0, 0, true, true},
		{"at the last moment", time.Hour - 1, 10*time.Minute - 1, true, true},
		{"entered too late", time.Hour, 0, false, false},
		{"used too late", time.Minute, 10 * time.Minute, true, false},
		{"the clock was set back before", -time.Minute, 0, false, false},
		{"the clock was set back after", time.Minute, -time.Second, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newApprovals(t)
			code := c.stop(t, "push")
			c.now = c.now.Add(tt.before)
			_, findErr := c.Find(code)
			_, err := c.Allow(code, "ann")
			if !tt.entered {
				require.ErrorIs(t, findErr, state.ErrUnknown)
				require.ErrorIs(t, err, state.ErrUnknown)
			} else {
				require.NoError(t, findErr)
				require.NoError(t, err)
			}
			c.now = c.now.Add(tt.after)
			require.Equal(t, tt.passes, c.passes(t, "push"))
		})
	}
}

func TestAllowingTwiceDoesNotLastLonger(t *testing.T) {
	t.Parallel()
	c := newApprovals(t)
	code := c.stop(t, "push")
	_, err := c.Allow(code, "ann")
	require.NoError(t, err)
	c.now = c.now.Add(9 * time.Minute)
	again, err := c.Allow(code, "bob")
	require.NoError(t, err)
	require.Equal(t, "ann", again.By)
	c.now = c.now.Add(time.Minute)
	require.False(t, c.passes(t, "push"))
	require.NotEqual(t, code, c.stop(t, "push"), "what has ended starts anew")
}

func TestWhatIsNoCode(t *testing.T) {
	t.Parallel()
	c := newApprovals(t)
	for _, code := range []string{"", "K7Q", "K7QXX", "K7Q!", "K7QO", "K7Q0", "../x", "K7Q\x00"} {
		_, err := c.Find(code)
		require.ErrorIs(t, err, state.ErrNoCode, code)
		_, err = c.Allow(code, "ann")
		require.ErrorIs(t, err, state.ErrNoCode, code)
	}
	_, err := c.Find("K7QX")
	require.ErrorIs(t, err, state.ErrUnknown)
	_, err = c.Allow("K7QX", "ann")
	require.ErrorIs(t, err, state.ErrUnknown)
	require.NoFileExists(t, filepath.Join(filepath.Dir(c.path), "K7QX"))
}

// An agent that is stopped at ever new calls neither fills the disk nor pushes out
// a user's approval.
func TestApprovalsAreBounded(t *testing.T) {
	t.Parallel()
	c := newApprovals(t)
	code := c.stop(t, "push")
	_, err := c.Allow(code, "ann")
	require.NoError(t, err)
	detail, err := json.Marshal(strings.Repeat("x", 4000))
	require.NoError(t, err)
	codes := map[string]bool{}
	for i := range 40 {
		issued, _, err := c.Stop(state.Stopped{Action: fmt.Sprint(i), Project: "/r", Detail: detail})
		require.NoError(t, err)
		codes[issued] = true
	}
	require.Greater(t, len(codes), 35, "each call has its own")
	info, err := os.Stat(c.path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(256<<10))
	requirePrivate(t, c.path)
	require.True(t, c.passes(t, "push"))
	_, allowed, err := c.Stop(state.Stopped{Action: "39"})
	require.NoError(t, err)
	require.Nil(t, allowed)
}

// No content of the file lets a call pass, and the next call is stopped
// with a code.
func TestDamagedApprovalsAllowNothing(t *testing.T) {
	t.Parallel()
	whole := func() []byte {
		c := newApprovals(t)
		_, err := c.Allow(c.stop(t, "push"), "ann")
		require.NoError(t, err)
		data, err := os.ReadFile(c.path)
		require.NoError(t, err)
		return data
	}()
	for name, data := range map[string][]byte{
		"empty":        {},
		"torn":         whole[:len(whole)-2],
		"no JSON":      []byte("\x00\x01"),
		"another type": []byte(`{"stopped":7}`),
		"a list":       []byte(`[]`),
		"huge":         bytes.Repeat([]byte(" "), 300<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newApprovals(t)
			require.NoError(t, os.MkdirAll(filepath.Dir(c.path), 0o700))
			require.NoError(t, os.WriteFile(c.path, data, 0o600))
			require.False(t, c.Granted("push"))
			code := c.stop(t, "push")
			_, err := c.Find(code)
			require.NoError(t, err)
		})
	}
}

// Where nothing can be kept there is no code, and nothing passes.
func TestNoApprovalsWithoutAPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	c := state.NewApprovals(filepath.Join(dir, "file", "stopped"), ourSeal(), nil)
	code, allowed, err := c.Stop(state.Stopped{Action: "push"})
	require.Error(t, err)
	require.Empty(t, code)
	require.Nil(t, allowed)
	require.False(t, c.Granted("push"))
}

// Of many processes that try the same call, one passes.
func TestOneProcessPasses(t *testing.T) {
	t.Parallel()
	c := newApprovals(t)
	real := state.NewApprovals(c.path, ourSeal(), nil)
	code, _, err := real.Stop(state.Stopped{Action: "push"})
	require.NoError(t, err)
	_, err = real.Allow(code, "ann")
	require.NoError(t, err)
	passed := 0
	for _, printed := range inProcesses(t, 6, "pass", c.path) {
		passed += strings.Count(printed, "passed\n")
	}
	require.Equal(t, 1, passed)
}

func passTask(t *testing.T, path string, _ []string) {
	for range 5 {
		_, allowed, err := state.NewApprovals(path, ourSeal(), nil).Stop(state.Stopped{Action: "push"})
		require.NoError(t, err)
		if allowed != nil {
			fmt.Println("passed")
		}
	}
}

func FuzzApprovals(f *testing.F) {
	f.Add([]byte(`{"stopped":[{"code":"K7QX","action":"push","project":"/r","at":"2026-03-01T12:00:00Z","detail":{}}]}`))
	f.Add([]byte(`{"stopped":[{"code":"K7QX","action":"push","allowed":"9999-03-01T12:00:00Z"}]}`))
	f.Add([]byte(`{"stopped":[null,{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newApprovals(t)
		require.NoError(t, os.MkdirAll(filepath.Dir(c.path), 0o700))
		require.NoError(t, state.NewSealed(ourKey(), "approvals 1").Write(c.path, data)) // what the seal does not catch
		_, _ = c.Find("K7QX")
		_, allowed, err := c.Stop(state.Stopped{Action: "push"})
		require.NoError(t, err)
		if allowed != nil {
			require.Equal(t, "push", allowed.Action)
			require.True(t, c.now.Sub(allowed.Allowed) < state.AllowedFor)
		}
		_, again, err := c.Stop(state.Stopped{Action: "push"})
		require.NoError(t, err)
		require.True(t, allowed == nil || again == nil || bytes.Count(data, []byte("push")) > 1)
	})
}
