//go:build unix

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup makes the program the first of a process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends the processes that outlive the program.
func endGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the usual answer is that there is none
}

// endHome ends every process whose home folder is this one, in whatever group or
// session: agents start servers that outlive them, and hooks leave work running. It
// needs Linux's /proc, and reports whether there is one.
func endHome(home string) bool {
	for again := true; again; {
		environments, _ := filepath.Glob("/proc/[0-9]*/environ")
		if len(environments) == 0 {
			return false
		}
		again = false
		for _, file := range environments {
			env, err := os.ReadFile(file) // that of a process which has ended is empty
			if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+home+"\x00")) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
				again = true // it may have started another meanwhile
			}
		}
	}
	return true
}
