package justice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
)

func TestOverall(t *testing.T) {
	t.Parallel()
	rb := court(t)
	evidence := numbered(whole(rb, "shell", audit.True), whole(rb, "tests", audit.True), whole(rb, "graph", audit.False))
	rule := func(tools, practice, flow int) audit.Overall {
		opinions := append(three("tools", tools, tools, tools, "repo#0"), three("practice", practice, practice, practice, "repo#1")...)
		return justice.Rule(rb, evidence, append(opinions, three("flow", flow, flow, flow, "repo#2")...), &justice.Options{Now: today}).Overall
	}
	require.Equal(t, audit.Overall{Score: 4, Verdict: audit.Pass, Counted: 3, Total: 3}, rule(4, 5, 3)) // tools weighs 2
	require.Equal(t, audit.Overall{Score: 3.75, Verdict: audit.Partial, Counted: 3, Total: 3}, rule(5, 4, 1))
	require.Equal(t, audit.Overall{Score: 2.75, Verdict: audit.Fail, Counted: 3, Total: 3}, rule(3, 3, 2))
	require.Equal(t, audit.Overall{Verdict: audit.NoVerdict, Total: 3}, justice.Rule(rb, evidence, nil, nil).Overall)
}

func TestGate(t *testing.T) {
	t.Parallel()
	rb := court(t)
	critical := finding(rb, "main.go", 3)
	critical.Severity = audit.SeverityCritical
	good := numbered(whole(rb, "shell", audit.True), whole(rb, "tests", audit.True))
	bad := numbered(whole(rb, "shell", audit.False), critical)
	opinions := func(tools, practice int) []audit.Opinion {
		return append(three("tools", tools, tools, tools, "repo#0"), three("practice", practice, practice, practice, "repo#1")...)
	}
	na := map[string]string{"flow": "no graph"}
	for name, tt := range map[string]struct {
		evidence []audit.Evidence
		opinions []audit.Opinion
		options  justice.Options
		want     audit.Gate
	}{
		"passes": {good, opinions(4, 4), justice.Options{NotApplicable: na}, audit.Gate{Passed: true, Reasons: []string{}}},
		"everything is wrong": {bad, opinions(5, 1), justice.Options{NotApplicable: na}, audit.Gate{Reasons: []string{
			"the total is 2, and at least 3 is demanded",
			"Safe tools is 2, and at least 3 is demanded",
			"security.critical holds, and must not",
			"verdict.fail > 1 holds, and must not",
		}}},
		"judges of one criterion failed": {good, three("practice", 4, 4, 4, "repo#1"), justice.Options{}, audit.Gate{
			Reasons:     []string{"Safe tools has no verdict, and at least 3 is demanded"},
			NotExamined: []string{"the total is without 2 criteria that have no verdict"},
		}},
		"all judges failed": {bad, nil, justice.Options{}, audit.Gate{
			Reasons:     []string{"security.critical holds, and must not"},
			NotExamined: []string{"a total of at least 3: there is no score", "Safe tools of at least 3: there is no score"},
		}},
		"facts alone, and they are good": {good, nil, justice.Options{FactsOnly: true}, audit.Gate{
			Reasons: []string{}, NotAsked: []string{"a total of at least 3", "Safe tools of at least 3", "verdict.fail > 1"},
		}},
		"nobody could look": {numbered(whole(rb, "shell", audit.NotAvailable), whole(rb, "tests", audit.True)), opinions(4, 4), justice.Options{NotApplicable: na}, audit.Gate{
			Reasons: []string{}, NotExamined: []string{"security.critical: shell could not be examined"},
		}},
		"there was nothing to look at": {numbered(whole(rb, "shell", audit.NotApplicable), whole(rb, "tests", audit.True)), opinions(4, 4), justice.Options{NotApplicable: na}, audit.Gate{
			Reasons: []string{}, NotExamined: []string{"security.critical: no probe that it asks for found anything to look at"},
		}},
		"facts alone, and they are not": {bad, nil, justice.Options{FactsOnly: true}, audit.Gate{
			Reasons: []string{"security.critical holds, and must not"}, NotAsked: []string{"a total of at least 3", "Safe tools of at least 3", "verdict.fail > 1"},
		}},
	} {
		tt.options.Now = today
		require.Equal(t, tt.want, justice.Rule(rb, tt.evidence, tt.opinions, &tt.options).Gate, name)
	}
	rb.Synthesis.Gate.Overall, rb.Synthesis.Gate.Each, rb.Synthesis.Gate.FailOn = 0, nil, nil
	require.Equal(t, audit.Gate{Reasons: []string{}, NotExamined: []string{"the rubric demands nothing: write `synthesis.gate`"}}, justice.Rule(rb, bad, opinions(1, 1), nil).Gate)
}

func TestFactsOnly(t *testing.T) {
	t.Parallel()
	rb := court(t)
	r := justice.Rule(rb, numbered(whole(rb, "shell", audit.False), finding(rb, "a.go", 1), whole(rb, "tests", audit.True), whole(rb, "ci", audit.Error)), nil,
		&justice.Options{Now: today, FactsOnly: true})
	require.Empty(t, r.Results)
	require.Equal(t, audit.Overall{Verdict: audit.NoVerdict, Total: 3}, r.Overall)
	require.Equal(t, "No judge was asked: these are facts alone. 1 facts hold, 1 do not, 1 could not be established. Confirmed security findings: 1.", r.Narrative)
	require.Len(t, r.Evidence, 4)
}

func TestWaivers(t *testing.T) {
	t.Parallel()
	rb := court(t)
	evidence := numbered(whole(rb, "shell", audit.False), finding(rb, "tools/gen.go", 4), finding(rb, "main.go", 9), whole(rb, "graph", audit.False))
	opinions := append(three("tools", 5, 5, 5, "repo#0"), three("flow", 1, 1, 1, "repo#3")...)
	shell := audit.Waiver{Probe: "shell", Path: "tools/**", Reason: "Build tools run by people.", Until: "2026-06-30"}
	flow := audit.Waiver{Dimension: "flow", Reason: "There is no graph here.", Until: "2026-01-31"}
	rule := func(evidence []audit.Evidence, now time.Time) justice.Ruling {
		return justice.Rule(rb, evidence, opinions, &justice.Options{Now: now})
	}

	// They have run out: told, and not applied.
	r := rule(evidence, today)
	shell.Expired, flow.Expired = true, true
	require.Equal(t, []audit.Waiver{shell, flow}, r.Waivers)
	require.Equal(t, evidence, r.Evidence)
	require.Equal(t, 2, r.Overall.Counted)
	require.Empty(t, r.Results[2].Waived)

	// On their last day they hold: one place of two is waived, and the probe is not.
	shell.Expired, flow.Expired, shell.Covers, flow.Covers = false, true, 1, 0
	r = rule(evidence, time.Date(2026, 6, 30, 23, 59, 0, 0, time.UTC))
	require.Equal(t, []audit.Waiver{shell, flow}, r.Waivers)
	require.Equal(t, []string{"", "Build tools run by people.", "", ""}, reasons(r.Evidence))
	require.Equal(t, 2, r.Results[0].Score)
	require.Empty(t, evidence[1].Waived, "the evidence that was given stays as it is")
	for _, a := range r.Results[0].Remediation {
		require.NotEqual(t, "tools/gen.go", a.Location.Path, "nobody has to mend what is waived")
	}

	// Where all places are waived, so is the whole, unless there are more.
	all := numbered(evidence[0], evidence[1], evidence[3])
	r = rule(all, lastYear)
	require.Equal(t, []string{"Build tools run by people.", "Build tools run by people.", ""}, reasons(r.Evidence))
	require.Equal(t, 4, r.Results[0].Score, "nothing that is cited holds, and nothing is false")
	all[0].Truncated = true
	r = rule(all, lastYear)
	require.Equal(t, []string{"", "Build tools run by people.", ""}, reasons(r.Evidence))
	require.Equal(t, 2, r.Results[0].Score)

	rb.Synthesis.Gate.Each = map[string]float64{"flow": 5}
	r = rule(all, lastYear)
	// A waived dimension keeps its verdict and goes into neither total nor gate.
	require.Equal(t, "There is no graph here.", r.Results[2].Waived)
	require.Equal(t, audit.Fail, r.Results[2].Verdict)
	require.Equal(t, audit.Overall{Score: 2, Verdict: audit.Fail, Counted: 1, Total: 3}, r.Overall)
	require.Equal(t, []string{"the total is 2, and at least 3 is demanded"}, r.Gate.Reasons)
	require.Contains(t, r.Narrative, "Flow is waived: There is no graph here.")

	// Without a clock no waiver has run out.
	require.Equal(t, r.Evidence, rule(all, time.Time{}).Evidence)
}

func reasons(evidence []audit.Evidence) []string {
	var list []string
	for i := range evidence {
		list = append(list, evidence[i].Waived)
	}
	return list
}
