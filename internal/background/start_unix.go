//go:build unix

package background

import (
	"os"
	"strconv"
	"syscall"
)

// ownSession takes the child out of the agent's session and process group, and
// away from its terminal: signals that end those do not reach it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// inheritNothing keeps descriptors that an agent left open in this process from
// the child: it may wait for all who have one. Those that Go opened are kept back
// anyway, and of the three streams the child gets its own.
func inheritNothing() {
	entries, err := os.ReadDir("/dev/fd") // on Linux a link to /proc/self/fd
	if err != nil {
		for fd := 3; fd < 256; fd++ { // no list: more than an agent leaves open
			syscall.CloseOnExec(fd)
		}
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
