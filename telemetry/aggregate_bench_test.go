package telemetry_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

// writeBusyLog writes a log as months of work leave it, of so many lines.
func writeBusyLog(tb testing.TB, n int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "sentinel.log")
	f, err := os.Create(path)
	require.NoError(tb, err)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := 0; i < n; i++ {
		at = at.Add(time.Duration(random.IntN(20)) * time.Second)
		r := telemetry.Record{
			Time: at, RuleID: "rule-" + strconv.Itoa(random.IntN(24)), Trigger: "file_write", Target: fmt.Sprintf("src/core/module%d/file%d.ts", random.IntN(40), random.IntN(80)),
			Confidence: 0.9, Reason: "nothing in it touches what the rule protects", ElapsedMS: float64(random.IntN(90000)) / 1000, Model: "gemma3:4b", Backend: "ollama",
			Level: telemetry.LevelEval, Severity: "block", Outcome: "pass", Session: "5f0c" + strconv.Itoa(i/400), Agent: "claude", Tool: "Edit",
			CallID: "toolu_" + strconv.Itoa(i/2), Threshold: 0.7, PromptTokens: 212, OutputTokens: 12,
		}
		switch i % 7 {
		case 0:
			r.Violation, r.Outcome, r.Reason = true, "violation", "this changes how invoices are numbered, which \"only\" the billing team may do"
		case 1, 3, 5:
			r.RuleID, r.Level, r.Outcome, r.Verdict, r.Matched, r.Judged, r.Model, r.Backend = "", telemetry.LevelDecision, "", "allow", 1, 1, "", ""
			r.Severity, r.Confidence, r.Threshold, r.PromptTokens, r.OutputTokens = "", 0, 0, 0, 0
		case 2:
			r.Trigger, r.Tool, r.Target = "bash", "Bash", "cd app && npm run build -- --filter \"@acme/web\" | tee build.log"
		}
		require.NoError(tb, enc.Encode(r))
		if out.Len() > 1<<20 {
			_, err := f.Write(out.Bytes())
			require.NoError(tb, err)
			out.Reset()
		}
	}
	_, err = f.Write(out.Bytes())
	require.NoError(tb, err)
	require.NoError(tb, f.Close())
	return path
}

// BenchmarkAggregate measures the statistics of a log, and for comparison
// json.Valid alone for the same lines. The ratio of the two is recorded. Lines:
// set STATS_LINES, 100,000 if unset.
func BenchmarkAggregate(b *testing.B) {
	lines := 100_000
	if n, err := strconv.Atoi(os.Getenv("STATS_LINES")); err == nil {
		lines = n
	}
	path := writeBusyLog(b, lines)
	info, err := os.Stat(path)
	require.NoError(b, err)
	var valid, aggregate time.Duration
	b.SetBytes(info.Size())
	for b.Loop() {
		start := time.Now()
		validOnly(b, path)
		valid += time.Since(start)
		start = time.Now()
		s, err := telemetry.Aggregate(b.Context(), []string{path}, nil)
		aggregate += time.Since(start)
		require.NoError(b, err)
		require.EqualValues(b, lines, s.Lines.Counted)
	}
	b.ReportMetric(float64(valid.Milliseconds())/float64(b.N), "json.Valid-ms")
	b.ReportMetric(float64(aggregate.Milliseconds())/float64(b.N), "aggregate-ms")
	b.ReportMetric(float64(aggregate)/float64(valid), "ratio")
}

// validOnly runs json.Valid over every line of a file.
func validOnly(b *testing.B, path string) {
	f, err := os.Open(path)
	require.NoError(b, err)
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if !json.Valid(in.Bytes()) {
			b.Error("not JSON")
		}
	}
	require.NoError(b, in.Err())
}
