package person

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A desk is a machine with processes and terminals, as /proc would tell of them.
type desk struct {
	processes map[int]process
	held      []int // pids that hold the other end of the terminal
	displays  map[int]uint64
	from      string // SSH_CONNECTION
	inside    bool   // a user namespace
	uid       int
}

func (d *desk) get(pid int) (process, bool)    { p, ok := d.processes[pid]; return p, ok }
func (d *desk) holders(int) []int              { return d.held }
func (d *desk) display(pid int) (uint64, bool) { at, ok := d.displays[pid]; return at, ok }
func (d *desk) remote(int) (string, bool)      { return d.from, d.from != "" }
func (d *desk) contained() bool                { return d.inside }
func (d *desk) user() int                      { return d.uid }
func (d *desk) agents() (found []process) {
	for _, p := range d.processes {
		if p.sign != "" {
			found = append(found, p)
		}
	}
	return found
}

// Times: the session began at 100, the agent at 500. What is older is at 200, what is
// younger at 900.
const (
	atLogin   = 100
	older     = 200
	agentAt   = 500
	younger   = 900
	self      = 60 // sentinel allow, below the shell 50
	shell     = 50
	holds     = 40 // what holds the terminal
	manager   = 10 // of the user's services
	theAgent  = 70
	someone   = 1000
	pts       = 136<<8 | 3
	elsewhere = "203.0.113.7 50022 198.51.100.1 22"
)

// newDesk has a shell in a terminal of a program, and an agent in another one, below
// the user's manager.
func newDesk(holder string, start uint64, exe string) *desk {
	d := &desk{processes: map[int]process{}, held: []int{holds}, uid: someone, from: elsewhere}
	d.put(process{pid: 1, name: "systemd", start: 1})
	d.put(process{pid: manager, parent: 1, name: "systemd", start: atLogin, user: someone})
	d.put(process{pid: holds, parent: manager, name: holder, exe: exe, system: exe != "" && exe[:4] == "/usr", start: start, user: someone})
	d.put(process{pid: shell, parent: holds, session: shell, terminal: pts, name: "bash", start: start + 1, user: someone})
	d.put(process{pid: self, parent: shell, session: shell, terminal: pts, name: "sentinel", start: 1000, user: someone})
	d.put(process{pid: theAgent, parent: manager, name: "claude", sign: "claude", start: agentAt, user: someone})
	return d
}

func (d *desk) put(p process) { d.processes[p.pid] = p }

// change changes a process.
func (d *desk) change(pid int, with func(*process)) *desk {
	p := d.processes[pid]
	with(&p)
	d.put(p)
	return d
}

// below moves the agent.
func (d *desk) below(pid int) *desk {
	return d.change(theAgent, func(p *process) { p.parent = pid })
}

// nameless takes what shows that the agent is one: only its hooks tell of it.
func (d *desk) nameless() *desk {
	return d.change(theAgent, func(p *process) { p.sign, p.name = "", "node" })
}

// ssh makes the terminal one of a login over ssh, from there.
func ssh(from string) *desk {
	d := newDesk("sshd-session", younger, "")
	d.held, d.from = nil, from
	d.put(process{pid: 30, parent: 1, name: "sshd-session", start: younger})
	return d.change(holds, func(p *process) { p.parent = 30 })
}

// Terminals of a person, as they are usual.
func TestWhereAPersonSits(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*desk{
		"a window that was there before": newDesk("xterm", older, "/usr/bin/xterm"),
		"a new tab beside the agent":     newDesk("gnome-terminal-", older, "/usr/libexec/gnome-terminal-server").below(holds),
		"a new window": func() *desk {
			d := newDesk("alacritty", younger, "/usr/bin/alacritty")
			d.displays = map[int]uint64{holds: older}
			return d
		}(),
		"an editor that the agent runs in":    newDesk("code", older, "/opt/code/code").below(holds),
		"a tmux that was there before":        newDesk("tmux: server", older, "/usr/bin/tmux"),
		"ssh from elsewhere":                  ssh(elsewhere),
		"ssh where all of it has one process": ssh(elsewhere).change(holds, func(p *process) { p.user = 0 }),
		"a console":                           newDesk("login", younger, "").change(self, func(p *process) { p.terminal = 4<<8 | 1 }),
		"login on a pseudo-terminal":          newDesk("login", younger, "").change(holds, func(p *process) { p.user = 0 }),
		"docker exec":                         newDesk("", younger, "").change(shell, func(p *process) { p.parent = 0 }),
		"no agent at all":                     newDesk("tmux: server", younger, "/usr/bin/tmux").change(theAgent, func(p *process) { p.sign = "" }),
		"the only process of a container": func() *desk {
			d := newDesk("", younger, "")
			d.put(process{pid: 1, name: "bash", session: 1, terminal: pts})
			return d.change(self, func(p *process) { p.parent, p.session = 1, 1 })
		}(),
	} {
		require.Empty(t, doubt(d, self, nil), name)
	}
	d := newDesk("tmux: server", younger, "/usr/bin/tmux").change(theAgent, func(p *process) { p.sign = "" })
	ended := []Seen{{PID: 99, Start: older, Last: older + 1}}
	require.Empty(t, doubt(d.change(holds, func(p *process) { p.start = older + 3*lastStep }), self, ended), "a tmux from after an agent that ended")
}

func TestWhereNobodyCanTell(t *testing.T) {
	t.Parallel()
	seen := []Seen{{PID: theAgent, Start: agentAt, Last: agentAt}}
	for name, c := range map[string]struct {
		desk *desk
		seen []Seen
		why  string
	}{
		"an agent above":               {newDesk("xterm", older, "/usr/bin/xterm").change(shell, func(p *process) { p.parent = theAgent }), nil, "an agent started it (process 70"},
		"one without a name":           {newDesk("xterm", older, "/usr/bin/xterm").nameless().change(shell, func(p *process) { p.parent = theAgent }), seen, "as its hook has told"},
		"a pseudo-terminal of its own": {newDesk("python3", younger, "/usr/bin/python3"), nil, "python3 (process 40), which holds this terminal, was started while an agent ran"},
		"of an agent without a name":   {newDesk("python3", younger, "/usr/bin/python3").nameless(), seen, "was started while an agent ran"},
		"of one that has ended":        {newDesk("python3", agentAt+1, "/usr/bin/python3").nameless(), []Seen{{PID: 99, Start: agentAt, Last: agentAt}}, "was started while an agent ran"},
		"a tmux of its own":            {newDesk("tmux: server", younger, "/usr/bin/tmux"), nil, "tmux (process 40), which holds"},
		"at the same moment":           {newDesk("tmux: server", agentAt, "/usr/bin/tmux"), nil, "was started while"},
		"the tmux that it runs in":     {newDesk("tmux: server", older, "/usr/bin/tmux").below(holds), nil, "runs in the same tmux (process 40)"},
		"a screen that it runs in":     {newDesk("SCREEN", older, "").below(holds), nil, "runs in the same SCREEN"},
		"without a name":               {newDesk("tmux: server", older, "/usr/bin/tmux").below(holds).nameless(), seen, "runs in the same tmux"},
		"below a shell in it": {func() *desk {
			d := newDesk("tmux: server", older, "/usr/bin/tmux").below(45)
			d.put(process{pid: 45, parent: holds, name: "zsh", start: older})
			return d
		}(), nil, "runs in the same tmux"},
		"a window on a display of its own": {func() *desk {
			d := newDesk("xterm", younger, "/usr/bin/xterm")
			d.displays = map[int]uint64{holds: younger}
			return d
		}(), nil, "xterm (process 40)"},
		"on no display that is known": {newDesk("xterm", younger, "/usr/bin/xterm"), nil, "xterm (process 40)"},
		"a copy of a terminal": {func() *desk {
			d := newDesk("xterm", younger, "/home/ann/xterm")
			d.displays = map[int]uint64{holds: older}
			return d
		}(), nil, "xterm (process 40)"},
		"a name of a terminal": {func() *desk {
			d := newDesk("xterm", younger, "/usr/bin/python3")
			d.displays = map[int]uint64{holds: older}
			return d
		}(), nil, "python3 (process 40)"},
		"a second holder": {func() *desk {
			d := newDesk("xterm", older, "/usr/bin/xterm")
			d.put(process{pid: 41, parent: manager, name: "python3", start: younger})
			d.held = append(d.held, 41)
			return d
		}(), nil, "python3 (process 41)"},
		"a holder below an agent": {newDesk("xterm", older, "/usr/bin/xterm").change(holds, func(p *process) { p.parent = theAgent }).change(shell, func(p *process) { p.parent = manager }), nil, "that holds this terminal: claude"},
		"no holder is known": {func() *desk {
			d := newDesk("", older, "").change(shell, func(p *process) { p.parent = manager })
			d.held = nil
			return d
		}(), nil, "nobody can tell which program holds"},
		"its first process is gone": {newDesk("xterm", older, "/usr/bin/xterm").change(self, func(p *process) { p.session = 55; p.parent = 1 }), nil, "has ended"},
		"a namespace of the user": {func() *desk {
			d := newDesk("", younger, "").change(shell, func(p *process) { p.parent = 0 })
			d.inside = true
			return d
		}(), nil, "inside this namespace"},
		"ssh to itself":                {ssh("127.0.0.1 50022 127.0.0.1 22"), nil, "from this machine itself"},
		"ssh to itself, version 6":     {ssh("::1 50022 ::1 22"), nil, "from this machine itself"},
		"ssh to its own address":       {ssh("198.51.100.1 50022 198.51.100.1 22"), nil, "from this machine itself"},
		"ssh to itself, mapped":        {ssh("::ffff:127.0.0.1 50022 ::ffff:127.0.0.1 22"), nil, "from this machine itself"},
		"ssh that does not say":        {ssh(""), nil, "does not say where it comes from"},
		"a process that is named sshd": {newDesk("sshd", younger, ""), nil, "was started while an agent ran"},
		"the same below cron": {func() *desk {
			d := newDesk("sshd-session", younger, "")
			d.put(process{pid: 30, parent: 1, name: "cron", start: 1})
			return d.change(holds, func(p *process) { p.parent = 30 })
		}(), nil, "was started while an agent ran"},
		"the same of the superuser": {func() *desk {
			d := newDesk("sshd", younger, "/root/sshd").change(holds, func(p *process) { p.user = 0 })
			d.uid = 0
			return d
		}(), nil, "was started while an agent ran"},
		"nothing is known": {&desk{}, nil, "nothing can be told"},
	} {
		require.Contains(t, doubt(c.desk, self, c.seen), c.why, name)
	}
}

// Two processes can be above each other only where the ids were given again.
func TestAncestorsEnd(t *testing.T) {
	t.Parallel()
	d := newDesk("xterm", older, "/usr/bin/xterm")
	d.change(manager, func(p *process) { p.parent = holds })
	require.Empty(t, doubt(d, self, nil))
}
