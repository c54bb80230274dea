package scribe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A cloned repository chooses what stands at the paths that are written here. A
// link must not lead out of it, and nothing but a regular file is opened.

// contained says that path leads out of root by a symbolic link. What does not
// exist yet is looked at as far as it does.
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
		if !within(to, real) {
			return fmt.Errorf("scribe: %s leads out of the project, to %s; remove the link", path, to)
		}
		return nil
	}
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

var errNotRegular = errors.New("is not a regular file; remove it")

// openRegular opens a regular file that is no link. It waits for no FIFO.
func openRegular(path string, flag int) (*os.File, error) {
	before, err := os.Lstat(path)
	switch {
	case err == nil && !before.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	case err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)):
		return nil, err
	case err != nil:
		flag |= os.O_EXCL // nobody slips a link in
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	if after, err := f.Stat(); err != nil || before != nil && !os.SameFile(before, after) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return f, nil
}

// readRegular reads a regular file of at most max bytes.
func readRegular(path string, max int64) ([]byte, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("is larger than %d bytes", max)}
	}
	return data, err
}

// place brings a new file to path in one step. It is an fs.ErrExist when there is
// one already, unless it may be replaced.
func place(path string, data []byte, replace bool) error {
	if _, err := os.Lstat(path); err == nil && !replace {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil && !replace {
		err = link(f.Name(), path)
	} else if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// link gives a file its name unless something has it. A file system without hard
// links leaves a moment between the look and the rename.
func link(tmp, path string) error {
	err := os.Link(tmp, path)
	if err == nil {
		return os.Remove(tmp)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, at := os.Lstat(path); at == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(tmp, path)
}
