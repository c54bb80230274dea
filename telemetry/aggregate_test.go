package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

// start is when the logs of these tests begin.
var start = time.Date(2026, 3, 30, 14, 0, 0, 0, time.UTC)

// A logLine is a record, so many seconds after start.
func logLine(after int, r telemetry.Record) string {
	r.Time = start.Add(time.Duration(after) * time.Second)
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// evaluation is a line about one rule.
func evaluation(after int, rule, target string, violation bool, change ...func(*telemetry.Record)) string {
	r := telemetry.Record{
		RuleID: rule, Trigger: "bash", Target: target, Violation: violation, Confidence: 0.9, ElapsedMS: 100, Model: "gemma3:4b", Backend: "ollama",
		Level: telemetry.LevelEval, Severity: "block", Outcome: "pass", Session: "s1", Agent: "claude", Tool: "Bash", Threshold: 0.7,
	}
	if violation {
		r.Outcome = "violation"
	}
	for _, c := range change {
		c(&r)
	}
	return logLine(after, r)
}

// decision is a line about a whole call.
func decision(after int, target, verdict string) string {
	return logLine(after, telemetry.Record{Trigger: "bash", Target: target, Level: telemetry.LevelDecision, Verdict: verdict, Session: "s1", Agent: "claude", Tool: "Bash", ElapsedMS: 50})
}

func call(id string) func(*telemetry.Record) { return func(r *telemetry.Record) { r.CallID = id } }

func writeLog(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sentinel.log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

func aggregate(t testing.TB, opts *telemetry.StatsOptions, lines ...string) *telemetry.Stats {
	t.Helper()
	s, err := telemetry.Aggregate(context.Background(), []string{writeLog(t, lines...)}, opts)
	require.NoError(t, err)
	return s
}

func TestAggregateCounts(t *testing.T) {
	t.Parallel()
	s := aggregate(t, &telemetry.StatsOptions{
		Recent: 10, Pricing: func(model string) (float64, float64) {
			require.Equal(t, "gemma3:4b", model)
			return 2, 10
		},
	},
		evaluation(0, "a", "x", false, func(r *telemetry.Record) { r.PromptTokens, r.OutputTokens = 1000, 100 }),
		evaluation(1, "a", "y", true),
		decision(1, "y", "block"),
		evaluation(2, "a", "z", false, func(r *telemetry.Record) { r.NearMiss, r.Confidence = true, 0.5 }),
		evaluation(3, "a", "z", false, func(r *telemetry.Record) { r.Cached, r.ElapsedMS = true, 0.1 }),
		evaluation(4, "b", "z", true, func(r *telemetry.Record) { r.Severity = "ask"; r.Agent, r.Session = "codex", "s2" }),
		decision(4, "z", "ask"),
		evaluation(5, "b", "z", false, func(r *telemetry.Record) {
			r.Level, r.Outcome, r.Error = telemetry.LevelUnavailable, "unavailable", "ollama: complete: context deadline exceeded"
		}),
		evaluation(6, "b", "z", false, func(r *telemetry.Record) {
			r.Level, r.Outcome, r.Mode = telemetry.LevelSkipped, "skipped", telemetry.ModePaused
		}),
		evaluation(7, "c", "z", true, func(r *telemetry.Record) { r.Mode, r.Would = telemetry.ModeShadow, "block" }),
		evaluation(8, "c", "z", false, func(r *telemetry.Record) { r.Mode = telemetry.ModeShadow }),
		logLine(9, telemetry.Record{RuleID: "b", Level: telemetry.LevelAllowed, By: "sam", Target: "z", Reason: "a person let this call through"}),
		evaluation(10, "b", "z", true, func(r *telemetry.Record) { r.Severity, r.Mode = "ask", telemetry.ModeAllowed }),
		logLine(11, telemetry.Record{Level: telemetry.LevelPaused, By: "sam"}),
		logLine(12, telemetry.Record{Level: telemetry.LevelContext, Outcome: "pass", ElapsedMS: 900, PromptTokens: 500, Model: "gemma3:4b"}),
		logLine(13, telemetry.Record{Level: telemetry.LevelScribe, Outcome: "unavailable", Error: "no answer"}),
		logLine(14, telemetry.Record{Level: "dream"}),
	)
	require.Equal(t, telemetry.Tally{
		Evaluations: 8, Violations: 4, NearMisses: 1, Cached: 1, Skipped: 1, Unavailable: 1, Timeouts: 1, Blocks: 1, Asks: 1, Asked: 1, Blocked: 1,
	}, s.Tally)
	require.Equal(t, telemetry.LineCounts{Files: 1, Bytes: s.Lines.Bytes, Read: 17, Counted: 17, Unknown: 1}, s.Lines)
	require.EqualValues(t, []int64{2, 1, 1}, []int64{s.Sessions, s.Overridden, s.Pauses})
	require.Equal(t, start, s.First)
	require.Equal(t, start.Add(14*time.Second), s.Last)
	require.Equal(t, telemetry.Usage{PromptTokens: 1500, OutputTokens: 100, Cost: 0.004}, s.Usage)
	require.Equal(t, []telemetry.Spent{{Day: start.Truncate(24 * time.Hour), Model: "gemma3:4b", Calls: 2, Usage: s.Usage}}, s.Spent)

	require.Equal(t, []string{"a", "b", "c"}, ruleIDs(s))
	a, b, c := s.Rules[0], s.Rules[1], s.Rules[2]
	require.EqualValues(t, 3, a.Latency.Count(), "an answer of the cache has no latency of its own")
	require.EqualValues(t, 100, a.Latency.Max())
	require.InDelta(t, 0.8, a.Confidence.Mean(), 1e-9)
	require.Equal(t, telemetry.Usage{PromptTokens: 1000, OutputTokens: 100, Cost: 0.003}, a.Usage)
	require.EqualValues(t, []int64{1, 1, 1}, []int64{b.Overridden, b.Paused, b.Asks})
	require.True(t, c.Shadow)
	require.EqualValues(t, []int64{2, 1, 0}, []int64{c.ShadowEvaluations, c.WouldBlock, c.Blocks})

	require.Len(t, s.Agents, 2)
	require.Equal(t, "claude", s.Agents[0].Name)
	require.EqualValues(t, 7, s.Agents[0].Evaluations)
	require.Equal(t, []string{"gemma3:4b", "ollama"}, []string{s.Models[0].Name, s.Models[0].Backend})
	require.Equal(t, []telemetry.Count{{Text: "z", N: 3}, {Text: "y", N: 1}}, s.Violated)
	require.EqualValues(t, []int64{1, 1, 0, 0}, []int64{s.Context.Runs, s.Context.Done, s.Context.Failed, s.Scribe.Done})
	require.Equal(t, "no answer", s.Scribe.LastError)
	var recent []string
	for _, r := range s.Recent {
		recent = append(recent, r.RuleID+" "+r.Target+" "+r.Level)
	}
	require.Equal(t, []string{"a y eval", "a z eval", "b z eval", "b z unavailable", "c z eval", "b z allowed", "b z eval"}, recent)
}

func ruleIDs(s *telemetry.Stats) (ids []string) {
	for i := range s.Rules {
		ids = append(ids, s.Rules[i].ID)
	}
	return ids
}

func TestAggregateOlderLines(t *testing.T) {
	t.Parallel()
	s := aggregate(t, nil,
		reference,
		`{"ts": "2026-03-30T14:22:02Z", "rule_id": "no-secrets", "trigger": "bash", "target": "x", "violation": true, "confidence": 0.8, "reason": "r", "elapsed_ms": 12, "model": "haiku", "backend": "claude", "level": "eval", "tool": "Bash", "blocked": true, "threshold": 0.7}`,
		`{"ts": "2026-03-30T14:22:03Z", "rule_id": "no-secrets", "trigger": "bash", "target": "x", "violation": false, "confidence": 0.0, "reason": "Timeout after 5000ms", "elapsed_ms": 5000, "model": "haiku", "backend": "claude", "level": "skipped", "tool": "Bash", "blocked": false, "threshold": 0.7}`,
		`{"ts": "2026-03-30T14:22:04Z", "rule_id": "no-secrets", "trigger": "bash", "target": "x", "violation": true, "confidence": 0.6, "reason": "r", "elapsed_ms": 12, "model": "haiku", "backend": "claude", "level": "eval", "tool": "Bash", "blocked": false, "threshold": 0.7}`,
		`{"ts": "2026-03-30T14:22:05Z", "level": "context", "action": "accumulate", "model": "gemma3:4b", "elapsed_ms": 900.5, "backend": "ollama"}`,
		`{"ts": "2026-03-30T14:22:06Z", "level": "scribe", "action": "extraction", "model": "haiku", "elapsed_ms": 1200.0, "backend": "claude", "response": "{}"}`,
		`{"ts": "2026-03-30T14:22:07Z", "level": "scribe", "action": "synthesis", "model": "haiku", "elapsed_ms": 5.0, "backend": "claude", "error": "timed out"}`,
		`{"ts": "2026-03-30T14:22:08Z", "level": "debug", "msg": "x"}`,
		`{"ts": "2026-03-30T14:22:09Z", "level": "info", "rule_id": "no-secrets", "trigger": "bash", "target": "x", "violation": false, "confidence": 0.0, "reason": "info", "elapsed_ms": 3, "model": "haiku"}`,
		`{"ts": "2026-03-30T14:22:10Z", "level": "strange", "msg": "x"}`,
	)
	require.Equal(t, telemetry.Tally{Evaluations: 3, Violations: 2, NearMisses: 1, Blocks: 1, Unavailable: 1, Timeouts: 1}, s.Tally)
	require.EqualValues(t, 1, s.Lines.Foreign)
	require.Zero(t, s.Lines.Unknown)
	require.EqualValues(t, 1, s.Context.Done)
	require.Equal(t, []int64{2, 1, 1}, []int64{s.Scribe.Runs, s.Scribe.Done, s.Scribe.Failed})
	require.Equal(t, "timed out", s.Scribe.LastError)
	require.Equal(t, []string{"billing-protection", "no-secrets"}, ruleIDs(s))
	require.Equal(t, "block", s.Rules[1].Severity)
}

func TestAggregateFilters(t *testing.T) {
	t.Parallel()
	lines := []string{
		evaluation(0, "a", "x", false), decision(0, "x", "allow"),
		evaluation(60, "b", "x", false, func(r *telemetry.Record) { r.Agent = "codex" }),
		evaluation(120, "a", "x", false, func(r *telemetry.Record) { r.Session = "s2" }), evaluation(180, "a", "y", false),
	}
	for name, c := range map[string]struct {
		opts telemetry.StatsOptions
		want int64
	}{
		"all":     {telemetry.StatsOptions{}, 5},
		"since":   {telemetry.StatsOptions{Since: start.Add(time.Minute)}, 3},
		"until":   {telemetry.StatsOptions{Until: start.Add(time.Minute)}, 2},
		"rule":    {telemetry.StatsOptions{Rules: []string{"a", "missing"}}, 3},
		"session": {telemetry.StatsOptions{Session: "s2"}, 1},
		"agent":   {telemetry.StatsOptions{Agent: "codex"}, 1},
		"nothing": {telemetry.StatsOptions{Agent: "codex", Rules: []string{"a"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := aggregate(t, &c.opts, lines...)
			require.Equal(t, c.want, s.Lines.Counted)
			require.EqualValues(t, len(lines), s.Lines.Read)
		})
	}
}

// The records in the files of a log are counted, whichever program wrote them.
func TestAggregateBadLines(t *testing.T) {
	t.Parallel()
	s := aggregate(t, &telemetry.StatsOptions{Now: start},
		evaluation(0, "a", "x", false), "", " \t", "not JSON", `{"ts":"2026-03-30T14:22:01Z","rule_id":"torn","tri`, `{"message":"of another program"}`, `[]`,
		strings.Repeat("x", 3<<20), `{"rule_id":"`+strings.Repeat("y", 2<<20)+`"}`,
		evaluation(7200, "a", "x", false), evaluation(-7200, "a", "x", true), evaluation(400*24*3600, "a", "x", false), "\x00\xff\xfe",
	)
	require.Equal(t, telemetry.LineCounts{
		Files: 1, Bytes: s.Lines.Bytes, Read: 11, Counted: 4, Torn: 4, Foreign: 1, TooLong: 2, Ahead: 1, Backward: s.Lines.Backward,
	}, s.Lines)
	require.Equal(t, start.Add(2*time.Hour), s.Last, "a line from the future is no last one")
	require.EqualValues(t, 4, s.Evaluations)

	missing := filepath.Join(t.TempDir(), "sentinel.log")
	s, err := telemetry.Aggregate(t.Context(), []string{missing}, nil)
	require.NoError(t, err)
	require.Zero(t, s.Lines)
	_, err = telemetry.Aggregate(t.Context(), []string{t.TempDir()}, nil)
	require.ErrorContains(t, err, "is not a regular file")
}

// Files are read in their order, with long lines, other line ends and a last line
// without an end.
func TestAggregateFiles(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 12_000 {
		target := fmt.Sprintf("target %d %s", i%300, strings.Repeat("ž", i%200))
		if i%1000 == 0 {
			target = strings.Repeat("long ", 20_000*(i/1000%4)) // up to 400 kB
		}
		lines = append(lines, evaluation(i, fmt.Sprint("rule-", i%17), target, i%13 == 0, call(fmt.Sprint(i))))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "sentinel.log")
	require.NoError(t, os.WriteFile(path+".1", []byte(strings.Join(lines[:7000], "\n")+"\n"), 0o600))
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[7000:], "\r\n")), 0o600)) // the last line has no end
	var done, total int64
	s, err := telemetry.Aggregate(t.Context(), telemetry.Files(path), &telemetry.StatsOptions{
		Recent: 50, Progress: func(d, all int64) { done, total = d, all },
	})
	require.NoError(t, err)
	require.Equal(t, total, done)
	require.Equal(t, telemetry.LineCounts{Files: 2, Bytes: total, Read: 12_000, Counted: 12_000}, s.Lines)
	require.EqualValues(t, 12_000, s.Evaluations)
	require.EqualValues(t, 924, s.Violations)
	require.Len(t, s.Recent, 50)
	for i, r := range s.Recent {
		require.Equal(t, start.Add(time.Duration((11999/13-49+i)*13)*time.Second), r.Time)
	}
}

// A file of 128 MB without a line end costs no more memory than a small one, nor
// do lines that are as long as a line can be and differ.
func TestAggregateHugeFiles(t *testing.T) { // not parallel: it counts what is allocated
	path := writeLog(t, evaluation(0, "a", "x", false))
	require.NoError(t, os.Truncate(path, 128<<20))
	long := filepath.Join(t.TempDir(), "long.log")
	f, err := os.Create(long)
	require.NoError(t, err)
	for i := range 80 {
		_, err := f.WriteString(evaluation(i, fmt.Sprint("a", i), fmt.Sprint(i, strings.Repeat("x", 1000_000)), true) + "\n")
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s, err := telemetry.Aggregate(t.Context(), []string{path, long}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 81, s.Evaluations)
	require.EqualValues(t, 1, s.Lines.TooLong)
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+(32<<20), "bytes that are kept of 200 MB")
	runtime.KeepAlive(s)
}

// A line that begins just where a read of the file does is read, and read once.
func TestAggregateAtReadBoundary(t *testing.T) {
	t.Parallel()
	line := evaluation(0, "a", "x", false)
	for _, shift := range []int{-1, 0, 1} {
		padding := evaluation(0, "a", strings.Repeat("p", 1<<19), false)
		rest := 1<<20 - len(padding) - 1 + shift // the next line ends, with its line end, at the boundary
		second := evaluation(0, "a", strings.Repeat("p", rest-1-len(evaluation(0, "a", "", false))), false)
		s := aggregate(t, nil, padding, second, line, line)
		require.Equal(t, telemetry.LineCounts{Files: 1, Bytes: s.Lines.Bytes, Read: 4, Counted: 4}, s.Lines, "boundary %+d", shift)
	}
}

// A file that has two names, as in the middle of a rotation, is read once.
func TestAggregateRotation(t *testing.T) {
	t.Parallel()
	path := writeLog(t, evaluation(0, "a", "x", false))
	require.NoError(t, os.Link(path, path+".1"))
	s, err := telemetry.Aggregate(t.Context(), telemetry.Files(path), nil)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Evaluations)
	require.Equal(t, 1, s.Lines.Files)
}

func TestAggregateIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var lines []string
	for i := range 20_000 {
		lines = append(lines, evaluation(i, "a", "x", false))
	}
	_, err := telemetry.Aggregate(ctx, []string{writeLog(t, lines...)}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// Memory stays bounded where every line brings new names, and what is left out is
// said.
func TestAggregateManyNames(t *testing.T) {
	t.Parallel()
	const n = 30_000
	lines := make([]string, 0, n)
	for i := range n {
		target := fmt.Sprint("target ", i)
		if i%10 == 0 {
			target = "the usual one"
		}
		lines = append(lines, evaluation(i*86400/10, fmt.Sprint("rule ", i/20), target, true, call(fmt.Sprint(i)), func(r *telemetry.Record) {
			r.Session, r.Model, r.Tool, r.Agent, r.PromptTokens = fmt.Sprint(i), fmt.Sprint("m", i), fmt.Sprint("t", i), fmt.Sprint("a", i), 1
		}))
	}
	s := aggregate(t, nil, lines...)
	require.EqualValues(t, n, s.Evaluations)
	require.EqualValues(t, n, s.PromptTokens)
	require.LessOrEqual(t, len(s.Rules), 500)
	require.LessOrEqual(t, len(s.Models), 100)
	require.LessOrEqual(t, len(s.Spent), 4000)
	require.Positive(t, s.Left.RuleLines)
	require.Positive(t, s.Left.GroupLines)
	require.Positive(t, s.Left.SpentCalls)
	require.Equal(t, "the usual one", s.Violated[0].Text)
	require.LessOrEqual(t, s.Violated[0].N, int64(n/10))
	require.GreaterOrEqual(t, s.Violated[0].N+s.Violated[0].Missed, int64(n/10), "what may be missed is told")
	require.InDelta(t, n, s.Sessions, n/5, "the number of sessions is estimated")
	buckets, _, _ := s.Over(90)
	require.LessOrEqual(t, len(buckets), 90)
	var all int64
	for _, b := range buckets {
		all += b.Evaluations
	}
	require.EqualValues(t, n, all)
}

func TestContestedBlocks(t *testing.T) {
	t.Parallel()
	blocked := func(after int, id string) string { return evaluation(after, "a", "x", true, call(id)) }
	passed := func(after int, id string) string { return evaluation(after, "a", "x", false, call(id)) }
	plain := func(r *telemetry.Record) { r.Outcome, r.Session, r.CallID = "", "", "" }
	for name, c := range map[string]struct {
		lines           []string
		tries, insisted int64
	}{
		"not tried again":     {[]string{blocked(0, "1"), decision(0, "x", "block")}, 0, 0},
		"tried and blocked":   {[]string{blocked(0, "1"), decision(0, "x", "block"), blocked(60, "2"), decision(60, "x", "block")}, 1, 0},
		"went through":        {[]string{blocked(0, "1"), decision(0, "x", "block"), passed(60, "2"), decision(60, "x", "allow"), passed(61, "3")}, 1, 1},
		"too late":            {[]string{blocked(0, "1"), decision(0, "x", "block"), blocked(900, "2"), decision(900, "x", "block")}, 0, 0},
		"the clock jumped":    {[]string{blocked(0, "1"), decision(0, "x", "block"), blocked(-90000, "2")}, 0, 0},
		"one call, two rules": {[]string{blocked(0, "1"), evaluation(0, "b", "x", false, call("1")), decision(0, "x", "block")}, 0, 0},
		"no ids of calls":     {[]string{blocked(0, ""), evaluation(0, "b", "x", false), decision(0, "x", "block"), passed(5, ""), decision(5, "x", "allow")}, 1, 1},
		"another session":     {[]string{blocked(0, "1"), decision(0, "x", "block"), evaluation(9, "a", "x", true, call("2"), func(r *telemetry.Record) { r.Session = "s2" })}, 0, 0},
		"let through":         {[]string{blocked(0, "1"), decision(0, "x", "block"), evaluation(9, "a", "x", true, call("2"), func(r *telemetry.Record) { r.Mode = telemetry.ModeAllowed }), decision(9, "x", "allow")}, 1, 1},
		"a shadow rule is judged after the answer": {[]string{blocked(0, ""), decision(0, "x", "block"), evaluation(1, "b", "x", false, func(r *telemetry.Record) { r.Mode = telemetry.ModeShadow })}, 0, 0},
		"an older log": {[]string{evaluation(0, "a", "x", true, plain), evaluation(1, "b", "x", false, plain), evaluation(9, "a", "x", true, plain), evaluation(20, "a", "x", false, plain)}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := aggregate(t, nil, c.lines...)
			r, ok := s.Rule("a")
			require.True(t, ok)
			require.Equal(t, []int64{c.tries, c.insisted}, []int64{r.Contested, r.Insisted})
			if c.tries == 0 {
				require.Empty(t, s.Contests)
				return
			}
			require.Equal(t, "x", s.Contests[0].Target)
			require.Equal(t, []int64{c.tries, c.insisted}, []int64{s.Contests[0].Tries, s.Contests[0].Insisted})
		})
	}
}

func TestFlakyTargets(t *testing.T) {
	t.Parallel()
	s := aggregate(t, nil,
		evaluation(0, "a", "x", true), evaluation(1, "a", "x", false), evaluation(2, "a", "x", true),
		evaluation(3, "a", "y", false), evaluation(4, "a", "y", false), evaluation(5, "a", "once", true),
		evaluation(6, "b", "x", false), evaluation(7, "b", "x", true, func(r *telemetry.Record) { r.Cached = true }),
	)
	require.Equal(t, []telemetry.Flaky{{Rule: "a", Target: "x", Pass: 1, Violations: 2}}, s.Flaky)
	require.EqualValues(t, []int64{2, 1, 0}, []int64{s.Rules[0].RepeatedTargets, s.Rules[0].FlakyTargets, s.Rules[1].FlakyTargets})
}

func TestSigns(t *testing.T) {
	t.Parallel()
	many := func(n int, line func(i int) string) (lines []string) {
		for i := range n {
			lines = append(lines, line(i))
		}
		return lines
	}
	of := func(rule string, violations, all int, change ...func(*telemetry.Record)) []string {
		return many(all, func(i int) string { return evaluation(i*3600, rule, fmt.Sprint(rule, i), i < violations, change...) })
	}
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"nothing to say":   {of("a", 2, 40), nil},
		"too few":          {of("a", 5, 5), nil},
		"always":           {of("a", 20, 20), []string{"a always was violated in 20 of 20 evaluations: its scope or its prompt is too broad"}},
		"noisy":            {of("a", 10, 20), []string{"a noisy was violated in 10 of 20 evaluations"}},
		"quiet":            {of("a", 0, 50), []string{"a quiet was never violated in 50 evaluations"}},
		"slow":             {of("a", 1, 20, func(r *telemetry.Record) { r.ElapsedMS = 3000 }), []string{"a slow takes 3.0 s for one of twenty evaluations"}},
		"slow, but cached": {of("a", 1, 20, func(r *telemetry.Record) { r.ElapsedMS, r.Cached = 3000, true }), nil},
		"shadow": {of("a", 3, 30, func(r *telemetry.Record) { r.Mode = telemetry.ModeShadow }), []string{
			"a shadow in shadow mode it would have blocked 3, asked about 0 and warned of 0 in 30 evaluations"}},
		"shadow, once": {of("a", 0, 1, func(r *telemetry.Record) { r.Mode = telemetry.ModeShadow }), []string{
			"a shadow in shadow mode it would have blocked 0, asked about 0 and warned of 0 in 1 evaluation"}},
		"unjudged": {append(of("a", 1, 9), many(2, func(i int) string {
			return evaluation(i, "a", "x", false, func(r *telemetry.Record) { r.Level, r.Outcome = telemetry.LevelUnavailable, "unavailable" })
		})...), []string{"a unjudged could not be judged 2 of 11 times"}},
		"near": {append(of("a", 1, 30), many(6, func(i int) string {
			return evaluation(i, "a", fmt.Sprint("near", i), false, func(r *telemetry.Record) { r.NearMiss = true })
		})...), []string{"a near its judge said violation 6 times below the threshold"}},
		"overridden": {append(of("a", 4, 40), many(4, func(i int) string {
			return logLine(i, telemetry.Record{RuleID: "a", Level: telemetry.LevelAllowed})
		})...), []string{"a overridden people let through 4 of the 4 calls that it stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, sign := range aggregate(t, nil, c.lines...).Signs([]telemetry.RuleInfo{{ID: "a"}}) {
				got = append(got, fmt.Sprint(sign.Rule, " ", sign.Kind, " ", sign.Text))
			}
			require.Equal(t, c.want, got)
		})
	}
	signs := aggregate(t, nil, of("a", 2, 40)...).Signs([]telemetry.RuleInfo{{ID: "a"}, {ID: "idle"}})
	require.Equal(t, []telemetry.Sign{{Rule: "idle", Kind: telemetry.SignNever, Text: "was never judged in this time: no call was within its scope"}}, signs)
}

// Whatever a log holds, every line of it is accounted for.
func FuzzAggregate(f *testing.F) {
	f.Add([]byte(reference + "\n" + evaluation(0, "a", "x", true) + "\n" + decision(1, "x", "block")))
	f.Add([]byte(`{"ts":"0001-01-01T00:00:00Z","rule_id":"x","level":"eval","elapsed_ms":1e300,"confidence":-5}` + "\n\x00"))
	f.Add([]byte(`{"ts":"9999-12-31T23:59:59Z","rule_id":"x","level":"scribe","prompt_tokens":9223372036854775807}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "log")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		s, err := telemetry.Aggregate(t.Context(), []string{path}, &telemetry.StatsOptions{Recent: 3})
		require.NoError(t, err)
		l := s.Lines
		require.Equal(t, l.Read, l.Counted+l.Torn+l.Foreign+l.TooLong)
		s.Signs(nil)
		buckets, _, outside := s.Over(20)
		require.LessOrEqual(t, len(buckets), 20)
		all := outside
		for _, b := range buckets {
			all += b.Evaluations + b.Skipped + b.Unavailable + b.Calls()
		}
		require.Equal(t, s.Evaluations+s.Skipped+s.Unavailable+s.Calls(), all)
	})
}
