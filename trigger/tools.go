package trigger

import (
	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
)

// Defaults returns the tools of the agents that Sentinel knows and what they do, for
// documentation and diagnosis. The map is the caller's own.
func Defaults() map[string]sentinel.Trigger { return agent.Registry{}.ToolNames() }
