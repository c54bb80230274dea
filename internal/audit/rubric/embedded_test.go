package rubric_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/schemagen"
)

func TestEmbedded(t *testing.T) {
	t.Parallel()
	for _, name := range rubric.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := rubric.Embedded(name)
			require.NoError(t, err)
			require.Empty(t, r.Lint(nil), "not even a warning")
			require.Equal(t, "embedded: "+name, r.Ref().Source)
			require.GreaterOrEqual(t, len(r.Dimensions), 6)
			require.LessOrEqual(t, len(r.Dimensions), 12)
			for i := range r.Dimensions {
				checkDimension(t, &r.Dimensions[i])
			}
			for i := range r.Probes {
				checkProbe(t, &r.Probes[i])
			}
		})
	}
}

// checkDimension holds a dimension of an embedded rubric to what makes a good one.
func checkDimension(t *testing.T, d *rubric.Dimension) {
	t.Helper()
	require.NotEqual(t, d.ID, d.Name, "a name is for people")
	require.NotEmpty(t, d.Evidence, d.ID)
	for _, level := range []int{1, 3, 5} {
		require.NotEmpty(t, d.Levels[level], "%s: level %d", d.ID, level)
	}
	require.Greater(t, len(d.Instruction), 100, d.ID)
	require.NotEmpty(t, d.Caps, d.ID)
	for _, c := range d.Caps {
		require.False(t, c.Holds(rubric.Facts{}), "%s: %s holds without any facts", d.ID, c.When)
	}
}

// checkProbe holds a probe of an embedded rubric to what makes a good one: a
// title, and what can be violated says what to do, and where, if there is a place.
func checkProbe(t *testing.T, p *rubric.Probe) {
	t.Helper()
	require.NotEmpty(t, p.Title, "%s: nobody reads a query or a pattern", p.ID)
	if p.Expect == nil {
		return
	}
	require.NotEmpty(t, p.Remediation.Text, p.ID)
	require.NotEmpty(t, p.Remediation.Effort, p.ID)
	if b, counted := p.Expect["count"]; counted && b.Max != nil && *b.Max == 0 {
		require.Contains(t, p.Remediation.Text, "{path}", p.ID)
	}
	if p.Severity != "" {
		require.Contains(t, p.Remediation.Text, "{path}", p.ID)
	}
}

func TestEmbeddedUnknown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pyton":      `rubric: there is no embedded rubric "pyton"; did you mean "python"?`,
		"cobol-2002": `rubric: there is no embedded rubric "cobol-2002"; there are general, go, python, typescript, rust, documents, agent-graph`,
		"../general": `rubric: there is no embedded rubric "../general"; did you mean "general"?`,
		"":           `rubric: there is no embedded rubric ""; there are general, go, python, typescript, rust, documents, agent-graph`,
	} {
		_, err := rubric.Embedded(name)
		require.EqualError(t, err, want)
	}
	files, err := os.ReadDir("rubrics")
	require.NoError(t, err)
	require.Len(t, files, len(rubric.Names()), "every file has a name")
}

// TestAgentGraphIDs pins the ids with which results of older rubrics are compared.
func TestAgentGraphIDs(t *testing.T) {
	t.Parallel()
	r, err := rubric.Embedded("agent-graph")
	require.NoError(t, err)
	var ids []string
	for i := range r.Dimensions {
		ids = append(ids, r.Dimensions[i].ID)
	}
	require.Equal(t, []string{
		"supply_chain",
		"git_forensic_analysis", "state_management_rigor", "graph_orchestration", "safe_tool_engineering", "structured_output_enforcement",
		"judicial_nuance", "chief_justice_synthesis", "theoretical_depth", "report_accuracy", "swarm_visual",
	}, ids)
	architecture := r.Dimension("graph_orchestration")
	require.Equal(t, 1.5, r.Weight(architecture, audit.TechLead))
	require.Equal(t, 1.0, r.Weight(r.Dimension("report_accuracy"), audit.TechLead), "weights belong to architecture and synthesis alone")
}

func TestChoose(t *testing.T) {
	t.Parallel()
	finds := func(probes ...string) func(string) bool {
		var evidence []audit.Evidence
		for _, id := range probes {
			evidence = append(evidence, audit.Evidence{Probe: id, Outcome: audit.True})
		}
		return rubric.Found(evidence)
	}
	for _, tc := range []struct {
		languages map[string]int64
		found     func(string) bool
		want      string
	}{
		{nil, nil, "general"},
		{map[string]int64{"markdown": 9000, "go": 1000}, nil, "go"},
		{map[string]int64{"python": 10, "go": 9}, finds(), "python"},
		{map[string]int64{"typescript": 5, "javascript": 5, "rust": 9}, nil, "typescript"},
		{map[string]int64{"rust": 9, "go": 8}, nil, "rust"},
		{map[string]int64{"java": 20, "go": 8}, nil, "general"},
		{map[string]int64{"css": 900}, nil, "general"},
		{map[string]int64{"python": 10, "go": 80}, finds("survey.named"), "agent-graph, as .claude/sentinel/audit-rubric says"},
		{map[string]int64{"python": 10}, finds("survey.python.langgraph"), "python"}, // what is imported does not say it
		{map[string]int64{"markdown": 90}, nil, "documents"},
		{map[string]int64{"markdown": 900, "javascript": 10, "css": 200}, nil, "documents"}, // a site
		{map[string]int64{"markdown": 40, "yaml": 100}, nil, "general"},
	} {
		require.Equal(t, "embedded: "+tc.want, rubric.Choose(tc.languages, tc.found).Source, "%v", tc.languages)
	}
	places := []audit.Evidence{{Probe: "a", Part: true, Outcome: audit.True}, {Probe: "b", Outcome: audit.False}}
	require.False(t, rubric.Found(places)("a"))
	require.False(t, rubric.Found(places)("b"))
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	s := rubric.Survey()
	require.Empty(t, s.Dimensions)
	require.NotEmpty(t, s.Probes)
	for i := range s.Probes {
		require.Empty(t, s.Criteria(s.Probes[i].ID))
		require.NotNil(t, s.Probes[i].Expect, "without it, every observation is true")
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, name := range rubric.Names() {
		r, err := rubric.Embedded(name)
		require.NoError(t, err)
		var b strings.Builder
		r.Explain(&b)
		schemagen.Golden(t, "testdata/explain/"+name+".txt", []byte(b.String()), *update)
	}
	r, problems, err := rubric.Load("testdata/explain.yaml")
	require.NoError(t, err, problems)
	var b strings.Builder
	r.Explain(&b)
	schemagen.Golden(t, "testdata/explain.want", []byte(b.String()), *update)
	require.NotContains(t, b.String(), "\x1b")
}
