package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/rule"
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

// TestEndOfATurn: only a rule that blocks sends an agent back to work, and only one that can be.
func TestEndOfATurn(t *testing.T) {
	t.Parallel()
	stop, both := &rule.Definition{Phase: "stop"}, &rule.Definition{Also: rule.Also{By: []string{"commit", "turn"}}}
	commit := &rule.Definition{Also: rule.Also{By: []string{"commit"}}}
	for _, severity := range []sentinel.Severity{sentinel.SeverityWarn, sentinel.SeverityAsk, sentinel.SeverityBlock} {
		blocks := severity == sentinel.SeverityBlock
		for _, d := range []*rule.Definition{stop, both} {
			require.Equal(t, blocks, strings.Contains(severityMeans(d, severity), "sent back"), severity)
			require.Contains(t, severityMeans(d, severity), "the user reads", severity)
		}
		require.Equal(t, atCalls(severity), severityMeans(commit, severity))
		require.Contains(t, severityMeans(both, severity), atCalls(severity)+"; at the end of a turn ")
		require.NotContains(t, severityMeans(stop, severity), atCalls(severity))
		for _, does := range agentsDo(agent.Registry{}, &sentinel.RuleSpec{Severity: severity, Stop: true}) {
			a := (agent.Registry{}).Find(does.Agent)
			require.Equal(t, blocks && a.Abilities.StaysAtWork, does.Does == "goes on with its turn; the agent reads why", "%s %s", severity, does.Agent)
		}
	}
}
