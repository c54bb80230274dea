package person

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agentsentinel/sentinel/agent"
)

// Doubt says why it is not certain that a person sits at the terminal of this process:
// an agent started it, or opened the terminal, or may have. It sees through a command
// that takes the agent's marks out of its environment, one that leaves its parents, and
// one that makes a terminal of its own. seen are the agents that hooks ran below.
func Doubt(agents agent.Registry, seen []Seen) string {
	return doubt(proc{agents}, os.Getpid(), seen)
}

// proc looks processes up in /proc.
type proc struct{ registry agent.Registry }

func (s proc) get(pid int) (process, bool) {
	p, err := readProcess(pid)
	if err != nil {
		return process{}, false
	}
	p.sign = processSign(s.registry, pid)
	return p, true
}

func (proc) user() int { return os.Getuid() }

// readProcess reads what /proc has of a process for everybody, and its program where
// that may be read.
func readProcess(pid int) (process, error) {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return process{}, err
	}
	p, err := parseStat(stat)
	if err != nil {
		return process{}, fmt.Errorf("person: %s: %w", procFile(pid, "stat"), err)
	}
	p.user = realUser(pid)
	if exe, err := os.Readlink(procFile(pid, "exe")); err == nil {
		p.exe = exe
		p.system = ofSystem(exe)
	}
	return p, nil
}

// parseStat reads a line of /proc/PID/stat. The name, in brackets, can hold anything.
func parseStat(stat []byte) (p process, err error) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, fmt.Errorf("no name in it")
	}
	p.name = string(stat[open+1 : end])
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 {
		return process{}, fmt.Errorf("%d fields", len(fields))
	}
	for at, to := range map[int]*int{1: &p.parent, 3: &p.session, 4: &p.terminal} {
		if *to, err = strconv.Atoi(fields[at]); err != nil {
			return process{}, err
		}
	}
	if p.pid, err = strconv.Atoi(strings.TrimSpace(string(stat[:open]))); err != nil {
		return process{}, err
	}
	p.start, err = strconv.ParseUint(fields[19], 10, 64)
	return p, err
}

// realUser is the user who started a process, -1 if unknown.
func realUser(pid int) int {
	status, _ := os.ReadFile(procFile(pid, "status"))
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Uid:" {
			if uid, err := strconv.Atoi(fields[1]); err == nil {
				return uid
			}
		}
	}
	return -1
}

// ofSystem reports whether a program and its folder belong to the system's owner, and no
// other user may write them.
func ofSystem(exe string) bool {
	for _, path := range []string{exe, filepath.Dir(exe)} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o022 != 0 {
			return false
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 0 {
			return false
		}
	}
	return true
}

// pids are the processes that run.
func pids() []int {
	entries, _ := os.ReadDir("/proc")
	var all []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

func (s proc) agents() []process {
	var found []process
	for _, pid := range pids() {
		if pid == os.Getpid() || processSign(s.registry, pid) == "" {
			continue
		}
		if p, ok := s.get(pid); ok && p.user == os.Getuid() {
			found = append(found, p)
		}
	}
	return found
}

// majorPTY is the major number of the first pseudo-terminals.
const majorPTY = 136

// holders finds the open files that are the other end: the system tells the number of
// the terminal that belongs to each.
func (proc) holders(terminal int) []int {
	index := (terminal>>8&0xfff-majorPTY)<<8 | terminal&0xff | terminal>>12&0xfff00
	want := []byte(fmt.Sprintf("tty-index:\t%d\n", index))
	var found []int
	for _, pid := range pids() {
		dir := procFile(pid, "fd")
		fds, err := os.ReadDir(dir)
		if err != nil {
			continue // of another user
		}
		for _, fd := range fds {
			if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err != nil || !strings.HasSuffix(to, "ptmx") {
				continue
			}
			info, err := os.ReadFile(filepath.Join(procFile(pid, "fdinfo"), fd.Name()))
			if err == nil && bytes.Contains(info, want) {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// display asks the socket of the display that the program was started with who listens
// there. A program that was told another display in its arguments tells nothing.
func (proc) display(pid int) (start uint64, ok bool) {
	if line, err := os.ReadFile(procFile(pid, "cmdline")); err != nil || bytes.Contains(line, []byte("display")) {
		return 0, false
	}
	getenv := environmentOf(pid)
	socket := getenv("WAYLAND_DISPLAY")
	switch name, local := strings.CutPrefix(getenv("DISPLAY"), ":"); {
	case socket != "" && !filepath.IsAbs(socket):
		socket = filepath.Join(getenv("XDG_RUNTIME_DIR"), socket)
	case socket == "" && local:
		number, _, _ := strings.Cut(name, ".")
		socket = "/tmp/.X11-unix/X" + filepath.Base(number)
	}
	server, ok := listener(socket)
	if !ok {
		return 0, false
	}
	p, err := readProcess(server)
	return p.start, err == nil
}

// listener is the process that listens at a socket.
func listener(path string) (pid int, ok bool) {
	if path == "" {
		return 0, false
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, false
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return 0, false
	}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 {
		return 0, false
	}
	return int(cred.Pid), true
}

func (proc) remote(leader int) (string, bool) {
	connection := environmentOf(leader)("SSH_CONNECTION")
	return connection, connection != ""
}

// contained reports whether this is a user namespace: in one, any user can make a
// namespace of processes, too.
func (proc) contained() bool {
	ids, err := os.ReadFile("/proc/self/uid_map")
	return err != nil || !slices.Equal(strings.Fields(string(ids)), []string{"0", "0", "4294967295"})
}

// environmentOf reads the variables that a process was started with.
func environmentOf(pid int) func(string) string {
	environ, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return func(string) string { return "" }
	}
	return func(name string) string {
		for entry := range bytes.SplitSeq(environ, []byte{0}) {
			if key, value, ok := bytes.Cut(entry, []byte("=")); ok && string(key) == name {
				return string(value)
			}
		}
		return ""
	}
}

// processSign says by what a process shows that an agent started it, or that it
// is one.
func processSign(agents agent.Registry, pid int) string {
	if name := programSign(agents, pid); name != "" {
		return name
	}
	sign := Sign(agents, environmentOf(pid))
	if sign == "" {
		return ""
	}
	return sign + " is set"
}

// programSign is the name of the agent whose program a process runs; "" for another.
func programSign(agents agent.Registry, pid int) string {
	line, err := os.ReadFile(procFile(pid, "cmdline"))
	if err != nil {
		return ""
	}
	return agentProgram(agents, strings.Split(string(line), "\x00"))
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// wrappers start other programs: an agent starts its hooks by them, and is not one.
var wrappers = []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "timeout", "nice", "xargs", "sudo"}

// agentAbove is the agent that this process runs below: the highest that is known as
// one, or else the first that is not a wrapper. A shell that somebody types at ends the
// search for that: an event was given to a hook by hand.
func agentAbove(agents agent.Registry) (Seen, bool) {
	var found, first Seen
	typed := false
	pid := os.Getppid()
	for range maxAncestors {
		p, err := readProcess(pid)
		if err != nil || pid <= 1 {
			break
		}
		wrapper := slices.Contains(wrappers, p.name)
		typed = typed || wrapper && p.pid == p.session && p.terminal != 0
		if first.PID == 0 && !wrapper && !typed {
			first = Seen{PID: p.pid, Start: p.start}
		}
		if processSign(agents, pid) != "" {
			found = Seen{PID: p.pid, Start: p.start}
		}
		pid = p.parent
	}
	if found.PID == 0 {
		found = first
	}
	return found, found.PID != 0
}

// Nested reports whether the agent that this hook runs below was started by an agent: what
// it is asked is then no person's. It sees the marks that agents leave in the environment
// of their commands, and the processes above.
func Nested(agents agent.Registry) bool { return nested(agents, os.Getppid()) }

// nested is Nested of a hook that a process has started.
func nested(agents agent.Registry, pid int) bool {
	own, left := false, false // within the agent's own processes; above them
	for range maxAncestors {
		p, err := readProcess(pid)
		if err != nil || pid <= 1 {
			return false
		}
		is := programSign(agents, pid) != ""
		left = left || own && !is
		own = own || is
		if own && (left && is || Sign(agents, environmentOf(pid)) != "") {
			return true
		}
		pid = p.parent
	}
	return true // no process descends from so many
}

// exists reports whether there is a process with an id, which may have been given again.
// That is enough where the process was there minutes ago.
func exists(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || err == unix.EPERM
}

// ticks is the time since the machine started, in the unit of process starts, which is
// a hundredth of a second for every program.
func ticks() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return 0
	}
	return uint64(t.Nano() / 1e7)
}
