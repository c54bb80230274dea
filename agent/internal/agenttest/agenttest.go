// Package agenttest has what the tests of agents share.
package agenttest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
)

// Agents are those that Sentinel knows.
var Agents agent.Registry

// ProtocolNames are the agents with a protocol of their own, sorted.
func ProtocolNames() (names []string) {
	for _, a := range Agents.All() {
		if a.Speaks == "" {
			names = append(names, a.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Named is the agent whose protocol is spoken under a name.
func Named(t testing.TB, name string) *agent.Agent {
	t.Helper()
	ag, err := ByName(name)
	require.NoError(t, err)
	return ag
}

// ByName is the agent whose protocol is spoken under a name: that of the flag where
// the event names none.
func ByName(name string) (*agent.Agent, error) {
	a, err := Agents.Named(name)
	if err != nil {
		return nil, err
	}
	if a.Speaks != "" {
		a, err = Agents.Named(a.Speaks)
	}
	return a, err
}
