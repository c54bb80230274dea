package explain

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
)

// TestExplainNamesEveryAgent: each agent that can be set up is in the table of what becomes
// of a violation.
func TestExplainNamesEveryAgent(t *testing.T) {
	t.Parallel()
	for _, severity := range []sentinel.Severity{sentinel.SeverityInfo, sentinel.SeverityWarn, sentinel.SeverityAsk, sentinel.SeverityBlock} {
		list := agentsDo(agent.Registry{}, &sentinel.RuleSpec{Severity: severity})
		for _, name := range (agent.Registry{}).Installable() {
			require.True(t, slices.ContainsFunc(list, func(a Agent) bool { return a.Agent == name && a.Does != "" }), "%s %s", severity, name)
		}
	}
}
