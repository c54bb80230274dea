package subprocess

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job that the program is put into before its first instruction, so that
// all its children are in it too. It ends with the last handle to it, and so also when
// this process dies. Where the system gives no job, only the program is ended.
type group struct {
	mu  sync.Mutex
	job windows.Handle
}

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
}

// started puts the program into the job and lets it run.
func (g *group) started(p *os.Process) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, uint32(p.Pid))
	if err != nil {
		return fmt.Errorf("subprocess: the program cannot be let run: %w", err)
	}
	defer windows.CloseHandle(process)
	g.assign(process)
	status, _, _ := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess").Call(uintptr(process))
	if status := windows.NTStatus(status); status != windows.STATUS_SUCCESS {
		return fmt.Errorf("subprocess: the program cannot be let run: %w", status)
	}
	return nil
}

func (g *group) assign(process windows.Handle) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
	}
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	g.mu.Lock()
	g.job = job
	g.mu.Unlock()
}

// end ends the job with all in it, once; without a job, the program.
func (g *group) end(p *os.Process) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return p.Kill()
	}
	err := windows.TerminateJobObject(g.job, 1)
	windows.CloseHandle(g.job)
	g.job = 0
	return err
}

func holdThread() (release func()) { return func() {} }
