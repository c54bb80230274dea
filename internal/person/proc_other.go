//go:build !linux

package person

import (
	"os"

	"github.com/agentsentinel/sentinel/agent"
)

// Doubt says which process above this one is an agent's, as far as the system tells that.
// It does not know which process holds the terminal, so in a multiplexer, where any
// program can type, it always doubts.
func Doubt(agents agent.Registry, _ []Seen) string {
	for variable, name := range map[string]string{"TMUX": "tmux", "STY": "screen", "ZELLIJ": "zellij"} {
		if os.Getenv(variable) != "" {
			return "any program can type in a terminal of " + name + ", and nobody can tell here who does"
		}
	}
	return doubtAbove(lookup(agents), os.Getpid())
}

// agentAbove knows no process above this one.
func agentAbove(agent.Registry) (Seen, bool) { return Seen{}, false }

// Nested knows no process above this one: the mark in the hook's own environment would be that
// of its agent.
func Nested(agent.Registry) bool { return false }

// exists cannot tell whether there is a process.
func exists(int) bool { return false }

// ticks are not counted here.
func ticks() uint64 { return 0 }
