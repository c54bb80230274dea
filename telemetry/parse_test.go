package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

const reference = `{"ts":"2026-03-30T14:22:01Z","rule_id":"billing-protection","trigger":"file_write","target":"src/core/billing/invoice.ts","violation":true,"confidence":0.92,"reason":"File is in the protected billing directory","elapsed_ms":47,"model":"gemma3:4b","backend":"ollama"}`

func TestParseReferenceLine(t *testing.T) {
	t.Parallel()
	got, err := telemetry.Parse([]byte(reference + "\r\n"))
	require.NoError(t, err)
	require.Equal(t, telemetry.Record{
		Time: time.Date(2026, 3, 30, 14, 22, 1, 0, time.UTC), RuleID: "billing-protection", Trigger: "file_write", Target: "src/core/billing/invoice.ts",
		Violation: true, Confidence: 0.92, Reason: "File is in the protected billing directory", ElapsedMS: 47, Model: "gemma3:4b", Backend: "ollama",
		Level: "eval", Outcome: "violation",
	}, got)
}

func TestParseOlderLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, more string
		want       func(r *telemetry.Record)
	}{
		{"evaluation", `,"level":"eval","tool":"Write","blocked":true,"threshold":0.7`, func(r *telemetry.Record) {
			r.Level, r.Tool, r.Severity, r.Threshold, r.Outcome = "eval", "Write", "block", 0.7, "violation"
		}},
		{"near miss", `,"level":"eval","blocked":false,"confidence":0.65,"threshold":0.7`, func(r *telemetry.Record) {
			r.Confidence, r.Threshold = 0.65, 0.7
			r.Violation, r.NearMiss, r.Outcome = false, true, "pass"
		}},
		{"at the threshold", `,"confidence":0.7,"threshold":0.7`, func(r *telemetry.Record) { r.Confidence, r.Threshold = 0.7, 0.7 }},
		{"skipped", `,"level":"skipped","violation":false,"blocked":false`, func(r *telemetry.Record) {
			r.Level, r.Violation, r.Outcome = "unavailable", false, "unavailable"
		}},
		{"passed", `,"violation":false`, func(r *telemetry.Record) { r.Violation, r.Outcome = false, "pass" }},
		{"microseconds and an offset", `,"ts":"2026-03-30T16:22:01.000000+02:00"`, func(*telemetry.Record) {}},
		{"no zone", `,"ts":"2026-03-30T14:22:01.000000"`, func(*telemetry.Record) {}},
		{"null", `,"confidence":null`, func(*telemetry.Record) {}},
		{"from the future", `,"level":"dream","shape":{"round":[1,2]}`, func(r *telemetry.Record) { r.Level, r.Outcome = "dream", "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want, err := telemetry.Parse([]byte(reference))
			require.NoError(t, err)
			c.want(&want)
			got, err := telemetry.Parse([]byte(strings.TrimSuffix(reference, "}") + c.more + "}"))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{``, "telemetry: not a record: broken JSON at byte 0"},
		{reference[:40], "broken JSON"},
		{reference + reference, "broken JSON"},
		{`{"level":"eval","ts":"2026-03-30T14:22:01Z"}`, "no rule_id"},
		{`{"rule_id":"x"}`, `"ts" is no RFC 3339 time`},
		{`{"rule_id":"x","ts":"yesterday"}`, `"ts" is no RFC 3339 time`},
		{`{"rule_id":"x","ts":"0000-01-01T00:00:00+01:00"}`, `"ts" is no RFC 3339 time`},
		{`{"rule_id":"x","ts":1774880521}`, `key "ts" has a value of the wrong type`},
		{`{"rule_id":"x","ts":"2026-03-30T14:22:01Z","confidence":"high"}`, `key "confidence" has a value of the wrong type`},
		{`[]`, "telemetry: not a record"},
		{`null`, "no rule_id"},
	} {
		_, err := telemetry.Parse([]byte(c.line))
		require.ErrorContains(t, err, c.want, c.line)
		require.NotContains(t, err.Error(), "billing", "an error quotes nothing of the line")
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	long := `{"rule_id":"` + strings.Repeat("x", 2<<20) + `"}`
	atLimit := strings.Replace(reference, "billing-protection", strings.Repeat("y", 1<<19), 1)
	input := strings.Join([]string{
		reference, reference + "\r", "", "  \t", `not JSON`, long, atLimit, reference, `{"ts":"2026-03-30T14:22:01Z","rule_id":"torn","tri`,
	}, "\n")
	type result struct {
		rule string
		line int
	}
	var got []result
	for r, err := range telemetry.Scan(iotest.HalfReader(strings.NewReader(input))) {
		var le *telemetry.LineError
		switch {
		case errors.As(err, &le):
			got = append(got, result{line: le.Line})
			if le.Line == 6 {
				require.ErrorIs(t, err, telemetry.ErrTooLong)
				require.EqualError(t, err, "line 6: telemetry: line is longer than 1 MB")
			}
		default:
			require.NoError(t, err)
			got = append(got, result{rule: r.RuleID[:7]})
		}
	}
	require.Equal(t, []result{{rule: "billing"}, {rule: "billing"}, {line: 5}, {line: 6}, {rule: "yyyyyyy"}, {rule: "billing"}, {line: 9}}, got)
}

func TestScanEnds(t *testing.T) {
	t.Parallel()
	count := func(in io.Reader) (records, lineErrors int, last error) {
		for _, err := range telemetry.Scan(in) {
			var le *telemetry.LineError
			switch {
			case errors.As(err, &le):
				lineErrors++
			case err != nil:
				last = err
			default:
				records++
			}
		}
		return records, lineErrors, last
	}
	broken := errors.New("disk on fire")
	for _, c := range []struct {
		name             string
		in               io.Reader
		records, garbled int
		err              error
	}{
		{"empty", strings.NewReader(""), 0, 0, nil},
		{"whole last line without its end", strings.NewReader(reference), 1, 0, nil},
		{"a long line without its end", strings.NewReader(strings.Repeat("x", 3<<20)), 0, 1, nil},
		{"a line of exactly the buffer's size", strings.NewReader(strings.Repeat(" ", 64<<10-1) + "\n" + reference + "\n"), 1, 0, nil},
		{"a reader that fails", io.MultiReader(strings.NewReader(reference+"\n"+reference+"\n"), iotest.ErrReader(broken)), 2, 0, broken},
		{"one that fails in a line", io.MultiReader(strings.NewReader(reference+"\n"+reference[:20]), iotest.ErrReader(broken)), 1, 1, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			records, garbled, err := count(c.in)
			require.Equal(t, c.records, records)
			require.Equal(t, c.garbled, garbled)
			require.ErrorIs(t, err, c.err)
		})
	}
	for range telemetry.Scan(strings.NewReader(reference + "\n" + reference)) {
		break // the sequence lets itself be left
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(reference))
	f.Add([]byte(`{"ts":"2026-03-30 14:22:01","rule_id":"","level":"decision","verdict":"ask","rules_matched":2,"cached":true,"near_miss":true}`))
	f.Add([]byte(`{"ts":"9999-12-31T23:59:59-10:00","rule_id":"\u0000\ud800"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := telemetry.Parse(data)
		if err != nil {
			require.Zero(t, r)
			return
		}
		require.NotEmpty(t, r.Level)
		// What was read can be written, and reads the same again.
		line, err := json.Marshal(r)
		require.NoError(t, err)
		again, err := telemetry.Parse(line)
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(reference + "\n" + reference[:50]))
	f.Add([]byte("\r\n\n\x00\n" + reference))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := 0
		for _, err := range telemetry.Scan(bytes.NewReader(data)) {
			lines++
			var le *telemetry.LineError
			if errors.As(err, &le) {
				require.Positive(t, le.Line)
			} else {
				require.NoError(t, err)
			}
		}
		require.LessOrEqual(t, lines, bytes.Count(data, []byte("\n"))+1)
	})
}
