package transcript

import "github.com/agentsentinel/sentinel/agent"

// Leaves reports whether calls of a tool are left out by a [Reader]: those of tools that
// only serve the agent's own book-keeping. They are not part of the work.
func Leaves(tool string) bool { return agent.Registry{}.Bookkeeping(tool) }
