package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// A proof says what tells that a command succeeded.
type proof struct {
	status  int  // the exit status that does: 0 is the line's, any other one is lost
	process int  // see Line.parents
	spelled bool // see Spelled
	last    int  // see Ends; 0 for the command itself
	flow
	guards []guard // what has succeeded before the command runs
}

// noStatus is the status of what may not be what the line runs.
const noStatus = -1

// A guard is those commands of a range whose success a status tells.
type guard struct{ from, to, status int }

// apart returns a walker of statements whose exit status is not that of what is around
// them.
func (w walker) apart() walker {
	f := *w.frame
	w.analyzer.statuses++
	f.status = w.analyzer.statuses
	w.frame = &f
	return w
}

// behind returns a walker of what runs only if the commands from from on, of the same
// status, have succeeded.
func (w walker) behind(from int) walker {
	f, to := *w.frame, len(w.line.Commands)
	if last := len(f.guards) - 1; last >= 0 && f.guards[last].to == from && f.guards[last].status == f.status {
		from = f.guards[last].from // one range for a long chain
		f.guards = f.guards[:last]
	}
	f.guards = append(f.guards[:len(f.guards):len(f.guards)], guard{from, to, f.status})
	w.frame = &f
	return w
}

// Proves reports whether the line's exit status 0 tells that command i has run and
// succeeded: no pipe, list, loop or wrapper hides its own.
func (l *Line) Proves(i int) bool {
	if l.whole != nil {
		return l.whole.line.Proves(l.whole.kept[i])
	}
	return l.doubts().tells(i, 0)
}

// Spelled reports whether all words of command i are known as they are written, though which
// files a pattern such as *.go among them names may not be.
func (l *Line) Spelled(i int) bool {
	if l.whole != nil {
		return l.whole.line.Spelled(l.whole.kept[i])
	}
	at := l.read(i)
	return at < len(l.proofs) && l.proofs[at].spelled
}

// Guards are the commands that have run and succeeded whenever command i runs, as go vet in
// `go vet && git commit`.
func (l *Line) Guards(i int) (before []int) {
	if l.whole != nil {
		return l.whole.guards(i)
	}
	at := l.read(i)
	if at >= len(l.proofs) {
		return nil
	}
	doubts := l.doubts()
	for _, g := range l.proofs[at].guards {
		for k := g.from; k < g.to; k++ {
			if k := l.shown(k); doubts.tells(k, g.status) {
				before = append(before, k)
			}
		}
	}
	return before
}

// read returns when command i was read: its place among the proofs.
func (l *Line) read(i int) int {
	if l.order == nil || i >= len(l.order) {
		return i
	}
	return l.order[i]
}

// Whole returns the line that [Line.Only] took this one from, or the line itself.
func (l *Line) Whole() *Line {
	for l.whole != nil {
		l = l.whole.line
	}
	return l
}

// Order is the place of command i in the order in which the line runs, from 0. The order of Commands is that of
// the text, where the body of a function is before the calls of it.
func (l *Line) Order(i int) int {
	if l.whole != nil {
		return l.whole.line.Order(l.whole.kept[i])
	}
	return l.read(i)
}

// Ends is the place, as in [Line.Order], of the last command that command i runs, as a script or a recipe: its own
// where it runs none.
func (l *Line) Ends(i int) int {
	if l.whole != nil {
		return l.whole.line.Ends(l.whole.kept[i])
	}
	at := l.read(i)
	if at >= len(l.proofs) {
		return at
	}
	return max(at, l.proofs[at].last)
}

// Later reports whether what command i does may be done later than the place in the line says: in the
// background, or by a trap.
func (l *Line) Later(i int) bool {
	c := &l.Commands[i]
	return c.Background || slices.Contains(c.Wrappers, "trap")
}

// ended notes that all commands since one was recorded are those that it runs.
func (w walker) ended(index int) {
	w.line.proofs[index].last = len(w.line.Commands) - 1
}

// shown is the reverse of read.
func (l *Line) shown(at int) int {
	if l.place == nil {
		return at
	}
	return l.place[at]
}

// passesStatus reports whether a wrapper ends with the exit status of what it runs, and
// runs it in any case.
func passesStatus(wrapper string) bool {
	name, rest, _ := strings.Cut(wrapper, " ")
	name = programName(name)
	if rest == "" && (strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash")) {
		return true // a script, whose own statements say what its status tells
	}
	switch name {
	case "command", "builtin", "exec", "eval", "bash", "sh", "zsh", "dash", "ksh", "flock":
		return true
	case "python", "yarn", "pnpm":
		return rest == "" || rest == "-m" || runnerPasses(name, rest)
	case "docker", "podman":
		return !strings.Contains(rest, "-d")
	}
	if rest != "" {
		return runnerPasses(name, rest) || table.FindRecipe(name).Value("format") != ""
	}
	w, ok := table.FindWrapper(name)
	return ok && !w.Hides && !w.Remote || table.FindRecipe(name).Value("format") != ""
}

// runnerPasses is passesStatus for a program with a sub-command: "uv run", and "uv tool" for
// uv tool run.
func runnerPasses(name, sub string) bool {
	w, ok := table.FindRunner(name, sub)
	if !ok {
		w, ok = table.FindRunner(name, sub, "run")
	}
	return ok && !w.Hides && !w.Remote
}
