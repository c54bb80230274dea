package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// A proof says what tells that a command succeeded.
type proof struct {
	status  int     // the exit status that does: 0 is the line's, any other one is lost
	process int     // see Line.parents
	spelled bool    // see Spelled
	guards  []guard // what has succeeded before the command runs
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
	f := *w.frame
	f.guards = append(f.guards[:len(f.guards):len(f.guards)], guard{from, len(w.line.Commands), f.status})
	w.frame = &f
	return w
}

// Proves reports whether the line's exit status 0 tells that command i has run and
// succeeded: no pipe, list, loop or wrapper hides its own.
func (l *Line) Proves(i int) bool { return l.tells(i, 0) }

// Spelled reports whether all words of command i are known as they are written, though which
// files a pattern such as *.go among them names may not be.
func (l *Line) Spelled(i int) bool {
	at := l.read(i)
	return at < len(l.proofs) && l.proofs[at].spelled
}

// Guards are the commands that have run and succeeded whenever command i runs, as go vet in
// `go vet && git commit`.
func (l *Line) Guards(i int) (before []int) {
	at := l.read(i)
	if at >= len(l.proofs) {
		return nil
	}
	for _, g := range l.proofs[at].guards {
		for k := g.from; k < g.to; k++ {
			if k := l.shown(k); l.tells(k, g.status) {
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

// shown is the reverse of read.
func (l *Line) shown(at int) int {
	if l.place == nil {
		return at
	}
	return l.place[at]
}

// tells reports whether success of a status is success of command i.
func (l *Line) tells(i, status int) bool {
	if at := l.read(i); at >= len(l.proofs) || l.proofs[at].status != status || l.losesPart(i) || l.changesMeaning(i) || l.endsEarly(i) {
		return false
	}
	for _, wrapper := range l.Commands[i].Wrappers {
		if !passesStatus(wrapper) {
			return false
		}
	}
	return true
}

// concerns reports whether what is done in a process can change whether command i runs, and
// with which status: it is the command's own, or one that starts it. A script that another
// process runs can neither end a line nor set a trap for it.
func (l *Line) concerns(process, i int) bool {
	for at := l.proofs[l.read(i)].process; at != process; at = l.parents[at] {
		if at <= 0 || at >= len(l.parents) {
			return false
		}
	}
	return true
}

// losesPart reports whether a part of what starts command i is not understood.
func (l *Line) losesPart(i int) bool {
	return slices.ContainsFunc(l.partly, func(process int) bool { return l.concerns(process, i) })
}

// changesMeaning reports whether something that starts command i changes what its words run,
// or the status it ends with.
func (l *Line) changesMeaning(i int) bool {
	for k := range l.Commands {
		switch l.Commands[k].Program {
		case "trap", "hash", "enable":
			if l.concerns(l.proofs[l.read(k)].process, i) {
				return true
			}
		}
	}
	for rest := l.Text; ; {
		_, after, found := strings.Cut(rest, "PATH=")
		if !found {
			return false
		}
		if before := rest[:len(rest)-len(after)-len("PATH=")]; before == "" || !strings.ContainsAny(before[len(before)-1:], "_ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			return true
		}
		rest = after
	}
}

// passesStatus reports whether a wrapper ends with the exit status of what it runs, and
// runs it in any case.
func passesStatus(wrapper string) bool {
	name, rest, _ := strings.Cut(wrapper, " ")
	name = programName(name)
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
