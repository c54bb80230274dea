package justice_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// points is a rubric whose criteria have 20, 30 and 50 points, of which the total is the sum.
const points = `rubric_metadata: {rubric_name: Points, version: 4.0.0, scale: [0, 100]}
probes:
  - {id: shell, type: ast, lang: go, call: os/exec.Command, expect: {count: {max: 0}}, severity: high}
  - {id: long, type: text, regex: "^.{200}", expect: {count: {max: 0}}, severity: high, category: style}
  - {id: web, type: one_of, probes: [ci, docs]}
  - {id: ci, type: file, any: [".github/workflows/*"]}
  - {id: docs, type: file, any: ["docs/**"]}
dimensions:
  - {id: safe, scale: [0, 20], weight: 20, required: [shell]}
  - {id: tidy, scale: [0, 30], weight: 30, evidence: [long], levels: {0: nothing, 30: all}}
  - {id: work, scale: [0, 50], weight: 50, evidence: [web, ci, docs]}
synthesis:
  gate: {overall: 60, each: {work: 25}, fail_on: [security.any]}
`

func pointsRubric(t *testing.T) *rubric.Rubric {
	t.Helper()
	rb, _, err := rubric.Parse("points.yaml", []byte(points))
	require.NoError(t, err)
	return rb
}

// A threshold that a rubric does not set is at the same share of its scale as from 1 to 5.
func TestScaleOfARubric(t *testing.T) {
	t.Parallel()
	rb := pointsRubric(t)
	require.Equal(t, []float64{75, 50, 50}, []float64{rb.Synthesis.Pass, rb.Synthesis.Partial, rb.Synthesis.VarianceOver})
	require.Equal(t, []rubric.Cap{{When: "security.any > 0", Max: 10, Rule: "security_override"}, {When: "required.false > 0", Max: 5, Rule: "fact_supremacy"}}, rb.Dimension("safe").Caps)

	general, _, err := rubric.Parse("own.yaml", []byte("rubric_metadata: {rubric_name: Own, version: 4.0.0, scale: [0, 100]}\nextends: general\nsynthesis: {partial: 40}\n"))
	require.NoError(t, err)
	require.Equal(t, []float64{75, 40}, []float64{general.Synthesis.Pass, general.Synthesis.Partial})
	require.Equal(t, audit.Scale{1, 5}, general.Dimensions[0].Scale, "what is inherited keeps its scale, and its caps their meaning")
}

// An opinion without support is a quarter of its scale nearer to the middle, never beyond it.
func TestRuleOfEvidenceInPoints(t *testing.T) {
	t.Parallel()
	rb := pointsRubric(t)
	evidence := numbered(whole(rb, "ci", audit.True), whole(rb, "docs", audit.True), whole(rb, "web", audit.True))
	for _, tt := range []struct {
		given int
		cited []string
		want  float64
	}{
		{50, []string{"repo#2"}, 50}, {50, nil, 37.5}, {30, nil, 25}, {25, nil, 25}, {20, nil, 25}, {3, nil, 15.5}, {0, nil, 12.5},
	} {
		r := on(t, rb, "work", evidence, three("work", tt.given, tt.given, tt.given, tt.cited...))
		require.InDelta(t, tt.want, r.Votes[0].Counts, 0, "%d %v", tt.given, tt.cited)
		require.InDelta(t, 1, r.Agreement, 0)
	}
	off := on(t, rb, "work", evidence, three("work", 51, 50, 50, "repo#2"))
	require.Len(t, off.Votes, 2, "51 is not on the scale from 0 to 50")
}

// A zero is a score like any other: it is in the report, and counts in the total.
func TestPointsAddUp(t *testing.T) {
	t.Parallel()
	rb := pointsRubric(t)
	style := part(rb, "long", "a.go", 3)
	style.Severity, style.Confirmed = audit.SeverityHigh, true
	evidence := numbered(whole(rb, "shell", audit.True), whole(rb, "long", audit.False), style, whole(rb, "ci", audit.True), whole(rb, "docs", audit.False), whole(rb, "web", audit.True))
	rb.Qualify(evidence)
	opinions := append(append(three("safe", 20, 15, 17, "repo#0"), three("tidy", 0, 0, 0, "repo#2")...), three("work", 40, 40, 40, "repo#5")...)
	ruling := justice.Rule(rb, evidence, opinions, &justice.Options{Now: today})
	require.Equal(t, []int{17, 0, 40}, []int{ruling.Results[0].Score, ruling.Results[1].Score, ruling.Results[2].Score})
	require.Equal(t, audit.Fail, ruling.Results[1].Verdict)
	require.Nil(t, step(ruling.Results[1], "security_override"), "a style finding is not of security")
	require.Equal(t, audit.Overall{Score: 57, Verdict: audit.Partial, Counted: 3, Total: 3}, ruling.Overall)
	require.Equal(t, []string{"the total is 57, and at least 60 is demanded"}, ruling.Gate.Reasons, "a style finding fails no security.any")
	requireByHand(t, rb, ruling)

	record := &audit.Record{Rubric: rb.Ref(), Evidence: ruling.Evidence, Results: ruling.Results, Overall: ruling.Overall, Gate: ruling.Gate}
	record.Criteria, record.Probes, record.Rules = rb.Told()
	var page, list, text bytes.Buffer
	require.NoError(t, report.HTML(&page, record))
	require.Contains(t, page.String(), "57<small> / 100</small>")
	require.Contains(t, page.String(), "FAIL 0/30")
	require.NoError(t, report.Markdown(&list, record))
	require.Contains(t, list.String(), "PARTIAL: 57 of 100")
	require.Contains(t, list.String(), "17/20")
	require.Contains(t, list.String(), "not about security: 1 style")
	require.NoError(t, report.JSON(&text, record))
	var file struct {
		Breakdown []struct{ Score *int } `json:"criterion_breakdown"`
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &file))
	require.NotNil(t, file.Breakdown[1].Score, "0 points are a score")
}
