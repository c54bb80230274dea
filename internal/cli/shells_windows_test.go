package cli_test

import (
	"os/exec"
	"syscall"
)

// byCmd has cmd.exe run a line as Node.js and most agents do: all that is between the
// first and the last quotation mark is the line.
func byCmd(line string) *exec.Cmd {
	cmd := exec.Command("cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + line + `"`}
	return cmd
}
