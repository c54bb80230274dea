//go:build !linux

package cli

import "github.com/agentsentinel/sentinel/agent"

// ancestry knows nothing of the processes above: the environment of this one has
// to tell.
func ancestry(agent.Registry) string { return "" }
