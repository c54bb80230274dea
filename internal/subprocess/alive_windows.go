package subprocess

import "golang.org/x/sys/windows"

// stillActive is the exit code of a process that has not ended.
const stillActive = 259

// Alive reports whether there is a process with this number.
func Alive(pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return pid > 0 && err == windows.ERROR_ACCESS_DENIED
	}
	defer windows.CloseHandle(process)
	var code uint32
	return windows.GetExitCodeProcess(process, &code) != nil || code == stillActive
}
