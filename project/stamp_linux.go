package project

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

func changeTime(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}

// statStamp is the stamp that newStamp makes of the same file.
func statStamp(st *unix.Stat_t) stamp {
	return stamp{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino}
}
