package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

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
