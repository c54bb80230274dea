package cli

import (
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
)

// SchemaID is for tests of this package's outside.
var SchemaID = schemaID

// UnexplainedAgents are those that can be set up and of which `rules explain` says
// nothing.
func UnexplainedAgents() (missing []string) {
	for _, severity := range []sentinel.Severity{sentinel.SeverityInfo, sentinel.SeverityWarn, sentinel.SeverityAsk, sentinel.SeverityBlock} {
		list := agentsDo(agent.Registry{}, &sentinel.RuleSpec{Severity: severity})
		for _, name := range (agent.Registry{}).Installable() {
			if !slices.ContainsFunc(list, func(a agentText) bool { return a.Agent == name && a.Does != "" }) {
				missing = append(missing, severity.String()+" "+name)
			}
		}
	}
	return missing
}
