//go:build unix && !linux

package subprocess

import "syscall"

// These systems do not tell a process that its parent has died.
func endWithParent(*syscall.SysProcAttr) {}

func holdThread() (release func()) { return func() {} }
