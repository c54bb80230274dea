package safefile

import "golang.org/x/sys/windows"

// LongName is a path that is there, with the whole names of what it names by short ones
// (RULES~1). Where the system has no short names, or says nothing, it is path.
func LongName(path string) string {
	short, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return path
	}
	long := make([]uint16, windowsPathMax)
	n, err := windows.GetLongPathName(short, &long[0], uint32(len(long)))
	if err != nil || n == 0 || int(n) > len(long) {
		return path
	}
	return windows.UTF16ToString(long[:n])
}
