package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/report"
)

// later is the next audit of trial's subject, after some work on it.
func later() *audit.Record {
	r := trial()
	r.Started = r.Started.Add(24 * time.Hour)
	r.Subject.Commit = strings.Repeat("9", 40)
	r.Failures = nil
	r.Seats[0].Model = "large:70b"
	r.Rubric.Version, r.Rubric.Digest = "4.1.0", strings.Repeat("cd34", 16)
	for i := range r.Evidence {
		e := &r.Evidence[i]
		switch {
		case e.Location.Path == "src/tools.py": // moved down
			e.Location.First += 100
			e.Location.Last += 100
		case e.Probe == "py.os_system" && e.Part:
			e.Snippet = "os.system(other)"
		case e.Probe == "secrets" && e.Part: // the probe could not look
			e.Outcome, e.Severity = audit.True, ""
		case e.Probe == "secrets":
			e.Outcome = audit.Error
		}
	}
	audit.Number(r.Evidence)
	r.Results[0].Verdict, r.Results[0].Score = audit.Partial, 3
	r.Results[2].Verdict, r.Results[2].Score = audit.Pass, 5
	r.Results[3] = audit.Result{Criterion: "new", Name: "New one", Verdict: audit.Pass, Score: 4}
	r.Overall = audit.Overall{Score: 3.75, Verdict: audit.Partial, Counted: 4, Total: 4}
	return r
}

// Points are compared as points, and a scale that changed by its share.
func TestComparePoints(t *testing.T) {
	t.Parallel()
	side := func(score int, verdict audit.Verdict, s audit.Scale) *audit.Record {
		return &audit.Record{
			Criteria: []audit.Criterion{{ID: "a", Scale: s}}, Rules: audit.Rules{Scale: s},
			Results: []audit.Result{{Criterion: "a", Name: "A", Verdict: verdict, Score: score}},
			Overall: audit.Overall{Score: float64(score), Verdict: verdict, Counted: 1, Total: 1},
		}
	}
	points := audit.Scale{0, 20}
	for _, tt := range []struct {
		before, after *audit.Record
		want          string // "" when nothing changed
	}{
		{side(0, audit.Fail, points), side(10, audit.Partial, points), "A: FAIL 0/20 -> PARTIAL 10/20"},
		{side(0, audit.NoVerdict, points), side(0, audit.Fail, points), "A: no verdict -> FAIL 0/20"},
		{side(0, audit.Fail, points), side(0, audit.Fail, points), ""},
		{side(4, audit.Pass, nil), side(15, audit.Pass, points), "A: PASS 4/5 -> PASS 15/20"},
		{side(4, audit.Fail, nil), side(4, audit.Fail, points), "A: FAIL 4/5 -> FAIL 4/20"},
	} {
		c := report.Compare(tt.before, tt.after)
		require.Equal(t, tt.want == "", c.Same())
		require.Contains(t, shown(t, c, report.Terminal{Width: 100}), tt.want)
	}
	text := shown(t, report.Compare(side(0, audit.Fail, points), side(15, audit.Pass, points)), report.Terminal{Width: 100})
	require.Contains(t, text, "Overall: FAIL 0 of 20 -> PASS 15 of 20")
}

func TestCompare(t *testing.T) {
	t.Parallel()
	c := report.Compare(trial(), later())
	require.Equal(t, []report.Changed{
		{Criterion: "safe_tools", Name: "Safe tools", Before: audit.Fail, After: audit.Partial, From: 2, To: 3},
		{Criterion: "docs", Name: "Documents & diagrams", Before: audit.NoVerdict, After: audit.Pass, To: 5},
		{Criterion: "new", Name: "New one", After: audit.Pass, To: 4},
		{Criterion: "rust", Name: "Rust", Before: audit.NotConsidered},
	}, c.Criteria)
	require.Equal(t, []string{
		"the rubric changed: Service baseline 4.0.0 (ab12ab12ab12) and Service baseline 4.1.0 (cd34cd34cd34)",
		"another model for the Prosecutor: ollama small:1b and ollama large:70b",
		"stages of the earlier audit failed: vision",
	}, c.Warnings)

	require.Len(t, c.New, 1)
	require.Len(t, c.Gone, 1)
	require.Equal(t, c.New[0].Location, c.Gone[0].Location, "another text in the same place is another finding")
	require.NotEqual(t, c.New[0].Fingerprint, c.Gone[0].Fingerprint)
	require.Equal(t, 2, c.Kept, "the call that moved, and the attempt")
	require.Len(t, c.Unlooked, 1)
	require.Equal(t, "secrets", c.Unlooked[0].Probe)
	require.Equal(t, audit.Error, c.Unlooked[0].Outcome, "what nobody looked for again is not gone")
	require.False(t, c.Same())

	golden(t, "compare.txt", shown(t, c, report.Terminal{Width: 100}))
	var b strings.Builder
	require.NoError(t, c.JSON(&b))
	golden(t, "compare.json", b.String())
	require.ErrorIs(t, c.JSON(brokenWriter{}), errBroken)
	require.ErrorIs(t, c.Text(brokenWriter{}, report.Terminal{}), errBroken)
}

func shown(t *testing.T, c *report.Comparison, terminal report.Terminal) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, c.Text(&b, terminal))
	return b.String()
}

func TestNothingChanged(t *testing.T) {
	t.Parallel()
	c := report.Compare(trial(), trial())
	require.True(t, c.Same())
	require.Empty(t, c.New)
	require.Empty(t, c.Gone)
	require.Equal(t, 4, c.Kept)
	require.Contains(t, shown(t, c, report.Terminal{}), "Nothing changed.\n4 findings are in both.\n")
	var b strings.Builder
	require.NoError(t, c.JSON(&b))
	var lists struct {
		Criteria []any `json:"criteria"`
		New      []any `json:"new_findings"`
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &lists))
	require.NotNil(t, lists.Criteria, "nothing is [], not null")
	require.NotNil(t, lists.New)
	require.True(t, report.Compare(&audit.Record{}, &audit.Record{}).Same())
}

// One of two equal lines is gone, not none and not both.
func TestEqualFindingsAreCounted(t *testing.T) {
	t.Parallel()
	finding := func(line int) audit.Evidence {
		return audit.Evidence{Probe: "eval", Part: true, Kind: audit.KindFact, Outcome: audit.False, Snippet: "eval(x)", Location: at("a.py", line, line)}
	}
	whole := audit.Evidence{Probe: "eval", Outcome: audit.False}
	a := &audit.Record{Evidence: []audit.Evidence{whole, finding(1), finding(9)}}
	b := &audit.Record{Evidence: []audit.Evidence{whole, finding(4)}}
	c := report.Compare(a, b)
	require.Len(t, c.Gone, 1)
	require.Empty(t, c.New)
	require.Equal(t, 1, c.Kept)
	c = report.Compare(b, a)
	require.Len(t, c.New, 1)
	require.Empty(t, c.Gone)
}

func TestRemovedProbe(t *testing.T) {
	t.Parallel()
	a := &audit.Record{Evidence: []audit.Evidence{{Probe: "x", Outcome: audit.False}, {Probe: "integrity.prompt_injection", Outcome: audit.False, Location: at("a", 1, 1)}}}
	c := report.Compare(a, &audit.Record{})
	require.Len(t, c.Unlooked, 1)
	require.Equal(t, audit.Unknown, c.Unlooked[0].Outcome)
	require.Len(t, c.Gone, 1, "what is not of the rubric is looked for always")
}

func TestColourOnlyIfTold(t *testing.T) {
	t.Parallel()
	c := report.Compare(trial(), later())
	require.NotContains(t, shown(t, c, report.Terminal{}), "\x1b")
	require.Contains(t, shown(t, c, report.Terminal{Colour: true}), "\x1b[31m+ py.os_system")
	var b strings.Builder
	require.NoError(t, report.Text(&b, trial(), report.Terminal{Colour: true}))
	require.Contains(t, b.String(), "\x1b[31mFAIL")
	require.NotContains(t, strings.ReplaceAll(b.String(), "\x1b[", ""), "\x1b")
}

// The gate gets worse by a demand that is no longer met, and, where it was not passed
// before either, by each security finding and fact that is added. Waived findings and
// observations do not make it worse.
func TestGateGotWorse(t *testing.T) {
	t.Parallel()
	whole := func(outcome audit.Outcome) audit.Evidence {
		return audit.Evidence{Probe: "shell", Kind: audit.KindFact, Outcome: outcome}
	}
	call := func(text string, change func(*audit.Evidence)) audit.Evidence {
		e := audit.Evidence{Probe: "shell", Part: true, Kind: audit.KindFact, Outcome: audit.False, Severity: audit.SeverityHigh, Confirmed: true, Snippet: text, Location: at("a.py", 3, 3)}
		if change != nil {
			change(&e)
		}
		return e
	}
	waived := func(e *audit.Evidence) { e.Waived = "meant" }
	record := func(gate audit.Gate, evidence ...audit.Evidence) *audit.Record {
		return &audit.Record{Gate: gate, Evidence: evidence}
	}
	failed, passed := audit.Gate{Reasons: []string{"it fails"}}, audit.Gate{Passed: true}
	blind := audit.Gate{NotExamined: []string{"it is not known"}}
	for name, tt := range map[string]struct {
		a, b        *audit.Record
		worse, lost int
	}{
		"passed and fails":          {record(passed), record(failed, whole(audit.False)), 1, 0},
		"failed as before":          {record(failed, call("x", nil)), record(failed, call("x", nil)), 0, 0},
		"one more finding":          {record(failed, call("x", nil)), record(failed, call("x", nil), call("y", nil)), 1, 0},
		"one more that is waived":   {record(failed), record(failed, call("y", waived)), 0, 0},
		"one more that is observed": {record(failed), record(failed, call("y", func(e *audit.Evidence) { e.Kind = audit.KindObserved })), 0, 0},
		"no longer waived":          {record(failed, call("x", waived)), record(failed, call("x", nil)), 1, 0},
		"a fact no longer holds":    {record(failed, whole(audit.True)), record(failed, whole(audit.False)), 1, 0},
		"a finding the gate passes": {record(passed), record(passed, call("x", nil)), 0, 0},
		"mended":                    {record(failed, call("x", nil)), record(passed), 0, 0},
		"no longer known":           {record(passed), record(blind), 0, 1},
		"never known":               {record(blind), record(blind), 0, 0},
	} {
		c := report.Compare(tt.a, tt.b)
		require.Len(t, c.GateWorse, tt.worse, "%s: %q", name, c.GateWorse)
		require.Len(t, c.GateLost, tt.lost, name)
		for _, why := range c.GateWorse {
			require.Contains(t, shown(t, c, report.Terminal{Width: 200}), "The gate got worse: "+why)
		}
	}
}

// SARIF of a comparison has the new findings alone, with the fingerprints of the whole report.
func TestChangeSARIF(t *testing.T) {
	t.Parallel()
	finding := func(line int) audit.Evidence {
		return audit.Evidence{Source: audit.SourceRepo, Probe: "eval", Part: true, Kind: audit.KindFact, Outcome: audit.False, Snippet: "eval(x)", Location: at("a.py", line, line)}
	}
	a := &audit.Record{Evidence: []audit.Evidence{finding(1)}}
	b := &audit.Record{Evidence: []audit.Evidence{finding(1), finding(9)}}
	c := report.Compare(a, b)
	require.Len(t, c.New, 1)
	var change, all strings.Builder
	require.NoError(t, c.SARIF(&change, b))
	require.NoError(t, report.SARIF(&all, b))
	require.Equal(t, 1, strings.Count(change.String(), `"ruleId"`))
	require.Equal(t, 2, strings.Count(all.String(), `"ruleId"`))
	require.Contains(t, change.String(), `"startLine": 9`)
	require.Contains(t, change.String(), c.New[0].Fingerprint)
	require.Contains(t, all.String(), c.New[0].Fingerprint)

	_, err := report.WriteChange(t.TempDir(), c, b, []string{report.FormatHTML})
	require.ErrorContains(t, err, "a comparison is not written as html: there are json and sarif")
}
