package gpulock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/filelock"
)

// A folder is the open folder of a lock.
type folder struct {
	*os.Root
	path string // of the lock
}

// openFolder opens the folder of the lock at path and makes it if it is missing.
// Below the folder that holds .sentinel, or else the lock's own folder, no link
// is followed.
func openFolder(path string) (*folder, error) {
	base, names, err := split(path)
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		sub, err := enter(dir, name)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = sub
	}
	return &folder{dir, path}, nil
}

// split parts the folder of a lock into one that is trusted and the names of
// those below it, which are not.
func split(path string) (base string, below []string, err error) {
	dir := filepath.Dir(path)
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if filepath.Base(d) == stateFolder {
			base = filepath.Dir(d)
			rel, err := filepath.Rel(base, dir)
			return base, strings.Split(rel, string(filepath.Separator)), err
		}
	}
	base = filepath.Dir(dir)
	if base == dir {
		return dir, nil, nil
	}
	return base, []string{filepath.Base(dir)}, os.MkdirAll(base, 0o700)
}

// enter opens the folder of that name in dir and makes it if it is missing.
func enter(dir *os.Root, name string) (*os.Root, error) {
	made, err := false, error(nil)
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = dir.Mkdir(name, 0o700)
		made = err == nil
		if made || errors.Is(err, fs.ErrExist) {
			info, err = dir.Lstat(name)
		}
	}
	if err != nil {
		return nil, within(dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is %s, not a folder: remove it", filepath.Join(dir.Name(), name), kind(info))
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, within(dir, err)
	}
	if opened, err := sub.Stat("."); err != nil || !os.SameFile(info, opened) {
		sub.Close()
		return nil, fmt.Errorf("%s was replaced while it was opened", filepath.Join(dir.Name(), name))
	}
	if made && name == stateFolder {
		err = ignore(sub)
	}
	if err != nil {
		sub.Close()
		return nil, within(sub, err)
	}
	return sub, nil
}

// ignore keeps all that is in dir out of git.
func ignore(dir *os.Root) error {
	f, err := dir.OpenFile(".gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// open opens the lock, or with a suffix one of its marks, and makes it if it is
// missing. A file that may not be written can be locked all the same.
func (d *folder) open(suffix string) (*os.File, error) {
	name := filepath.Base(d.path) + suffix
	for range 3 { // others make the file at the same time, or an overlay copies it
		info, err := d.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			f, err := d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			return f, within(d.Root, err)
		}
		if err != nil {
			return nil, within(d.Root, err)
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is %s, not a plain file: remove it", d.path+suffix, kind(info))
		}
		f, err := d.OpenFile(name, os.O_RDWR|filelock.NonBlock, 0)
		if err != nil {
			f, err = d.OpenFile(name, os.O_RDONLY|filelock.NonBlock, 0)
		}
		if err != nil {
			return nil, within(d.Root, err)
		}
		if opened, err := f.Stat(); err == nil && os.SameFile(info, opened) {
			return f, nil
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s is replaced again and again", d.path+suffix)
}

// within has an error name the whole path: those of a Root name the last part.
func within(dir *os.Root, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s %s: %w", pe.Op, filepath.Join(dir.Name(), pe.Path), pe.Err)
	}
	return err
}

// kind names what is in the place of a folder or file.
func kind(info fs.FileInfo) string {
	switch m := info.Mode(); {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link, which is not followed"
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m.IsRegular():
		return "a file"
	default:
		return "something else"
	}
}
