package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// writeLong judges a write of a long file as a hook of its own would.
func (d *desk) writeLong(session, path, content string) sentinel.Decision {
	d.t.Helper()
	repo := filepath.Join(d.dir, "repo")
	ev := write(repo, path)
	ev.Session = session
	ev.Tool.Args = []byte(fmt.Sprintf(`{"file_path":%q,"content":%q}`, path, content))
	got, err := project.Open([]string{repo}, &d.opts).Evaluate(d.t.Context(), ev)
	require.NoError(d.t, err)
	return got
}

func TestWhatWasNotSeenIsToldOnceASession(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("some ordinary line of code\n", 3000)
	d := newDesk(t, tree{rules + "a.yaml": asks("**", "")})
	first := d.writeLong("s", "a.go", long)
	require.Equal(t, sentinel.VerdictAllow, first.Verdict)
	require.Regexp(t, `^rule a passed .*a\.go, of which judges were shown \d\d %: the rest is unjudged`, first.Notice)
	require.Empty(t, d.writeLong("s", "a.go", long+"x").Notice)
	require.NotEmpty(t, d.writeLong("t", "a.go", long).Notice, "another session")
	require.Empty(t, d.writeLong("u", "a.go", long[:5000]).Notice)

	strict := newDesk(t, tree{"repo/.claude/sentinel/config.yaml": "fail_open: false", rules + "a.yaml": asks("**", "")})
	stopped := strict.writeLong("s", "a.go", long)
	require.Equal(t, sentinel.VerdictBlock, stopped.Verdict)
	require.Empty(t, stopped.Notice)
	require.ErrorIs(t, stopped.Findings[0].Err, sentinel.ErrUnseen)

	// Text that the file holds already is not a change, and asks for no window.
	file := filepath.Join(strict.dir, "repo", "a.go")
	require.NoError(t, os.WriteFile(file, []byte(long), 0o600))
	small := strict.writeLong("s", "a.go", strings.Replace(long, "ordinary", "extraordinary", 1))
	require.Equal(t, sentinel.VerdictAllow, small.Verdict)
	require.Len(t, small.Findings[0].Attempts, 1)
	require.Zero(t, small.Findings[0].Seen)

	wide := newDesk(t, tree{"repo/.claude/sentinel/config.yaml": "fail_open: false\ncontent_windows: 12", rules + "a.yaml": asks("**", "")})
	require.Equal(t, sentinel.VerdictAllow, wide.writeLong("s", "a.go", long).Verdict)
}

func TestALimitOfTheServerIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{rules + "a.yaml": asks("**", "")})
	d.plug.set("", &sentinel.BackendError{Backend: "plug", RetryAfter: 20 * time.Second, Err: fmt.Errorf("%w: %w: 429 Too Many Requests", sentinel.ErrUnavailable, sentinel.ErrBusy)})
	require.Contains(t, d.write("s", "a").Notice, "429")
	for range 5 {
		require.Empty(t, d.write("s", "a").Notice, "once")
	}
}
