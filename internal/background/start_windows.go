package background

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// ownSession takes the child off the agent's console and out of its group.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// inheritNothing has nothing to do: a process gets the three streams that it was
// given, and no other handle.
func inheritNothing() {}
