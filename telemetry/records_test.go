package telemetry_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/telemetry"
)

var now = time.Date(2026, 3, 30, 16, 22, 1, 987654321, time.FixedZone("", 2*3600))

func event() sentinel.Event {
	return sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "claude", Session: "s1",
		Tool: sentinel.ToolCall{ID: "toolu_01", Name: "Bash"},
	}
}

func pushAction() *sentinel.Action {
	return &sentinel.Action{Trigger: sentinel.Bash, Tool: "Bash", Target: "git push --force"}
}

func finding(o sentinel.Outcome, s sentinel.Severity) sentinel.Finding {
	return sentinel.Finding{
		Rule:    &sentinel.RuleSpec{ID: "no-force-push", Severity: s},
		Action:  pushAction(),
		Match:   sentinel.Match{OK: true},
		Outcome: o,
	}
}

func TestRecordsOfAViolation(t *testing.T) {
	t.Parallel()
	f := finding(sentinel.OutcomeViolation, sentinel.SeverityBlock)
	f.Confidence, f.Reason, f.Took = 0.92, "rewrites history", 47*time.Millisecond
	f.Response = sentinel.Response{Backend: "ollama", Model: "gemma3:4b", PromptTokens: 12, OutputTokens: 3}
	d := sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{f}, Took: 51500 * time.Microsecond}
	got := telemetry.Records(now, event(), d, nil, 0)

	at := time.Date(2026, 3, 30, 14, 22, 1, 0, time.UTC)
	require.Equal(t, []telemetry.Record{
		{
			Time: at, RuleID: "no-force-push", Trigger: "bash", Target: "git push --force", Violation: true, Confidence: 0.92,
			Reason: "rewrites history", ElapsedMS: 47, Model: "gemma3:4b", Backend: "ollama",
			Level: "eval", Severity: "block", Outcome: "violation", Session: "s1", Agent: "claude", Tool: "Bash", CallID: "toolu_01",
			Threshold: 0.7, PromptTokens: 12, OutputTokens: 3,
		},
		{
			Time: at, Trigger: "bash", Target: "git push --force", Reason: "rewrites history", ElapsedMS: 51.5,
			Level: "decision", Session: "s1", Agent: "claude", Tool: "Bash", CallID: "toolu_01", Verdict: "block", Matched: 1, Judged: 1,
		},
	}, got)
}

func TestRecordsWhenNothingMatched(t *testing.T) {
	t.Parallel()
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow, Actions: []sentinel.Action{*pushAction()}}
	require.Nil(t, telemetry.Records(now, event(), d, nil, 0))

	// Findings that only explain are not a match.
	d.Findings = []sentinel.Finding{{Rule: &sentinel.RuleSpec{ID: "x"}, Match: sentinel.Match{Why: "no pattern matches"}}}
	require.Nil(t, telemetry.Records(now, event(), d, nil, 0))
}

func TestRecordsWhenSomethingWentWrong(t *testing.T) {
	t.Parallel()
	got := telemetry.Records(now, event(), sentinel.Decision{}, sentinel.ErrEvent, 0)
	require.Len(t, got, 1)
	require.Equal(t, "decision", got[0].Level)
	require.Equal(t, "undecided", got[0].Verdict)
	require.Equal(t, "event cannot be understood", got[0].Error)

	got = telemetry.Records(now, event(), sentinel.Decision{Verdict: sentinel.VerdictBlock, Err: sentinel.ErrEvent}, nil, 0)
	require.Len(t, got, 1, "a strict caller's verdict")
	require.Equal(t, "block", got[0].Verdict)
	require.Equal(t, "event cannot be understood", got[0].Error)

	require.Len(t, telemetry.Records(now, event(), sentinel.Decision{}, nil, 0), 1, "an undecided call without an error")
}

func TestRecordsLevels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome   sentinel.Outcome
		level     string
		violation bool
		judged    int
		missing   int
	}{
		{sentinel.OutcomePass, "eval", false, 1, 0},
		{sentinel.OutcomeViolation, "eval", true, 1, 0},
		{sentinel.OutcomeSkipped, "skipped", false, 0, 0},
		{sentinel.OutcomeUnavailable, "unavailable", false, 0, 1},
		{sentinel.OutcomeUnknown, "unavailable", false, 0, 1},
	} {
		t.Run(c.outcome.String(), func(t *testing.T) {
			t.Parallel()
			d := sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{finding(c.outcome, sentinel.SeverityWarn)}}
			got := telemetry.Records(now, event(), d, nil, 0)
			require.Len(t, got, 2)
			require.Equal(t, c.level, got[0].Level)
			require.Equal(t, c.outcome.String(), got[0].Outcome)
			require.Equal(t, c.violation, got[0].Violation)
			require.False(t, got[1].Violation, "a decision line is no second violation")
			require.Equal(t, [3]int{1, c.judged, c.missing}, [3]int{got[1].Matched, got[1].Judged, got[1].Unavailable})
		})
	}
}

func TestRecordsThreshold(t *testing.T) {
	t.Parallel()
	own := finding(sentinel.OutcomePass, sentinel.SeverityWarn)
	own.Rule.Threshold = 0.95
	other := finding(sentinel.OutcomePass, sentinel.SeverityWarn)
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{own, other}}
	got := telemetry.Records(now, event(), d, nil, 0.8)
	require.Equal(t, 0.95, got[0].Threshold)
	require.Equal(t, 0.8, got[1].Threshold)
}

func TestRecordsNearMiss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		confidence   float64
		outcome      sentinel.Outcome
		want         bool
	}{
		{"below the threshold", `{"violation":true,"confidence":0.5,"reason":"x"}`, 0.5, sentinel.OutcomePass, true},
		{"no violation", `{"violation":false,"confidence":0.5}`, 0.5, sentinel.OutcomePass, false},
		{"counted", `{"violation":true,"confidence":0.9}`, 0.9, sentinel.OutcomeViolation, false},
		{"no JSON", `true enough`, 0.5, sentinel.OutcomePass, false},
		{"not asked", ``, 0, sentinel.OutcomePass, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := finding(c.outcome, sentinel.SeverityBlock)
			f.Confidence, f.Response.Text = c.confidence, c.answer
			got := telemetry.Records(now, event(), sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{f}}, nil, 0)
			require.Equal(t, c.want, got[0].NearMiss)
		})
	}
}

// Every attempt costs; what the cache answered does not. The line names who
// answered, or who was asked last.
func TestRecordsAttempts(t *testing.T) {
	t.Parallel()
	f := finding(sentinel.OutcomeUnavailable, sentinel.SeverityBlock)
	f.Err = errors.New("claude: complete: unavailable")
	f.Attempts = []sentinel.Attempt{
		{Backend: "ollama", Request: sentinel.Request{Model: "gemma3:4b"}, Response: sentinel.Response{PromptTokens: 100, OutputTokens: 7}, Err: sentinel.ErrMalformed},
		{Backend: "claude", Request: sentinel.Request{Model: "haiku"}, Err: sentinel.ErrUnavailable},
	}
	r := telemetry.Records(now, event(), sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{f}}, nil, 0)[0]
	require.Equal(t, "claude", r.Backend)
	require.Equal(t, "haiku", r.Model)
	require.Equal(t, 100, r.PromptTokens)
	require.Equal(t, 7, r.OutputTokens)
	require.Equal(t, "claude: complete: unavailable", r.Error)

	// The question is kept only for explanations; the rule's model is known.
	f.Rule.Model = "gemma3:12b"
	f.Attempts = []sentinel.Attempt{{Backend: "ollama", Err: sentinel.ErrUnavailable}}
	r = telemetry.Records(now, event(), sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{f}}, nil, 0)[0]
	require.Equal(t, "ollama", r.Backend)
	require.Equal(t, "gemma3:12b", r.Model)

	f = finding(sentinel.OutcomePass, sentinel.SeverityBlock)
	f.Response = sentinel.Response{Backend: "ollama", Model: "m", Cached: true, PromptTokens: 100, OutputTokens: 7}
	f.Attempts = []sentinel.Attempt{{Backend: "ollama", Response: f.Response}}
	r = telemetry.Records(now, event(), sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{f}}, nil, 0)[0]
	require.True(t, r.Cached)
	require.Zero(t, r.PromptTokens+r.OutputTokens)
}

func TestRecordsDecisionIsAboutTheWeightiest(t *testing.T) {
	t.Parallel()
	add := func(target string, o sentinel.Outcome, s sentinel.Severity, shadow bool) sentinel.Finding {
		f := finding(o, s)
		f.Action = &sentinel.Action{Trigger: sentinel.FileWrite, Target: target}
		f.Reason = "about " + target
		f.Rule.Shadow = shadow
		return f
	}
	d := sentinel.Decision{Verdict: sentinel.VerdictAsk, Findings: []sentinel.Finding{
		add("passed", sentinel.OutcomePass, sentinel.SeverityBlock, false),
		add("shadow", sentinel.OutcomeViolation, sentinel.SeverityBlock, true),
		add("unavailable", sentinel.OutcomeUnavailable, sentinel.SeverityBlock, false),
		add("warned", sentinel.OutcomeViolation, sentinel.SeverityWarn, false),
		add("asked", sentinel.OutcomeViolation, sentinel.SeverityAsk, false),
	}}
	got := telemetry.Records(now, event(), d, nil, 0)
	require.Equal(t, "shadow", got[1].Mode)
	last := got[len(got)-1]
	require.Equal(t, "asked", last.Target)
	require.Equal(t, "about asked", last.Reason)
	require.Equal(t, 5, last.Matched)

	d.Findings[2].Verdict = sentinel.VerdictBlock // fail_open is off
	got = telemetry.Records(now, event(), d, nil, 0)
	require.Equal(t, "unavailable", got[len(got)-1].Target)

	d.Findings = d.Findings[:1]
	require.Empty(t, telemetry.Records(now, event(), d, nil, 0)[1].Reason, "a pass gives no reason for the decision")
}

func TestRecordsMaskSecrets(t *testing.T) {
	t.Parallel()
	password, key := "k8wq"+"Zt71"+"xx", "AKIA"+"3Z7QWX2MTBN5RLKD"
	f := finding(sentinel.OutcomeViolation, sentinel.SeverityBlock)
	f.Action = &sentinel.Action{
		Trigger: sentinel.Bash, Target: "curl -H 'X: " + key + "' https://u:" + password + "@h.test", DerivedFrom: "echo " + key,
		Content: `const dbPassword = "` + password + `2"`,
	}
	f.Reason = "the file holds " + password + "2 in clear"
	f.Err = errors.New("rejected key " + key)
	f.Rule.ID = "rule-" + key
	ev := event()
	ev.Session, ev.Tool.Name, ev.Tool.ID = key, "tool "+key, key
	ev.Tool.Args = json.RawMessage(`{"password":"` + password + `3"}`)
	d := sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{f}}
	got := telemetry.Records(now, ev, d, errors.New("could not send "+password+"3"), 0)
	line, err := json.Marshal(got)
	require.NoError(t, err)
	require.NotContains(t, string(line), password)
	require.NotContains(t, string(line), key)
	require.Contains(t, got[0].Target, "AKIA…[masked aws-access-key]")
	require.Equal(t, "the file holds …[masked generic-password] in clear", got[0].Reason)
	require.NotContains(t, string(line), "dbPassword", "content is never logged")
}

func TestRecordsCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000)
	f := finding(sentinel.OutcomeViolation, sentinel.SeverityBlock)
	f.Action = &sentinel.Action{Trigger: sentinel.Bash, Target: long, DerivedFrom: long}
	f.Reason, f.Err, f.Rule.ID = long, errors.New(long), long
	f.Response = sentinel.Response{Model: long, Backend: long}
	ev := event()
	ev.Session, ev.Agent, ev.Tool.Name, ev.Tool.ID = long, long, long, long
	for _, r := range telemetry.Records(now, ev, sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{f}}, nil, 0) {
		for limit, values := range map[int][]string{
			1000: {r.Target}, 500: {r.Reason, r.Error}, 200: {r.RuleID, r.Session, r.Agent, r.Tool, r.CallID, r.Model, r.Backend, r.DerivedFrom},
		} {
			for _, v := range values {
				if v == "" {
					continue
				}
				require.Equal(t, limit, utf8.RuneCountInString(v))
				require.True(t, strings.HasSuffix(v, "é…"), "cut at a character, and said so")
			}
		}
	}
	// Exactly at the limit nothing is cut; no character is halved.
	f.Action = &sentinel.Action{Trigger: sentinel.Bash, Target: long[:2*1000]}
	f.Reason = long[:2*499] + "\xc3"
	r := telemetry.Records(now, ev, sentinel.Decision{Findings: []sentinel.Finding{f}}, nil, 0)[0]
	require.Equal(t, long[:2*1000], r.Target)
	require.Equal(t, long[:2*499]+"\uFFFD", r.Reason)
}

// Whatever an engine of somebody else returns gives lines that can be written.
func TestRecordsOfAnything(t *testing.T) {
	t.Parallel()
	f := sentinel.Finding{Match: sentinel.Match{OK: true}, Outcome: 99, Confidence: math.NaN(), Took: -time.Hour}
	d := sentinel.Decision{Verdict: 99, Findings: []sentinel.Finding{f, {Rule: &sentinel.RuleSpec{Threshold: math.Inf(1)}}}}
	got := telemetry.Records(now, sentinel.Event{}, d, nil, math.NaN())
	require.Len(t, got, 3)
	require.Equal(t, "unavailable", got[0].Level)
	_, err := json.Marshal(got)
	require.NoError(t, err)
}

// A call that another rule stops is not recorded as asked for, though the person's words let
// it pass one rule.
func TestAskedForOfACallThatIsStopped(t *testing.T) {
	t.Parallel()
	for verdict, mode := range map[sentinel.Verdict]string{sentinel.VerdictAllow: telemetry.ModeAskedFor, sentinel.VerdictAsk: "", sentinel.VerdictBlock: ""} {
		d := sentinel.Decision{Verdict: verdict, Findings: []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "a", Severity: sentinel.SeverityAsk}, Action: &sentinel.Action{Trigger: sentinel.Bash, Target: "x"},
			Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation, Asked: "x",
		}}}
		got := telemetry.Records(time.Now(), event(), d, nil, 0)
		require.Equal(t, telemetry.ModeAskedFor, got[0].Mode)
		require.Equal(t, mode, got[1].Mode, verdict)
	}
}
