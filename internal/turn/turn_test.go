package turn_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/turn"
)

// An agent is kept at work three times. The second hook at the same end of a turn changes
// nothing, and at last the user is told.
func TestConclude(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outbox := state.NewOutbox(filepath.Join(t.TempDir(), "done"), turn.MaxBytes)
	ev := sentinel.Event{Session: "s", Agent: "claude"}
	now := time.Unix(1_800_000_000, 0)
	none, err := turn.Take(outbox, &ev, now)
	require.NoError(t, err)
	require.Nil(t, none)

	require.NoError(t, turn.Add(outbox, ev.Session, []sentinel.Action{
		{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Root: root, Path: "a.go", Target: "a.go"},
		{Trigger: sentinel.FileWrite, Root: root, Path: "b.go", Carrier: "write"},
		{Trigger: sentinel.Bash, Target: "go test ./...", Dir: root},
	}))
	for n := range 5 {
		kept, err := turn.Take(outbox, &ev, now)
		require.NoError(t, err)
		require.Len(t, kept.Actions, 2)
		require.Equal(t, filepath.Join(root, "a.go"), kept.Actions[0].Path)
		require.Equal(t, "go test ./...", kept.Actions[1].Target)
		d := sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "tests", Severity: sentinel.SeverityBlock}, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation,
			Verdict: sentinel.VerdictBlock, Reason: "none ran", Message: "run the tests",
		}}}
		require.NoError(t, kept.Conclude(&d, true))
		if n < 4 { // of these the second is a twin
			require.Equal(t, sentinel.VerdictBlock, d.Verdict, n)
			require.Empty(t, d.Notice)
		} else {
			require.Equal(t, sentinel.VerdictAllow, d.Verdict)
			require.Contains(t, d.Notice, "although the agent was told to go on 3 times: run the tests (none ran) [tests]")
		}
		if n != 0 {
			now = now.Add(time.Minute)
		}
	}
	gone, err := turn.Take(outbox, &ev, now)
	require.NoError(t, err)
	require.Nil(t, gone)
}
