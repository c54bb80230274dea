package project

import "golang.org/x/sys/unix"

// statStamp is the stamp that newStamp makes of the same file.
func statStamp(st *unix.Stat_t) stamp {
	return stamp{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino}
}
