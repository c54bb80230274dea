package auditcli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
)

const diagramRubric = `rubric_metadata: {rubric_name: diagrams, version: 4.0.0}
probes:
  - {id: drawn, type: diagram, question: "Which pages show parallel branches?", answers: [parallel, linear, none], expect: {parallel: {min: 1}}}
dimensions:
  - {id: diagrams, name: Diagrams, target_artifact: diagram, evidence: [drawn], forensic_instruction: Look at it., success_pattern: parallel, failure_pattern: none, levels: {1: none, 5: all}}
`

// A page with a drawing is shown to the vision model; its answer is not a fact.
// Without one nothing is assumed.
func TestDiagrams(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.readsPDF()
	m := newModel(t)
	m.configure(t, p.home)
	rubric, document := filepath.Join(p.dir, "rubric.yaml"), filepath.Join(p.dir, "report.pdf")
	require.NoError(t, os.WriteFile(rubric, []byte(diagramRubric), 0o600))
	require.NoError(t, os.WriteFile(document, onePage("Report", "The branches are drawn below."), 0o600))

	seen := drawn(p.record("--doc", document, "--rubric", rubric))
	require.Equal(t, audit.True, seen.Outcome)
	require.Equal(t, audit.KindModel, seen.Kind)
	require.Equal(t, "vision#0", seen.ID)
	require.Equal(t, 1, m.pictures)

	folder := filepath.Join(p.dir, "run")
	p.record("--doc", document, "--rubric", rubric, "--resume", folder)
	again := drawn(p.record("--doc", document, "--rubric", rubric, "--resume", folder))
	require.Equal(t, seen, again)
	require.Equal(t, 2, m.pictures, "what was seen is kept")

	skipped := p.record("--doc", document, "--rubric", rubric, "--no-vision")
	require.Equal(t, audit.NotAvailable, drawn(skipped).Outcome)
	require.Contains(t, drawn(skipped).Summary, "--no-vision")
	require.Equal(t, 2, m.pictures, "nobody looks again")
	require.Equal(t, audit.NoVerdict, skipped.Results[0].Verdict)
}

func TestVisionIsSkippedByTheEnvironment(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.readsPDF()
	m := newModel(t)
	m.configure(t, p.home)
	p.variables["AUDITOR_SKIP_VISION"] = "1"
	rubric, document := filepath.Join(p.dir, "rubric.yaml"), filepath.Join(p.dir, "report.pdf")
	require.NoError(t, os.WriteFile(rubric, []byte(diagramRubric), 0o600))
	require.NoError(t, os.WriteFile(document, onePage("Report", "The branches are drawn below."), 0o600))
	seen := drawn(p.record("--doc", document, "--rubric", rubric))
	require.Equal(t, audit.NotAvailable, seen.Outcome)
	require.Contains(t, seen.Summary, "AUDITOR_SKIP_VISION is set")
	require.Empty(t, m.asked())
	for _, no := range []string{"0", "false", "FALSE"} {
		p.variables["AUDITOR_SKIP_VISION"] = no
		require.Equal(t, audit.True, drawn(p.record("--doc", document, "--rubric", rubric)).Outcome, no)
	}
}

// drawn is what the probe found as a whole.
func drawn(r *audit.Record) audit.Evidence {
	for _, e := range r.Evidence {
		if e.Probe == "drawn" && !e.Part {
			return e
		}
	}
	return audit.Evidence{}
}
