package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/shell"
)

// deferredCall is a decision with a rule that is left until after the answer.
func deferredCall(action sentinel.Action) sentinel.Decision {
	return sentinel.Decision{ID: "aaaaaaaaaa", Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{{
		Rule: &sentinel.RuleSpec{ID: "r", Source: "/repo/.claude/sentinel/rules/r.yaml:1", Shadow: true}, Action: &action,
		Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeSkipped, Deferred: true,
	}}}
}

// What is handed over is the action as it was seen, small in the pipe and large
// through a private file that is gone once it is read.
func TestShadowWorkIsTheSameAction(t *testing.T) {
	t.Parallel()
	const command = `cd x && FOO=1 sudo git push --force "<&>"`
	for _, content := range []string{"<b>&</b>", strings.Repeat("0123456789", 100_000)} {
		opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
		action := sentinel.Action{
			Trigger: sentinel.Bash, Target: command, Forms: []string{command}, Root: "/repo", Dir: "/repo/x", Content: content,
			Command: shell.Parse(command, nil), Args: []byte(`{"command":"<&>"}`), Certain: true,
		}
		input, err := project.Open(nil, opts).KeepShadow(sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Session: "s"}, deferredCall(action))
		require.NoError(t, err)
		require.Less(t, len(input), 30<<10, "it fits into a pipe")
		call, err := project.ReadShadow(input, opts)
		require.NoError(t, err)
		require.Equal(t, []sentinel.Action{action}, call.Event.Actions)
		require.Equal(t, "claude", call.Event.Agent)
		require.Equal(t, []string{"/repo/.claude/sentinel/rules"}, call.Starts())
		left, _ := os.ReadDir(filepath.Join(opts.StateDir, "shadow"))
		require.Empty(t, left)
	}
}

// A call without such rules, and one that another process judges, is no work.
func TestNoShadowWork(t *testing.T) {
	t.Parallel()
	p := project.Open(nil, nil)
	input, err := p.KeepShadow(sentinel.Event{}, sentinel.Decision{})
	require.NoError(t, err)
	require.Nil(t, input)
	d := deferredCall(sentinel.Action{Trigger: sentinel.Bash})
	d.Relayed = true
	input, err = p.KeepShadow(sentinel.Event{}, d)
	require.NoError(t, err)
	require.Nil(t, input)

	d = deferredCall(sentinel.Action{Trigger: sentinel.Bash, Target: strings.Repeat("x", 1<<20)})
	_, err = p.KeepShadow(sentinel.Event{}, d)
	require.ErrorContains(t, err, "there is no folder to keep the call in")
}

func TestReadShadowRefusesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	opts := &project.Options{StateDir: t.TempDir()}
	for _, input := range []string{
		``, `null`, `{}`, `{"file":"../key"}`, `{"file":"nosuch"}`, `{"work":1}`, `{"work":{"items":[{"source":"x","action":3}]}}`,
		`{"work":{"items":[{"source":"x","action":-1}]}}`,
	} {
		_, err := project.ReadShadow([]byte(input), opts)
		require.Error(t, err, input)
	}
}
