package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// workBehindEnds waits for the processes that outlive the hooks, where they
// cannot be found by their home folder and ended. It gives up after a while:
// what is still there then is ended by its own limits.
func workBehindEnds(bin string) {
	for end := time.Now().Add(time.Minute); workBehind(bin) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
}

// workBehind reports whether such a process of the command in bin runs.
func workBehind(bin string) bool {
	out, _ := exec.Command("ps", "-A", "-o", "args=").Output() // there is none on Windows, where no agent is driven
	return strings.Contains(string(out), filepath.Join(bin, "sentinel")+" background-work")
}
