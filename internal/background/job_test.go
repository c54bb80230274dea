package background

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/record"
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
func TestTheActionArrivesAsItWas(t *testing.T) {
	t.Parallel()
	const command = `cd x && FOO=1 sudo git push --force "<&>"`
	for _, content := range []string{"<b>&</b>", strings.Repeat("0123456789", 100_000)} {
		dir := filepath.Join(t.TempDir(), "state")
		action := sentinel.Action{
			Trigger: sentinel.Bash, Target: command, Forms: []string{command}, Root: "/repo", Dir: "/repo/x", Content: content,
			Command: shell.Parse(command, nil), Args: []byte(`{"command":"<&>"}`), Certain: true,
		}
		job := &Job{Shadow: NewShadow(sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Session: "s"}, deferredCall(action))}
		input, err := job.encode(dir)
		require.NoError(t, err)
		require.LessOrEqual(t, len(input), maxPiped)
		if len(content) < maxPiped {
			require.Contains(t, string(input), `"event":{"phase":"pre","agent":"claude","session":"s","actions":[{"trigger":"bash","target":`, "the form of docs/decision.md")
		}
		got, err := Read(bytes.NewReader(input), dir)
		require.NoError(t, err)
		line := action.Command // without what proves that its commands succeeded, which no other process needs
		action.Command = &shell.Line{Text: line.Text, Commands: line.Commands, Effects: line.Effects, Unparsed: line.Unparsed, Carried: line.Carried, Bounded: line.Bounded}
		require.Equal(t, []sentinel.Action{action}, got.Shadow.Event.Actions)
		require.Equal(t, "claude", got.Agent())
		require.Equal(t, []string{"/repo/.claude/sentinel/rules/r.yaml:1"}, got.Shadow.sources())
		left, _ := os.ReadDir(filepath.Join(dir, folder))
		require.Empty(t, left)
	}
}

// A call without shadow rules, and one that another process judges, needs no work.
func TestNoWork(t *testing.T) {
	t.Parallel()
	require.Nil(t, NewShadow(sentinel.Event{}, sentinel.Decision{}))
	d := deferredCall(sentinel.Action{Trigger: sentinel.Bash})
	d.Relayed = true
	require.Nil(t, NewShadow(sentinel.Event{}, d))
	require.True(t, (&Job{}).Empty())

	job := &Job{Shadow: NewShadow(sentinel.Event{}, deferredCall(sentinel.Action{Trigger: sentinel.Bash, Target: strings.Repeat("x", 1<<20)}))}
	_, err := job.encode("")
	require.ErrorContains(t, err, "there is no folder to keep the call in")
}

func TestReadRefusesForeignInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, folder, "again"), []byte(`{"version":2,"file":"again"}`), 0o600))
	for _, input := range []string{
		``, `null`, `{}`, `{"version":3}`, `{"version":1,"session":{"phase":"stop"}}`, `{"version":2,"file":"../key"}`, `{"version":2,"file":"nosuch"}`, `{"version":2,"file":"again"}`,
		`{"version":2,"shadow":1}`, `{"version":2,"shadow":{"rules":[{"source":"x","action":3}]}}`,
		`{"version":2,"shadow":{"rules":[{"source":"x","action":-1}]}}`, `{"version":2,"session":{"phase":"never"}}`,
		`{"version":2,"seen":{"decision":{"version":9}}}`, strings.Repeat(" ", maxPiped) + `{"version":2}`,
	} {
		_, err := Read(strings.NewReader(input), dir)
		require.Error(t, err, input)
	}
	job, err := Read(strings.NewReader(`{"version":2,"session":{"phase":"stop","agent":"claude","id":"s"}}`), dir)
	require.NoError(t, err)
	require.Equal(t, &Session{Phase: sentinel.PhaseStop, Agent: "claude", ID: "s"}, job.Session)
}

// A call that shadow rules cannot be given is shown to the observer all the same.
func TestTheObserverIsShownACallThatShadowRulesCannotGet(t *testing.T) {
	t.Parallel()
	d := deferredCall(sentinel.Action{Trigger: sentinel.MCP, Target: "a:b", Content: strings.Repeat("x", maxPiped)})
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude"}
	job := &Job{Shadow: NewShadow(ev, d), Seen: record.Of(time.Now(), ev, d)}
	input, err := job.input("") // a job of that size is kept in a folder
	require.Error(t, err)
	got, err := Read(bytes.NewReader(input), "")
	require.NoError(t, err)
	require.Nil(t, got.Shadow)
	require.Equal(t, "a:b", got.Seen.Decision.Findings[0].Action.Target)
	require.NotNil(t, job.Shadow)

	job.Seen = nil
	input, err = job.input("")
	require.Error(t, err)
	require.Nil(t, input)
}
