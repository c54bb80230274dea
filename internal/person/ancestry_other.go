//go:build !linux

package person

import "github.com/agentsentinel/sentinel/agent"

// Ancestry knows nothing of the processes above: the environment of this one has
// to tell.
func Ancestry(agent.Registry) string { return "" }
