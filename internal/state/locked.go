package state

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// OpenLocked opens a file that many processes change in place, for reading and
// writing, with its lock taken until it is closed. A missing file is made, private
// to the user, and its folder too. Below a repository's [WorkFolder] no link is
// followed; elsewhere, in the user's own folders, the file itself may be none.
func OpenLocked(path string) (*os.File, error) {
	if _, _, below := cutWorkFolder(filepath.Dir(filepath.Clean(path))); !below {
		return openLocked(path, func(string) {})
	}
	dir, err := OpenFolder(filepath.Dir(path), true)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	name := filepath.Base(path)
	if info, err := dir.root.Lstat(name); err == nil {
		if err := safefile.Private(info); err != nil {
			return nil, fmt.Errorf("state: %s: %w", path, err)
		}
	}
	f, err := dir.root.OpenFile(name, os.O_RDWR|os.O_CREATE|safefile.NoFollow, 0o600)
	if err != nil {
		return nil, err
	}
	return checked(path, f, func() error {
		if info, err := f.Stat(); err != nil {
			return err
		} else if err := safefile.Private(info); err != nil { // a work folder is where the project is
			return err
		}
		return waitLock(f)
	})
}
