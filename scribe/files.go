package scribe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// A cloned repository chooses what is at the paths that are written here. A link must not
// lead out of it, and nothing but a regular file is opened.

// contained says that path leads out of root by a symbolic link. Of a path that does not
// exist yet, the part that exists is checked.
func contained(path, root string) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("scribe: the project's folder: %w", err)
	}
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		to, err := filepath.EvalSymlinks(at)
		if err != nil {
			return fmt.Errorf("scribe: %s: %w", path, err)
		}
		if !safefile.Within(to, real) {
			return fmt.Errorf("scribe: %s leads out of the project, to %s; remove the link", path, to)
		}
		return nil
	}
}

// openRegular opens a regular file that is not a link.
func openRegular(path string, flag int) (*os.File, error) {
	f, _, err := safefile.OpenNoFollow(path, flag, 0o600)
	return f, named(path, err)
}

// readRegular reads a regular file of at most max bytes that is not a link.
func readRegular(path string, max int64) ([]byte, error) {
	data, err := safefile.ReadNoFollow(path, max)
	return data, named(path, err)
}

// named puts the path into an error that does not name it.
func named(path string, err error) error {
	if at := (*fs.PathError)(nil); err == nil || errors.As(err, &at) {
		return err
	}
	if errors.Is(err, safefile.ErrNotRegular) {
		err = fmt.Errorf("%w; remove it", err)
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// place brings a new file to path in one step. It is an fs.ErrExist when there is
// one already, unless it may be replaced.
func place(path string, data []byte, replace bool) error {
	if replace {
		return safefile.Swap(path, data, 0o644)
	}
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	err := safefile.Create(path, data, 0o644)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without hard links leaves a moment between the look and the rename.
	if _, at := os.Lstat(path); at == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return safefile.Swap(path, data, 0o644)
}
