package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli"
)

// observed is the command of somebody who wants to be told: what came is written
// to a file in the home folder, but not before there is one named "go".
func observed() int {
	env := cli.Process()
	home := env.Getenv("HOME")
	env.Observe = func(_ context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error {
		for {
			if _, err := os.Stat(filepath.Join(home, "go")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if env.Getenv("OTEL_TEST") == "refuse" {
			return errors.New("the collector\n\x1b[31mis gone")
		}
		text := fmt.Sprintf("%s %s %s %s %s %t", ev.Phase, ev.Agent, ev.Session, ev.Tool.Name, d.Verdict, at.IsZero())
		for _, f := range d.Findings {
			text += fmt.Sprintf(" | %s %s %s %s", f.Rule.ID, f.Outcome, f.Action.Trigger, f.Action.Target)
		}
		text += fmt.Sprintf(" | %d %s %s %s\n", len(ev.Tool.Args), env.Getenv("TRACEPARENT"), env.Getenv("OTEL_TEST"), env.Getenv("CLAUDECODE"))
		return os.WriteFile(filepath.Join(home, "observed.tmp"), []byte(text), 0o600)
	}
	status := cli.Run(env)
	os.Rename(filepath.Join(home, "observed.tmp"), filepath.Join(home, "observed"))
	return status
}

// The hook ends with its answer while whoever observes it has not even begun: if
// it waited, this would never end.
func TestHookDoesNotWaitForItsObserver(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	home := filepath.Join(top, "home")
	rules := filepath.Join(top, "repo", ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.MkdirAll(home, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "never.yaml"),
		[]byte("id: never\ntrigger: bash\nscope: [\"rm *\"]\nseverity: block\nbackend: builtin\nwhen: \"true\"\nmessage: never here\n"), 0o600))
	program, err := exec.LookPath("observed")
	require.NoError(t, err)
	event, err := json.Marshal(map[string]any{
		"session_id": "s1", "cwd": filepath.Join(top, "repo"), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]string{"command": "rm -rf x"},
	})
	require.NoError(t, err)
	cmd := exec.Command(program, "hook")
	cmd.Dir = top
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "GOCOVERDIR=" + os.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stdin = bytes.NewReader(event)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr // pipes: Run returns when nobody has them any more
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Run(), &exit)
	require.Equal(t, 2, exit.ExitCode())
	require.Contains(t, stderr.String(), "never here")
	require.NoFileExists(t, filepath.Join(home, "observed"))

	require.NoError(t, os.WriteFile(filepath.Join(home, "go"), nil, 0o600))
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(home, "observed"))
		return err == nil
	}, 2*time.Minute, 5*time.Millisecond)
}

// What an observer is told is what was decided, but for what it must not know.
func TestObservation(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 21, 11, 57, 166_000_001, time.UTC)
	action := sentinel.Action{Trigger: sentinel.Bash, Target: "curl -H 'X-Key: AKIAQYLPMN5HHHFPZAM2'", Content: "CONTENT", Old: "OLD", Args: json.RawMessage(`"ARGS"`), DerivedFrom: "Bash"}
	other := sentinel.Action{Trigger: sentinel.FileWrite, Target: "a\xff.txt"}
	rule := &sentinel.RuleSpec{ID: "r", Severity: sentinel.SeverityAsk, Shadow: true, Model: "m", Prompt: "PROMPT", Message: "MESSAGE", Source: "SOURCE"}
	timeout := &sentinel.BackendError{Backend: "ollama", Op: "complete", Err: fmt.Errorf("%w: %w", sentinel.ErrUnavailable, context.DeadlineExceeded)}
	ev := sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "claude", Session: "s", Dir: "/DIR", Root: "/ROOT", Transcript: "/TRANSCRIPT", Prompt: "PROMPT",
		Tool: sentinel.ToolCall{ID: "t1", Name: "Bash", Args: json.RawMessage(`{"command":"ARGS"}`), Output: "OUTPUT"},
	}
	d := sentinel.Decision{
		ID: "k3j5", Verdict: sentinel.VerdictAsk, Took: 50 * time.Millisecond, Err: timeout, Actions: []sentinel.Action{action, other}, Notice: "NOTICE", Code: "CODE",
		Findings: []sentinel.Finding{
			{
				Rule: rule, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictAsk, Confidence: 0.9,
				Reason: "it sends AKIAQYLPMN5HHHFPZAM2", Message: "MESSAGE", Advice: "ADVICE", Took: 40 * time.Millisecond, Tainted: true, Disputed: true, Waived: true, Muted: true,
				Response: sentinel.Response{Text: `{"violation":true,"confidence":0.9,"reason":"ANSWER"}`, Backend: "ollama", Model: "m", PromptTokens: 7, OutputTokens: 8, Waited: 1, Took: 2},
				Attempts: []sentinel.Attempt{
					{Backend: "openai", Err: timeout, Request: sentinel.Request{Model: "n", Prompt: "PROMPT", System: "SYSTEM"}},
					{Backend: "ollama", Response: sentinel.Response{Text: "ANSWER", Backend: "ollama", Cached: true}},
				},
			},
			{Rule: rule, Match: sentinel.Match{Why: "no pattern matches"}},
			{Rule: rule, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeSkipped, Deferred: true},
			{Rule: rule, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeUnavailable, Confidence: math.NaN(), Err: errors.New("odd")},
		},
	}
	d.Findings[0].Action, d.Findings[3].Action = &d.Actions[0], &d.Actions[1]

	wire, gotAt, gotEv, got := cli.Observe(t, at, ev, d)
	for _, kept := range []string{"CONTENT", "OLD", "ARGS", "PROMPT", "SYSTEM", "MESSAGE", "ADVICE", "ANSWER", "OUTPUT", "DIR", "ROOT", "TRANSCRIPT", "SOURCE", "NOTICE", "CODE", "QYLPMN5HHHFPZAM2"} {
		require.NotContains(t, wire, kept)
	}
	require.True(t, at.Equal(gotAt))
	require.Equal(t, sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Session: "s", Tool: sentinel.ToolCall{ID: "t1", Name: "Bash"}}, gotEv)
	require.Equal(t, "k3j5", got.ID)
	require.Equal(t, d.Verdict, got.Verdict)
	require.Equal(t, d.Took, got.Took)
	require.EqualError(t, got.Err, "ollama: complete: unavailable: context deadline exceeded")
	require.ErrorIs(t, got.Err, context.DeadlineExceeded)
	require.ErrorIs(t, got.Err, sentinel.ErrUnavailable)
	require.NotErrorIs(t, got.Err, sentinel.ErrRefused)

	require.Len(t, got.Findings, 2, "those that matched, and are not judged later")
	f := got.Findings[0]
	require.Equal(t, sentinel.RuleSpec{ID: "r", Trigger: sentinel.Bash, Severity: sentinel.SeverityAsk, Shadow: true, Model: "m"}, *f.Rule)
	require.Equal(t, sentinel.Bash, f.Action.Trigger)
	require.Equal(t, "Bash", f.Action.DerivedFrom)
	require.Contains(t, f.Action.Target, "curl -H")
	require.True(t, f.Tainted && f.Disputed && f.Waived && f.Muted)
	require.Equal(t, sentinel.Response{Text: `{"violation":true}`, Backend: "ollama", Model: "m", PromptTokens: 7, OutputTokens: 8, Waited: 1, Took: 2}, f.Response)
	require.Len(t, f.Attempts, 2)
	require.Equal(t, "n", f.Attempts[0].Request.Model)
	require.ErrorIs(t, f.Attempts[0].Err, sentinel.ErrUnavailable)
	require.True(t, f.Attempts[1].Response.Cached)
	require.NoError(t, f.Attempts[1].Err)
	require.Equal(t, "a\uFFFD.txt", got.Findings[1].Action.Target)
	require.Zero(t, got.Findings[1].Confidence)
	require.EqualError(t, got.Findings[1].Err, "odd")
}

// Whatever stands on the child's standard input, it is taken or refused.
func FuzzObservation(f *testing.F) {
	f.Add(`{"at":"2026-11-20T21:11:57Z","phase":2,"agent":"claude","verdict":4,"actions":[{"trigger":"bash"}],"findings":[{"rule":"r","action":0,"err":{"text":"x","is":[0,-1,99]}}]}`)
	f.Add(`{"findings":[{"action":7,"attempts":[{"backend":"b","err":{}}]}]}`)
	f.Add(`null`)
	f.Add(strings.Repeat(`[`, 100))
	f.Fuzz(func(t *testing.T, input string) { cli.DecodeObservation(input) })
}
