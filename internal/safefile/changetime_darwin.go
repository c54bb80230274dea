package safefile

import (
	"io/fs"
	"syscall"
)

// ChangeTime is when the state of a file last changed, in nanoseconds since 1970, and its
// number. Programs cannot set that time. Both are 0 where the system does not tell them.
func ChangeTime(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano(), st.Ino
	}
	return 0, 0
}
