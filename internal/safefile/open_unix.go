//go:build unix

package safefile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// NoFollow are flags for [os.OpenFile] and [os.Root.OpenFile]: a link in the place
// of a file is refused, and a FIFO is not waited for.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func openRead(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func openAppend(path string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|NoFollow, perm)
}

// closed: the mode says it all.
func closed(*os.File) error { return nil }

// Private says why another user could have written a file; nil means that only
// this user can.
func Private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("can be written by others (mode %v)", info.Mode().Perm())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to user %d", st.Uid)
	}
	return nil
}
