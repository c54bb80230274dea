package install

import (
	"slices"
	"strings"
)

// IsPython reports whether a command runs the original Python Sentinel: sentinel.py or one
// of its companions, by a Python interpreter or by itself, and nothing else.
func IsPython(command string, args []string) bool {
	list, single := append([]string{command}, args...), true
	if args == nil {
		list, single = words(command)
	}
	if list = withoutAssignments(list); !single || len(list) == 0 {
		return false
	}
	if name := programName(list[0]); strings.HasPrefix(name, "python") || name == "py" || name == "uv" {
		list = list[1:]
	}
	i := slices.IndexFunc(list, func(w string) bool { return !strings.HasPrefix(w, "-") && w != "run" })
	return i >= 0 && slices.Contains(pythonPrograms, programName(list[i]))
}

// pythonPrograms are the programs of the Python Sentinel that its hooks start.
var pythonPrograms = []string{"sentinel.py", "sentinel_context.py", "sentinel_scribe.py"}

// programName is the name of a program without its folder.
func programName(path string) string {
	return strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
}

// PlanPythonRemoval says how the hooks of the Python Sentinel would be taken out of
// t.File. It changes nothing. A file that Sentinel writes as a whole has none.
func PlanPythonRemoval(t Target) (Change, error) {
	if t.Settings.Known() && absent(t.File) {
		return Change{Target: t}, nil
	}
	c, err := read(t)
	if err != nil || t.Settings.Script != nil {
		c.After = c.Before
		return c, err
	}
	f := t.Settings.formFor(t.File, t.Program)
	f.python = true
	c.After, err = f.takeOut(c.Before, func(entry) bool { return true })
	if err != nil {
		return Change{}, named(t.File, err)
	}
	return c, nil
}
