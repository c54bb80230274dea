package transcript

import (
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
)

// Leaves reports whether calls of a tool are left out by a [Reader]: those of tools that
// only serve the agent's own book-keeping. They are not part of the work.
func Leaves(tool string) bool { return agent.Registry{}.Bookkeeping(tool) }

// Usable reports whether a folder that a transcript names can be one of this machine. A
// share of another machine cannot: opening it would send the user's credentials there.
func Usable(dir string) bool {
	return filepath.IsAbs(dir) && !strings.HasPrefix(dir, `\\`) && !strings.HasPrefix(dir, "//")
}
