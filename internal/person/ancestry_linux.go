package person

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
)

// maxAncestors bounds the walk up; no session is that deep.
const maxAncestors = 128

// Ancestry says which process above this one was started by an agent, or is one.
// It sees through a command that takes the agent's marks out of its environment,
// and knows agents that leave none. What belongs to another user is passed over.
func Ancestry(agents agent.Registry) string {
	pid := os.Getppid()
	for range maxAncestors {
		if pid <= 1 {
			return ""
		}
		if sign := processSign(agents, pid); sign != "" {
			return fmt.Sprintf("process %d above it: %s", pid, sign)
		}
		parent, err := parentOf(pid)
		if err != nil {
			return ""
		}
		pid = parent
	}
	return ""
}

// processSign says by what a process shows that an agent started it, or that it
// is one.
func processSign(agents agent.Registry, pid int) string {
	if line, err := os.ReadFile(procFile(pid, "cmdline")); err == nil {
		if name := agentProgram(agents, strings.Split(string(line), "\x00")); name != "" {
			return name
		}
	}
	environ, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return ""
	}
	sign := Sign(agents, func(name string) string {
		for entry := range bytes.SplitSeq(environ, []byte{0}) {
			if key, value, ok := bytes.Cut(entry, []byte("=")); ok && string(key) == name {
				return string(value)
			}
		}
		return ""
	})
	if sign == "" {
		return ""
	}
	return sign + " is set"
}

// agentProgram is the agent's name if the arguments are those of one: of the
// program itself, or of an interpreter that runs it. An editor such as Cursor is
// none, because its terminals are a person's.
func agentProgram(agents agent.Registry, argv []string) string {
	for i, arg := range argv {
		name := strings.TrimSuffix(filepath.Base(arg), ".js")
		isAgent := func(a *agent.Agent) bool { return slices.Contains(a.Traces.Processes, name) }
		switch {
		case slices.ContainsFunc(agents.All(), isAgent):
			return name
		case i == 0 && (name == "node" || name == "bun" || name == "deno"):
			continue // the script is the next argument
		}
		break
	}
	return ""
}

// parentOf reads the parent's id, which follows the name in brackets and the
// state.
func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0, fmt.Errorf("cli: %s has no parent", procFile(pid, "stat"))
	}
	return strconv.Atoi(fields[1])
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
