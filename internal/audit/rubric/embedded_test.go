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
	for _, tc := range []struct {
		languages map[string]int64
		want      string
	}{
		{nil, "general"},
		{map[string]int64{"markdown": 9000, "go": 1000}, "go"},
		{map[string]int64{"python": 10, "go": 9}, "python"},
		{map[string]int64{"typescript": 5, "javascript": 5, "rust": 9}, "typescript"},
		{map[string]int64{"rust": 9, "go": 8}, "rust"},
		{map[string]int64{"java": 20, "go": 8}, "general"},
		{map[string]int64{"css": 900}, "general"},
		{map[string]int64{"markdown": 90}, "documents"},
		{map[string]int64{"markdown": 900, "javascript": 10, "css": 200}, "documents"}, // a site
		{map[string]int64{"markdown": 40, "yaml": 100}, "general"},
	} {
		require.Equal(t, "embedded: "+tc.want, rubric.Choose(tc.languages).Source, "%v", tc.languages)
	}
}

// TestReads: a rubric that was chosen by the language with the most code says of which others it
// reads nothing.
func TestReads(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"go": {"go"}, "python": {"python"}, "rust": {"rust"}, "typescript": {"javascript", "tsx", "typescript"}, "general": nil, "documents": nil,
	} {
		r, err := rubric.Embedded(name)
		require.NoError(t, err)
		var reads []string
		for _, lang := range []string{"go", "javascript", "python", "rust", "tsx", "typescript"} {
			if r.Reads(lang) {
				reads = append(reads, lang)
			}
		}
		require.Equal(t, want, reads, name)
	}
	r := &rubric.Rubric{Probes: []rubric.Probe{{Type: rubric.TypeAST, Call: "f"}}}
	require.True(t, r.Reads("javascript"))
	require.False(t, r.Reads("rust"), "calls are not found there")
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
