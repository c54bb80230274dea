package audit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
)

func TestSecurityIsAStructuredFinding(t *testing.T) {
	t.Parallel()
	finding := audit.Evidence{Severity: audit.SeverityHigh, Confirmed: true, Outcome: audit.False, Kind: audit.KindFact}
	require.True(t, finding.Security())
	for name, change := range map[string]func(*audit.Evidence){
		"no severity":      func(e *audit.Evidence) { e.Severity = "" },
		"only possible":    func(e *audit.Evidence) { e.Confirmed = false },
		"as expected":      func(e *audit.Evidence) { e.Outcome = audit.True },
		"nobody looked":    func(e *audit.Evidence) { e.Outcome = audit.NotAvailable },
		"looking failed":   func(e *audit.Evidence) { e.Outcome = audit.Error },
		"said by a model":  func(e *audit.Evidence) { e.Kind = audit.KindModel },
		"said by somebody": func(e *audit.Evidence) { e.Kind = audit.KindClaim },
		"waived":           func(e *audit.Evidence) { e.Waived = "it is a sample" },
	} {
		e := finding
		change(&e)
		require.False(t, e.Security(), name)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	evidence := []audit.Evidence{{Source: audit.SourceRepo}, {Source: audit.SourceDocs}, {Source: audit.SourceRepo}, {Source: audit.SourceVision}}
	audit.Number(evidence)
	var ids []string
	for _, e := range evidence {
		ids = append(ids, e.ID)
	}
	require.Equal(t, []string{"repo#0", "docs#0", "repo#1", "vision#0"}, ids)
}

func TestOutcomeAsText(t *testing.T) {
	t.Parallel()
	for o := audit.Unknown; o <= audit.Error; o++ {
		text, err := json.Marshal(o)
		require.NoError(t, err)
		var back audit.Outcome
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, o, back)
	}
	require.Error(t, json.Unmarshal([]byte(`"maybe"`), new(audit.Outcome)))
	require.Equal(t, "outcome(99)", audit.Outcome(99).String())
}

func TestLocationAsText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a.go:3-5", audit.Location{Path: "a.go", First: 3, Last: 5}.String())
	require.Equal(t, "a.go:3", audit.Location{Path: "a.go", First: 3, Last: 3}.String())
	require.Equal(t, "r.pdf, page 2", audit.Location{Path: "r.pdf", Page: 2}.String())
	require.Equal(t, "a.go", audit.Location{Path: "a.go"}.String())
}
