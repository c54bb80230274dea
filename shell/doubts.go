package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// doubts are what can hide, in a line, whether its commands ran and succeeded. What one process
// does concerns itself and those that it starts: a script that another process runs can
// neither end a line nor set a trap for it.
type doubts struct {
	line     *Line
	all      bool   // the line sets PATH, or another variable by which a word may run anything
	unsure   []bool // of each process: a part of its text is not understood, or changes what words mean
	ends     []int  // of each process: the first command, as read, that may end it with success
	replaced []int  // the first command, as read, of each shell that took the place of another one
}

// doubts looks for them once, for questions about many commands.
func (l *Line) doubts() *doubts {
	n := max(1, len(l.parents))
	d := &doubts{line: l, all: setsPath(l.Text) || steers(l.Text), unsure: make([]bool, n), ends: slices.Repeat([]int{len(l.proofs)}, n)}
	for _, process := range l.partly {
		d.unsure[process] = true
	}
	for at, p := range l.proofs {
		c := &l.Commands[l.shown(at)]
		switch c.Program {
		case "trap", "hash", "enable":
			d.unsure[p.process] = true
		}
		if c.endsShell() {
			d.ends[p.process] = min(d.ends[p.process], at)
		}
		if c.inReplacement() && !slices.ContainsFunc(d.replaced, func(k int) bool { return l.proofs[k].process == p.process }) {
			d.replaced = append(d.replaced, at)
		}
	}
	for process := 1; process < n; process++ { // a process is younger than the one that starts it
		parent := l.parents[process]
		d.unsure[process] = d.unsure[process] || d.unsure[parent]
		d.ends[process] = min(d.ends[process], d.ends[parent])
	}
	return d
}

// tells reports whether success of a status is success of command i.
func (d *doubts) tells(i, status int) bool {
	l := d.line
	at := l.read(i)
	if d.all || at >= len(l.proofs) || l.proofs[at].status != status {
		return false
	}
	if process := l.proofs[at].process; d.unsure[process] || d.ends[process] < at {
		return false
	}
	if slices.ContainsFunc(d.replaced, func(k int) bool { return k < at && !l.concerns(l.proofs[k].process, at) }) {
		return false
	}
	if slices.ContainsFunc(l.Commands[i].Assigns, steers) {
		return false
	}
	for _, wrapper := range l.Commands[i].Wrappers {
		if !passesStatus(wrapper) {
			return false
		}
	}
	return true
}

// concerns reports whether a process is the one that runs the command that was read at a place,
// or one that starts it.
func (l *Line) concerns(process, at int) bool {
	p := l.proofs[at].process
	for p > process { // a process is younger than the one that starts it
		p = l.parents[p]
	}
	return p == process
}

// setsPath reports whether a text may set PATH, which decides what its words run.
func setsPath(text string) bool {
	for {
		before, after, found := strings.Cut(text, "PATH=")
		if !found {
			return false
		}
		if before == "" || !strings.ContainsAny(before[len(before)-1:], "_ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			return true
		}
		text = after
	}
}

// steers reports whether a text may set a variable that makes programs run something else than
// their words say: GOFLAGS=-n.
func steers(text string) bool {
	for {
		before, after, found := strings.Cut(text, "=")
		if !found {
			return false
		}
		name := before[strings.LastIndexFunc(before, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') })+1:]
		value := after
		switch {
		case name == "":
		case value != "" && (value[0] == '"' || value[0] == '\''):
			value, _, _ = strings.Cut(value[1:], value[:1])
		default:
			value = value[:max(0, strings.IndexAny(value+" ", " \t\n;&|()<>"))]
		}
		if name != "" && table.Steers(name, value) {
			return true
		}
		text = after
	}
}
