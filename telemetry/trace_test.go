package telemetry_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/telemetry"
)

// An asked is a decision whose one finding kept what its judge was asked.
func asked(promptText string) sentinel.Decision {
	action := &sentinel.Action{Trigger: sentinel.FileWrite, Target: "a.ts", Content: promptText}
	return sentinel.Decision{ID: "aaaaaaaaaa", Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{
		{Rule: &sentinel.RuleSpec{ID: "other"}, Action: action, Match: sentinel.Match{Why: "trigger"}, Outcome: sentinel.OutcomeSkipped},
		{Rule: &sentinel.RuleSpec{ID: "free"}, Action: action, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomePass},
		{Rule: &sentinel.RuleSpec{ID: "r", Shadow: true, Severity: sentinel.SeverityAsk}, Action: action, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation,
			Attempts: []sentinel.Attempt{{Backend: "ollama", Request: sentinel.Request{System: "s", Prompt: promptText}, Response: sentinel.Response{Text: "answer", Waited: time.Millisecond}}}},
	}}
}

// A trace has the id of the record of the same finding, no secret and no endless text.
func TestTraces(t *testing.T) {
	t.Parallel()
	d := asked("token = sk_live_4eC39HqLyjWDarjtT1zdp7dc " + strings.Repeat("ä", 100_000))
	traces := telemetry.Traces(time.Unix(0, 0), sentinel.Event{}, d)
	require.Len(t, traces, 1)
	records := telemetry.Records(time.Unix(0, 0), sentinel.Event{}, d, nil, 0)
	require.Len(t, records, 3)
	require.Equal(t, []string{"aaaaaaaaaa.1", "aaaaaaaaaa.2", "aaaaaaaaaa"}, []string{records[0].ID, records[1].ID, records[2].ID})
	require.Equal(t, records[1].ID, traces[0].ID)
	require.Equal(t, "ask", records[1].Would)
	require.InDelta(t, 1, records[1].WaitedMS, 1e-9)
	require.Equal(t, "answer", traces[0].Attempts[0].Answer)
	require.NotContains(t, traces[0].Attempts[0].Prompt, "4eC39HqLyjWDarjtT1zdp7dc")
	require.Equal(t, 32_000, len([]rune(traces[0].Attempts[0].Prompt)))

	d.Findings[2].Attempts[0].Request = sentinel.Request{}
	require.Empty(t, telemetry.Traces(time.Unix(0, 0), sentinel.Event{}, d), "nothing was kept")
}

// A finding that is left until after the answer has no line of its own yet.
func TestDeferredHasNoLine(t *testing.T) {
	t.Parallel()
	d := asked("x")
	f := &d.Findings[2]
	f.Outcome, f.Deferred, f.Attempts = sentinel.OutcomeSkipped, true, nil
	records := telemetry.Records(time.Unix(0, 0), sentinel.Event{}, d, nil, 0)
	require.Len(t, records, 2)
	require.Equal(t, 2, records[1].Matched)
}

func TestWriteTraces(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompts", "p.jsonl")
	traces := telemetry.Traces(time.Unix(0, 0), sentinel.Event{}, asked("x"))
	log := telemetry.Open(path, nil)
	require.NoError(t, log.WriteTraces(nil))
	require.NoFileExists(t, path)
	require.NoError(t, log.WriteTraces(traces))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var back telemetry.Trace
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, traces[0], back)
	if info, err := os.Stat(path); runtime.GOOS != "windows" {
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestSameCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"aaaaaaaaaa", "aaaaaaaaaa.1", true}, {"aaaaaaaaaa.2", "aaaaaaaaaas.1", true}, {"aaaaaaaaas", "aaaaaaaaas.1", true},
		{"aaaaaaaaaa", "aaaaaaaaab", false}, {"", "", false}, {".", ".", true}, {"aaaaaaaaaa", "", false},
	} {
		require.Equal(t, test.same, telemetry.SameCall(test.a, test.b), "%q %q", test.a, test.b)
	}
}
