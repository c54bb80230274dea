package person

import (
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/agentsentinel/sentinel/agent"
)

// lookup knows the processes that run now, by the name of their program: Windows tells no
// other process's arguments and variables without reading its memory.
func lookup(agents agent.Registry) parents {
	all := map[int]process{}
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return func(int) (process, bool) { return process{}, false }
	}
	defer windows.CloseHandle(snapshot)
	e := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &e); err == nil; err = windows.Process32Next(snapshot, &e) {
		p := process{pid: int(e.ProcessID), parent: int(e.ParentProcessID), name: windows.UTF16ToString(e.ExeFile[:])}
		p.sign = agentProgram(agents, []string{p.name})
		all[p.pid] = p
	}
	return func(pid int) (process, bool) {
		p, ok := all[pid]
		p.start = started(p.pid)
		return p, ok
	}
}

// started is when a process started, in a unit of its own; 0 where that is not told.
func started(pid int) uint64 {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(h)
	var begun, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &begun, &ended, &kernel, &user) != nil {
		return 0
	}
	return uint64(begun.HighDateTime)<<32 | uint64(begun.LowDateTime)
}
