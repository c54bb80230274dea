package project

import (
	"io/fs"
	"time"
)

// A stamp tells whether a file is still the one that was read. All of it must
// agree, as in git's index: a file that was written twice in one tick of the
// clock differs in size or inode, or was too young to be believed.
type stamp struct {
	size         int64
	mtime, ctime int64 // nanoseconds; ctime is 0 where the system has none
	inode        uint64
}

// racyAge is how old a file must be when it is read for its stamp to be believed
// later: a younger one may be written again within the clock's resolution, which
// is two seconds on the coarsest file systems.
const racyAge = 2 * time.Second

func newStamp(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.ctime, s.inode = changeTime(info)
	return s
}

// racy reports whether a file with this stamp, read at now, may change without
// its stamp changing.
func (s stamp) racy(now time.Time) bool {
	limit := now.Add(-racyAge).UnixNano()
	return s.mtime >= limit || s.ctime >= limit
}
