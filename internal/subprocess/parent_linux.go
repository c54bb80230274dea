package subprocess

import (
	"runtime"
	"syscall"
)

// endWithParent has the system kill the program when the thread that started it
// ends. That thread is kept for it by holdThread.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// holdThread keeps this goroutine on its thread, and the thread alive.
func holdThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
