//go:build !windows

package cli_test

import "os/exec"

// byCmd is not called here: no system but Windows has cmd.exe.
func byCmd(line string) *exec.Cmd { return exec.Command("cmd.exe", "/c", line) }
