package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/record"
)

// A record is what was decided, without contents, arguments, prompts and secrets.
func TestCallInJSON(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 21, 11, 57, 166_000_001, time.UTC)
	action := sentinel.Action{Trigger: sentinel.Bash, Target: "curl -H 'X-Key: AKIAQYLPMN5HHHFPZAM2'", Content: "CONTENT", Old: "OLD", Args: json.RawMessage(`"ARGS"`), DerivedFrom: "Bash"}
	other := sentinel.Action{Trigger: sentinel.FileWrite, Target: "a\xff.txt"}
	rule := &sentinel.RuleSpec{ID: "r", Trigger: sentinel.Bash, Severity: sentinel.SeverityAsk, Shadow: true, Model: "m", Prompt: "PROMPT", Message: "MESSAGE", Source: "SOURCE"}
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
				Response: sentinel.Response{Text: `{"violation":true,"confidence":0.9,"reason":"ANSWER"}`, Backend: "ollama", Model: "m", PromptTokens: 7, OutputTokens: 8, Waited: time.Microsecond, Took: 2 * time.Microsecond},
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

	data, err := json.Marshal(record.Of(at, ev, d))
	require.NoError(t, err)
	wire := string(data)
	var call record.Call
	require.NoError(t, json.Unmarshal(data, &call))
	gotAt, gotEv, got := call.At, call.Event, call.Decision
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

	require.Len(t, got.Findings, 3, "those that matched")
	require.Len(t, got.Concluded(), 2, "those that matched, and are not judged later")
	f := got.Findings[0]
	require.Equal(t, sentinel.RuleSpec{ID: "r", Trigger: sentinel.Bash, Severity: sentinel.SeverityAsk, Shadow: true, Model: "m"}, *f.Rule)
	require.Equal(t, sentinel.Bash, f.Action.Trigger)
	require.Equal(t, "Bash", f.Action.DerivedFrom)
	require.Contains(t, f.Action.Target, "curl -H")
	require.True(t, f.Tainted && f.Disputed && f.Waived && f.Muted)
	require.Equal(t, sentinel.Response{Text: `{"violation":true}`, Backend: "ollama", Model: "m", PromptTokens: 7, OutputTokens: 8, Waited: time.Microsecond, Took: 2 * time.Microsecond}, f.Response)
	require.Len(t, f.Attempts, 2)
	require.Equal(t, "n", f.Attempts[0].Request.Model)
	require.ErrorIs(t, f.Attempts[0].Err, sentinel.ErrUnavailable)
	require.True(t, f.Attempts[1].Response.Cached)
	require.NoError(t, f.Attempts[1].Err)
	require.Equal(t, "a\uFFFD.txt", got.Findings[2].Action.Target)
	require.Zero(t, got.Findings[2].Confidence)
	require.EqualError(t, got.Findings[2].Err, "odd")
}

// A record in JSON is read, or refused, and what is read can be used.
func FuzzCall(f *testing.F) {
	f.Add(`{"at":"2026-11-20T21:11:57Z","phase":"pre","agent":"claude","decision":{"version":1,"decision":"block","actions":[{"trigger":"bash"}],"findings":[{"rule_id":"r","severity":"block","outcome":"violation","verdict":"block","action":0}]}}`)
	f.Add(`{"decision":{"findings":[{"action":7,"attempts":[{"asked":"b"}]}]}}`)
	f.Add(`null`)
	f.Add(strings.Repeat(`[`, 100))
	f.Fuzz(func(_ *testing.T, input string) {
		var c record.Call
		if json.Unmarshal([]byte(input), &c) == nil {
			c.Lines(0)
			c.Detail(4000)
		}
	})
}

// A judge's reason about a content that is too large to be searched for secrets is
// left out, whatever it says and however sure it is.
func TestNothingIsQuotedOfAContentThatIsNotSearched(t *testing.T) {
	t.Parallel()
	const secret = "open-sesame-77"
	large := []sentinel.Action{{Trigger: sentinel.FileWrite, Target: "a.txt", Content: "password = " + secret + "\n" + strings.Repeat("line\n", 300_000)}}
	malformed := fmt.Errorf("%w: key \"violation\" cannot be %s", sentinel.ErrMalformed, secret)
	for name, f := range map[string]sentinel.Finding{
		"violation":  {Outcome: sentinel.OutcomeViolation, Reason: "it has " + secret},
		"not sure":   {Outcome: sentinel.OutcomePass, Confidence: 0.6, Reason: "it has " + secret, Attempts: []sentinel.Attempt{{Backend: "x"}}},
		"not JSON":   {Outcome: sentinel.OutcomeUnavailable, Reason: "could not be judged: " + malformed.Error(), Err: malformed, Attempts: []sentinel.Attempt{{Backend: "x", Err: malformed}}},
		"on a retry": {Outcome: sentinel.OutcomeViolation, Reason: "no", Attempts: []sentinel.Attempt{{Backend: "x", Err: malformed}, {Backend: "y"}}},
	} {
		f.Rule, f.Action, f.Match.OK = &sentinel.RuleSpec{ID: "a"}, &large[0], true
		call := record.Of(time.Now(), sentinel.Event{Phase: sentinel.PhasePre}, sentinel.Decision{Verdict: sentinel.VerdictAllow, Actions: large, Findings: []sentinel.Finding{f}})
		data, err := json.Marshal(call)
		require.NoError(t, err)
		require.NotContains(t, string(data), secret, name)
		require.NotContains(t, fmt.Sprint(call.Lines(0)), secret, name)
		if f.Err != nil {
			require.ErrorIs(t, call.Decision.Findings[0].Err, sentinel.ErrMalformed, name)
		}
	}
	quiet := sentinel.Finding{Rule: &sentinel.RuleSpec{ID: "a"}, Action: &large[0], Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomePass, Reason: "its `when` is false"}
	call := record.Of(time.Now(), sentinel.Event{}, sentinel.Decision{Actions: large, Findings: []sentinel.Finding{quiet}})
	require.Equal(t, quiet.Reason, call.Decision.Findings[0].Reason, "no judge said that")
}

// A secret at the place where a very long command is cut is masked as a whole.
func TestASecretIsMaskedBeforeACommandIsCut(t *testing.T) {
	t.Parallel()
	const key = "ghp_" + "x7KqPz2mVb9LrT4nWc8YdH3sJf6GaE1uQo5i"
	line := "echo " + strings.Repeat("y", 3975) + " " + key + " " + strings.Repeat("z", 2<<20)
	actions := []sentinel.Action{{Trigger: sentinel.Bash, Target: line}}
	call := record.Of(time.Now(), sentinel.Event{}, sentinel.Decision{Verdict: sentinel.VerdictBlock, Actions: actions})
	require.NotContains(t, call.Decision.Actions[0].Target, key[:8])
	require.LessOrEqual(t, len(call.Decision.Actions[0].Target), 4000)
}
