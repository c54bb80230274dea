//go:build unix

package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// notOwn says why a folder is not this user's own, "" if it is.
func notOwn(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Sprintf("belongs to user %d, not to you", st.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Sprintf("can be written by others (%v)", info.Mode().Perm())
	}
	return ""
}

// openTo is the mode of a folder that others may look into, "" if they may not.
func openTo(info fs.FileInfo) string {
	if info.Mode().Perm()&0o055 != 0 {
		return info.Mode().Perm().String()
	}
	return ""
}

// foreign says why a program may be somebody else's, "" if it is this user's or
// the administrator's.
func foreign(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return fmt.Sprintf("belongs to user %d", st.Uid)
	}
	if info.Mode().Perm()&0o002 != 0 {
		return "can be written by everybody"
	}
	if dir, err := os.Stat(filepath.Dir(path)); err == nil && dir.Mode().Perm()&0o002 != 0 && dir.Mode()&fs.ModeSticky == 0 {
		return "lies in a folder that everybody can write"
	}
	return ""
}
