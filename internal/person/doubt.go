package person

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A process is what the system tells about one.
type process struct {
	pid, parent int
	session     int    // pid of the first process of its session; 0 where that is in another namespace
	terminal    int    // device number of its controlling terminal, 0 for none
	start       uint64 // when it started, in ticks since the machine did
	user        int    // real user
	name        string // of its program, as the process itself may have set it
	exe         string // path of its program, "" where that cannot be read
	system      bool   // only the system's owner can write exe
	sign        string // why it is an agent's, see processSign; "" if nothing says so
}

// title names a process for a sentence.
func (p process) title() string {
	name := p.name
	if p.exe != "" {
		name = filepath.Base(p.exe)
	}
	return fmt.Sprintf("%s (process %d)", name, p.pid)
}

// lastStep is how exactly Seen.Last is known, in ticks: five minutes.
const lastStep = 5 * 60 * 100

// A system is where processes and terminals are looked up.
type system interface {
	get(pid int) (process, bool)
	agents() []process                // those that run now and are an agent, or were started by one
	holders(terminal int) []int       // processes that hold the other end of a pseudo-terminal, as far as it is told
	display(pid int) (uint64, bool)   // start of the server on whose display a program shows its windows
	remote(leader int) (string, bool) // SSH_CONNECTION, as a session's first process was given it
	contained() bool                  // this is a namespace that any user can make
	user() int
}

// A Seen is a process of an agent, which a hook found above itself. Times are in ticks
// since the machine started.
type Seen struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
	Last  uint64 `json:"last"` // when a hook saw it last, to within lastStep
}

// A judgement is what is found out about one process, self, and its terminal.
type judgement struct {
	system
	self   process
	leader process // the first process of the session
	seen   []Seen
	now    []process // agents that run
}

// doubt says why it is not certain that a person sits at the terminal of a process; ""
// means it is. Where nothing can be told it says that.
func doubt(sys system, self int, seen []Seen) string {
	j := judgement{system: sys, seen: seen, now: sys.agents()}
	var ok bool
	if j.self, ok = sys.get(self); !ok {
		return "nothing can be told about the processes here"
	}
	if why := j.agentAbove(j.self.pid, "above it"); why != "" {
		return why
	}
	if isConsole(j.self.terminal) {
		return ""
	}
	if j.leader, ok = sys.get(j.self.session); !ok {
		return "the process that opened this terminal has ended, or cannot be seen from here"
	}
	if why := j.agentAbove(j.leader.pid, "that opened this terminal"); why != "" {
		return why
	}
	return j.origin()
}

// during reports whether a time lies in the life of an agent that is known: what was
// started then may be its work.
func (j *judgement) during(at uint64) bool {
	for _, s := range j.seen {
		if at >= s.Start && (at <= s.Last+2*lastStep || j.runs(s)) {
			return true
		}
	}
	return slices.ContainsFunc(j.now, func(a process) bool { return at >= a.start })
}

// runs reports whether an agent still runs: an id is given again.
func (j *judgement) runs(s Seen) bool {
	p, ok := j.get(s.PID)
	return ok && p.start == s.Start
}

// maxAncestors bounds the walk up; no session is that deep.
const maxAncestors = 128

// above are a process and those that it descends from.
func (j *judgement) above(pid int) []process {
	var all []process
	for range maxAncestors {
		p, ok := j.get(pid)
		if !ok {
			break
		}
		all = append(all, p)
		if p.parent <= 0 || p.parent == pid {
			break
		}
		pid = p.parent
	}
	return all
}

// agentAbove says which of a process and those above it is an agent's.
func (j *judgement) agentAbove(pid int, where string) string {
	for _, p := range j.above(pid) {
		switch {
		case p.sign != "" && p.pid != j.self.pid:
			return fmt.Sprintf("an agent started it (process %d %s: %s)", p.pid, where, p.sign)
		case slices.ContainsFunc(j.seen, func(s Seen) bool { return s.PID == p.pid && s.Start == p.start }):
			return fmt.Sprintf("an agent started it (process %d %s is one, as its hook has told)", p.pid, where)
		}
	}
	return ""
}

// origin judges where the terminal comes from: a login from elsewhere, a container's own,
// or a program that holds the other end, and could type there.
func (j *judgement) origin() string {
	parent, ok := j.get(j.leader.parent)
	if j.leader.parent == 0 || !ok {
		if j.contained() {
			return "nobody can tell from inside this namespace who opened the terminal"
		}
		return "" // opened from outside: docker exec, or the first process of a container
	}
	if login, ssh := j.login(parent); login {
		return j.fromHere(ssh)
	}
	holders := j.holders(j.self.terminal)
	if len(holders) == 0 && !isManager(parent) {
		holders = []int{parent.pid}
	}
	if len(holders) == 0 {
		return "nobody can tell which program holds this terminal"
	}
	for _, pid := range holders {
		if why := j.holder(pid); why != "" {
			return why
		}
	}
	return ""
}

// loginPrograms open terminals for people who log in, as the system's owner.
var loginPrograms = []string{"sshd", "sshd-session", "dropbear", "login", "tailscaled"}

// login reports whether a program of the system's owner opened the session for somebody
// who logged in, over ssh or at a console. parent is the process above the session; of
// ssh's two, one has the user's rights.
func (j *judgement) login(parent process) (yes, ssh bool) {
	above := []process{parent}
	if next, ok := j.get(parent.parent); ok && strings.HasPrefix(parent.name, "sshd") {
		above = append(above, next)
	}
	for _, p := range above {
		if p.user != 0 || !slices.Contains(loginPrograms, p.name) || j.user() == 0 && !p.system {
			continue
		}
		return true, p.name != "login"
	}
	return false, false
}

// fromHere says whether an ssh session comes from this machine, where an agent can start
// it, or does not say from where it comes.
func (j *judgement) fromHere(ssh bool) string {
	if !ssh {
		return ""
	}
	connection, _ := j.remote(j.leader.pid)
	fields := strings.Fields(connection)
	if len(fields) != 4 {
		return "the ssh session does not say where it comes from"
	}
	client, server := strings.TrimPrefix(fields[0], "::ffff:"), strings.TrimPrefix(fields[2], "::ffff:")
	if client == server || client == "::1" || strings.HasPrefix(client, "127.") {
		return "the ssh session comes from this machine itself"
	}
	return ""
}

// emulators show terminals in windows, and have no command that lets another program type
// there.
var emulators = []string{
	"gnome-terminal-server", "kgx", "ptyxis-agent", "xterm", "uxterm", "urxvt", "urxvtd", "rxvt", "st", "alacritty", "foot",
	"mate-terminal", "xfce4-terminal", "lxterminal", "qterminal", "terminology", "ghostty", "tilix",
}

// multiplexers have a command that lets any program of the user read and type there.
var multiplexers = []string{
	"tmux", "screen", "SCREEN", "zellij", "dtach", "abduco", "kitty", "wezterm-gui", "wezterm-mux-server", "konsole", "emacs",
}

// holder judges a program that holds the other end of the terminal. It may be one that no
// agent started, as none ran at that time, unless an agent runs inside of it and can
// type there by its commands; or a window on a display that no agent started.
func (j *judgement) holder(pid int) string {
	h, ok := j.get(pid)
	if !ok {
		return "the program that holds this terminal cannot be looked at"
	}
	if why := j.agentAbove(pid, "that holds this terminal"); why != "" {
		return why
	}
	program := strings.Fields(h.name + " ")
	names := []string{filepath.Base(h.exe), strings.TrimSuffix(strings.Join(program[:min(1, len(program))], ""), ":")}
	is := func(list []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) })
	}
	safe := !j.during(h.start)
	switch {
	case safe && is(multiplexers) && j.hosts(pid):
		return fmt.Sprintf("an agent runs in the same %s, and can type in all of its terminals", h.title())
	case safe:
		return ""
	case h.system && slices.Contains(emulators, filepath.Base(h.exe)) && j.ownDisplay(pid):
		return ""
	}
	return fmt.Sprintf("%s, which holds this terminal, was started while an agent ran, and nobody can tell by whom", h.title())
}

func (j *judgement) ownDisplay(pid int) bool {
	start, ok := j.display(pid)
	return ok && !j.during(start)
}

// hosts reports whether an agent that runs now is below a process.
func (j *judgement) hosts(pid int) bool {
	below := func(agent int) bool {
		return slices.ContainsFunc(j.above(agent), func(p process) bool { return p.pid == pid })
	}
	if slices.ContainsFunc(j.seen, func(s Seen) bool { return j.runs(s) && below(s.PID) }) {
		return true
	}
	return slices.ContainsFunc(j.now, func(a process) bool { return below(a.pid) })
}

// isManager reports whether a process adopts those whose parents ended.
func isManager(p process) bool { return p.pid == 1 || p.name == "systemd" || p.name == "init" }

// Major numbers of devices that are terminals of the machine itself.
const (
	majorConsole = 4   // and serial lines
	majorARM     = 204 // serial lines of some boards
	majorHyper   = 229 // of a virtual machine
)

// isConsole reports whether a terminal is one of the machine, which has no other end.
func isConsole(terminal int) bool {
	return slices.Contains([]int{majorConsole, majorARM, majorHyper}, terminal>>8&0xfff)
}
