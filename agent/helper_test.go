package agent_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
)

// agents are those that Sentinel knows.
var agents agent.Registry

// protocolNames are the agents with a protocol of their own, sorted.
func protocolNames() (names []string) {
	for _, a := range agents.All() {
		if a.Speaks == "" {
			names = append(names, a.Name)
		}
	}
	slices.Sort(names)
	return names
}

// named is the agent whose protocol is spoken under a name.
func named(t testing.TB, name string) *agent.Agent {
	t.Helper()
	ag, err := byName(name)
	require.NoError(t, err)
	return ag
}

// byName is the agent whose protocol is spoken under a name: that of the flag where
// the event names none.
func byName(name string) (*agent.Agent, error) {
	a, err := agents.Named(name)
	if err != nil {
		return nil, err
	}
	if a.Speaks != "" {
		a, err = agents.Named(a.Speaks)
	}
	return a, err
}
