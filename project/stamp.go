package project

import (
	"encoding/binary"
	"io/fs"
	"time"

	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/internal/safefile"
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
	s.ctime, s.inode = safefile.ChangeTime(info)
	return s
}

// racy reports whether a file with this stamp, read at now, may change without
// its stamp changing.
func (s stamp) racy(now time.Time) bool {
	limit := now.Add(-racyAge).UnixNano()
	return s.mtime >= limit || s.ctime >= limit
}

// stampBytes is the size of a stamp in a file.
const stampBytes = 4 * 8

func (s stamp) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.mtime))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.ctime))
	return binary.LittleEndian.AppendUint64(b, s.inode)
}

func readStamp(r *codec.Reader) stamp {
	b := []byte(r.Bytes(stampBytes))
	if len(b) < stampBytes {
		return stamp{}
	}
	field := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return stamp{size: int64(field(0)), mtime: int64(field(1)), ctime: int64(field(2)), inode: field(3)}
}
