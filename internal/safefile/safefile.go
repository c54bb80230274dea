// Package safefile opens, reads and replaces files at paths that others may have
// chosen or prepared: those of a cloned repository, of a log, of a transcript, and
// the user's own state.
//
// Every function takes regular files only. A FIFO or a device in the place of a
// file is an error and never blocks: not even its opening, which could wait or act
// on it, is tried. Reading is bounded. The name says the difference:
//
//   - [Open] and [Read] follow links.
//   - [OpenNoFollow], [OpenAppend] and [ReadNoFollow] refuse a link as the last
//     element of the path. Links before it are the caller's to judge: see [Within].
//   - [OpenPrivate] and [ReadPrivate] refuse links, and files that another user
//     could have written.
//   - [Replace] keeps the mode of a file and syncs it to disk. [Swap] and [Create]
//     do neither.
//
// A file that is exchanged between the look at it and its opening is not used.
// All functions are safe for concurrent use, also by several processes.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrNotRegular says that a path has a folder, a FIFO, a device, or a refused link.
// It is an [fs.ErrInvalid] too.
var ErrNotRegular error = notRegular{}

type notRegular struct{}

func (notRegular) Error() string        { return "is not a regular file" }
func (notRegular) Is(target error) bool { return target == fs.ErrInvalid }

var errReplaced = errors.New("was replaced while it was opened")

// openTries bounds how often a file is opened that others replace at that moment.
const openTries = 8

// Open opens a regular file for reading. A link is followed. On Windows others may
// rename or remove the file while it is open.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	f, err := whenFree(func() (*os.File, error) { return openRead(path) })
	if err != nil {
		return nil, nil, err
	}
	return regular(f) // it may have been replaced just now
}

// whenFree opens a file, on Windows when another process has ended replacing it. What is
// denied stays denied.
func whenFree(open func() (*os.File, error)) (f *os.File, err error) {
	_ = Patiently(func() error {
		if f, err = open(); errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	})
	return f, err
}

// regular returns f and what it is, or closes it when it is not a regular file.
func regular(f *os.File) (*os.File, fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// OpenNoFollow opens a regular file that is not a link, as [os.OpenFile] does. With
// os.O_CREATE a missing one is made.
func OpenNoFollow(path string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	var err error
	for range openTries {
		var f *os.File
		var info fs.FileInfo
		f, info, err = openNoFollow(path, flag, perm)
		again := errors.Is(err, errReplaced) || flag&os.O_EXCL == 0 && errors.Is(err, fs.ErrExist)
		if !again {
			return f, info, err
		}
	}
	return nil, nil, err
}

func openNoFollow(path string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	switch {
	case err == nil && !before.Mode().IsRegular():
		return nil, nil, ErrNotRegular
	case err == nil && flag&os.O_EXCL != 0:
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
	case err == nil:
		flag &^= os.O_CREATE
	case flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	default:
		flag |= os.O_EXCL // a link that appears now is not followed
	}
	f, err := whenFree(func() (*os.File, error) { return os.OpenFile(path, flag|NoFollow, perm) })
	if err != nil {
		if before != nil && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", errReplaced, err) // removed just now
		}
		return nil, nil, err
	}
	f, info, err := regular(f)
	if err == nil && before != nil && !os.SameFile(before, info) {
		f.Close()
		return nil, nil, errReplaced
	}
	return f, info, err
}

// OpenAppend opens a regular file that is not a link for reading and for appending,
// and makes a missing one. On Windows others may rename the file while it is open.
func OpenAppend(path string, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	f, err := openAppend(path, perm)
	if err != nil {
		return nil, nil, err
	}
	return regular(f)
}

// OpenPrivate opens a file for reading that is [Private] and not a link.
func OpenPrivate(path string) (*os.File, fs.FileInfo, error) {
	f, info, err := OpenNoFollow(path, os.O_RDONLY, 0)
	if err == nil {
		if err = PrivateFile(f); err != nil {
			f.Close()
			return nil, nil, err
		}
	}
	return f, info, err
}

// PrivateFile is [Private] for an open file. On Windows it looks at the file's access list.
func PrivateFile(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		err = Private(info)
	}
	if err == nil {
		err = closed(f)
	}
	return err
}

// Read returns the content of a regular file of at most limit bytes. A link is
// followed.
func Read(path string, limit int64) ([]byte, error) { return readAll(limit)(Open(path)) }

// ReadNoFollow is [Read] of a file that is not a link.
func ReadNoFollow(path string, limit int64) ([]byte, error) {
	return readAll(limit)(OpenNoFollow(path, os.O_RDONLY, 0))
}

// ReadPrivate is [Read] of a file that is [Private] and not a link.
func ReadPrivate(path string, limit int64) ([]byte, error) {
	return readAll(limit)(OpenPrivate(path))
}

// readAll reads what a way of opening gave, and closes it. The size is looked at
// first: a sparse file of a terabyte costs nothing.
func readAll(limit int64) func(*os.File, fs.FileInfo, error) ([]byte, error) {
	return func(f *os.File, info fs.FileInfo, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info.Size() > limit {
			return nil, tooLarge(limit)
		}
		data := make([]byte, 0, info.Size()+512)
		for r := io.LimitReader(f, limit+1); ; {
			n, err := r.Read(data[len(data):cap(data)])
			data = data[:len(data)+n]
			switch {
			case err == io.EOF && int64(len(data)) <= limit:
				return data, nil
			case err != nil && err != io.EOF:
				return nil, err
			case int64(len(data)) > limit: // it grew meanwhile
				return nil, tooLarge(limit)
			case len(data) == cap(data):
				data = append(data, 0)[:len(data)]
			}
		}
	}
}

func tooLarge(limit int64) error { return fmt.Errorf("is larger than %d bytes", limit) }

// Within reports whether path is dir or lies below it. Both are absolute, or both
// relative to the same folder. It looks at the names only: resolve links first.
func Within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// TempPrefix begins the names of the temporary files of [Swap] and [Create], which
// a crash leaves in the folder of the file.
const TempPrefix = ".tmp-"

// Swap puts data in the place of a file in one step: a reader sees the old content
// or the new. A link of that name is replaced, not followed. The file gets perm,
// whatever the umask is. Nothing is synced to disk: after a crash of the system
// the file may be damaged. The folder must exist.
func Swap(path string, data []byte, perm fs.FileMode) error {
	return put(path, data, perm, func(temp, path string) error {
		return Patiently(func() error { return rename(temp, path) })
	})
}

// patience bounds how often [Patiently] tries: for about half a second.
const patience = 31

// Patiently renames, replaces or removes a file. On Windows that fails as long as another
// process has the file open, so it is tried again for a while.
func Patiently(do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == patience || !busy(err) {
			return err
		}
		time.Sleep(time.Duration(try) * time.Millisecond)
	}
}

// Remove removes a file, [Patiently].
func Remove(path string) error { return Patiently(func() error { return os.Remove(path) }) }

// Create is [Swap] for a file that must not exist yet: [fs.ErrExist] if anything
// has the name. It is an error on a file system without hard links.
func Create(path string, data []byte, perm fs.FileMode) error {
	return put(path, data, perm, func(temp, path string) error {
		defer os.Remove(temp)
		return os.Link(temp, path)
	})
}

// put writes a temporary file in path's folder and has place bring it there.
func put(path string, data []byte, perm fs.FileMode, place func(temp, path string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), TempPrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if perm != 0o600 { // the mode of a temporary file
		err = errors.Join(err, f.Chmod(perm))
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = place(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
