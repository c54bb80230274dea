package rubric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/schemagen"
)

// loadV3 loads a rubric of version 3 and compares its warnings with those in
// a file next to it.
func loadV3(t *testing.T, name string) *rubric.Rubric {
	t.Helper()
	r, problems, err := rubric.Load("testdata/" + name + ".json")
	require.NoError(t, err)
	require.NotEmpty(t, problems)
	schemagen.Golden(t, "testdata/"+name+".want", []byte(lines(problems)+"\n"), *update)
	return r
}

func TestV3(t *testing.T) {
	t.Parallel()
	r := loadV3(t, "v3")
	require.Equal(t, rubric.Metadata{Name: "Court of agents", Target: "A repository and its report", Version: "3.0.0", Scale: []int{1, 5}}, r.Metadata)
	require.Equal(t, rubric.DefaultSynthesis(), r.Synthesis, "numbers on the scale to 10 do not count")
	var ids, targets []string
	for i := range r.Dimensions {
		d := &r.Dimensions[i]
		ids, targets = append(ids, d.ID), append(targets, d.TargetArtifact)
		require.NotEmpty(t, d.Evidence, d.ID)
		require.NotEmpty(t, d.Caps, d.ID)
		require.NotEmpty(t, d.Instruction, d.ID)
		for _, id := range d.Evidence {
			require.Contains(t, r.Criteria(id), d.ID)
		}
	}
	require.Equal(t, []string{"git_forensic_analysis", "graph_orchestration", "error_budget", "report_accuracy", "drawings"}, ids)
	require.Equal(t, []string{"repo", "repo", "repo", "doc", "diagram"}, targets)
	require.Equal(t, []string{"graph"}, r.Dimension("graph_orchestration").Required)
	require.Equal(t, 1.5, r.Weight(r.Dimension("graph_orchestration"), audit.TechLead))
	require.Equal(t, 1.0, r.Weight(r.Dimension("error_budget"), audit.TechLead))
	require.Contains(t, r.Dimension("error_budget").Evidence, "tests.ratio")
	require.Equal(t, []string{"doc.diagrams"}, r.Dimension("drawings").Evidence)
	unique := map[string]bool{}
	for _, p := range r.Probes {
		require.False(t, unique[p.ID], p.ID)
		unique[p.ID] = true
	}
}

func TestV3Dialects(t *testing.T) {
	t.Parallel()
	r := loadV3(t, "v3_dialects")
	require.Equal(t, 4.5, r.Synthesis.Pass, "the scale says what the number means")
	require.Equal(t, 3.0, r.Synthesis.Partial)
	require.Equal(t, 2.0, r.Synthesis.VarianceOver)
	tests := r.Dimension("tests")
	require.Equal(t, 2.5, tests.Weight)
	require.Equal(t, "Look at the tests.\n\ndefense: Praise them.\nprosecutor: Doubt them.", tests.Instruction)
	require.Equal(t, []rubric.Cap{{When: "security.any > 0", Max: 2, Rule: "security_override"}, {When: "required.false > 0", Max: 2, Rule: "fact_supremacy"}}, tests.Caps)
	talk := r.Dimension("talk")
	require.Equal(t, "Listen.\n\nIt is held on Friday.\n\nBe kind.", talk.Instruction)
	require.Equal(t, "manual", talk.TargetArtifact)
	require.Empty(t, talk.Evidence)
	require.Equal(t, "repo", r.Dimension("anything").TargetArtifact)
}

func TestV3ByItsKeys(t *testing.T) {
	t.Parallel()
	r, problems, err := rubric.Parse("r.json", []byte(`{"criteria": [{"id": "a", "forensic_instruction": "Look."}]}`))
	require.NoError(t, err)
	require.Equal(t, "3.0.0", r.Metadata.Version)
	require.Contains(t, lines(problems), "by its keys is read as 3.0.0 (warning)")
}

func TestV3Faults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"rubric_metadata": {"rubric_name": "x", "version": "3.0.0"}}`:                                                                                                "r.yaml:1: the rubric has no dimensions, so there is nothing to judge: write `\"dimensions\": [{\"id\": …}]`",
		`{"rubric_metadata": {"rubric_name": "x", "version": "3.0.0"}, "dimensions": [{"name": "n"}]}`:                                                                 "r.yaml:1:78: the dimension has no id: write `id: …`",
		`{"rubric_metadata": {"rubric_name": "x", "version": "3.0.0"}, "dimensions": [{"id": "a", "name": ["n"]}]}`:                                                    "r.yaml:1:98: `dimensions[0].name` must be text, not a list: write `name: \"…\"`",
		`{"rubric_metadata": {"rubric_name": "x", "version": "3.0.0", "scale": [1, 5]}, "dimensions": [{"id": "a"}], "synthesis_config": {"score_threshold_pass": 2}}`: "`score_threshold_partial` is 3, more than `score_threshold_pass`, which is 2: nothing could pass in part",
	} {
		_, problems, err := rubric.Parse("r.yaml", []byte(text))
		require.Error(t, err)
		require.Contains(t, lines(problems), want, text)
	}
}
