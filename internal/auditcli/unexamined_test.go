package auditcli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
)

// A probe that failed to look is an error of the audit; a place of it, a diagram and
// what is told as a failed stage already are not told again.
func TestUnexamined(t *testing.T) {
	t.Parallel()
	r := &audit.Record{Evidence: []audit.Evidence{
		{Probe: "history", Source: audit.SourceRepo, Outcome: audit.Error},
		{Probe: "place", Source: audit.SourceRepo, Outcome: audit.Error, Part: true},
		{Probe: "terms", Source: audit.SourceDocs, Outcome: audit.Error},
		{Probe: "diagram", Source: audit.SourceVision, Outcome: audit.Error},
		{Probe: "scanned", Source: audit.SourceDocs, Outcome: audit.NotAvailable},
		{Probe: "license", Source: audit.SourceRepo, Outcome: audit.False},
	}}
	var probes []string
	for _, e := range unexamined(r) {
		probes = append(probes, e.Probe)
	}
	require.Equal(t, []string{"history", "terms"}, probes)
	r.Failures = []audit.Failure{{Stage: trial.StageBench}}
	require.Len(t, unexamined(r), 2)
	r.Failures = []audit.Failure{{Stage: trial.StageClone}}
	require.Empty(t, unexamined(r))
}
