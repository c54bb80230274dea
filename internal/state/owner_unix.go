//go:build unix

package state

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noFollow keeps a planted link from leading somewhere else, and a planted FIFO
// from blocking the hook.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func openNoFollow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|noFollow, 0)
}

// private says why a file cannot be this user's own.
func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("is not a regular file")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("can be written by others (mode %v)", info.Mode().Perm())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to user %d", st.Uid)
	}
	return nil
}
