package person

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
)

// parents is a system that tells which process started which, and does not know terminals.
type parents func(pid int) (process, bool)

func (p parents) get(pid int) (process, bool) { return p(pid) }
func (parents) agents() []process             { return nil }
func (parents) holders(int) []int             { return nil }
func (parents) display(int) (uint64, bool)    { return 0, false }
func (parents) remote(int) (string, bool)     { return "", false }
func (parents) contained() bool               { return false }
func (parents) user() int                     { return -1 }

// doubtAbove says which process above self is an agent's; "" if none is. A parent that has
// ended ends the walk: its id may be that of another process now, which started later.
func doubtAbove(get parents, self int) string {
	var child process
	j := judgement{system: parents(func(pid int) (process, bool) {
		p, ok := get(pid)
		if ok && child.pid != 0 && p.pid == child.parent && p.start > child.start {
			return process{}, false
		}
		child = p
		return p, ok
	})}
	var ok bool
	if j.self, ok = get(self); !ok {
		return "nothing can be told about the processes here"
	}
	return j.agentAbove(self, "above it")
}

// agentProgram is the agent's name if the arguments are those of one: of the
// program itself, or of an interpreter that runs it. An editor such as Cursor does not
// count, because its terminals are a person's.
func agentProgram(agents agent.Registry, argv []string) string {
	for i, arg := range argv {
		name := programName(arg)
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

// programName is the name of a program, without the folder and the ending of its system.
func programName(arg string) string {
	name := arg[strings.LastIndexAny(arg, `/\\`)+1:]
	for _, ending := range []string{".js", ".exe", ".EXE"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// parseProcArgs reads what macOS tells of a process: how many arguments it has, the path of
// its program, the arguments and the variables. The process may have changed all of it.
func parseProcArgs(data []byte) (argv []string, getenv func(string) string) {
	none := func(string) string { return "" }
	if len(data) < 4 {
		return nil, none
	}
	count := int(int32(binary.LittleEndian.Uint32(data)))
	_, rest, _ := bytes.Cut(data[4:], []byte{0}) // behind the path
	fields := bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})
	if count < 0 || count > len(fields) {
		return nil, none
	}
	for _, f := range fields[:count] {
		argv = append(argv, string(f))
	}
	environ := fields[count:]
	return argv, func(name string) string {
		for _, entry := range environ {
			if len(entry) == 0 {
				break // behind the variables is what the system told the program
			}
			if key, value, ok := bytes.Cut(entry, []byte("=")); ok && string(key) == name {
				return string(value)
			}
		}
		return ""
	}
}
