package state

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// WorkFolder is the name of the folder in a repository's working tree in which
// Sentinel keeps what belongs to it and not to the user.
const WorkFolder = ".sentinel"

// A Folder is an open folder below a repository's [WorkFolder]. The repository
// may have been cloned, so its content is not trusted: no link below the working
// tree is followed, neither to a folder nor to a file, and only regular files are
// read and written. It may be used concurrently, by many processes.
type Folder struct{ root *os.Root }

// OpenFolder opens the folder dir, an absolute path with WorkFolder in it. What is
// missing is made if create is set, with a .gitignore that keeps all of
// WorkFolder out of git; else it is fs.ErrNotExist.
func OpenFolder(dir string, create bool) (*Folder, error) {
	base, below, ok := cutWorkFolder(filepath.Clean(dir))
	if !ok {
		return nil, fmt.Errorf("state: %s is no folder below %s", dir, WorkFolder)
	}
	at, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	for i, name := range below {
		sub, err := openSub(at, name, create)
		at.Close()
		if err != nil {
			return nil, fmt.Errorf("state: %s: %w", filepath.Join(append([]string{base}, below[:i+1]...)...), err)
		}
		at = sub
		if i == 0 && create {
			ignoreAll(at)
		}
	}
	return &Folder{at}, nil
}

// cutWorkFolder parts dir into the working tree and what is below it, beginning
// with the last WorkFolder.
func cutWorkFolder(dir string) (base string, below []string, ok bool) {
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if filepath.Base(d) == WorkFolder {
			rel, err := filepath.Rel(filepath.Dir(d), dir)
			return filepath.Dir(d), strings.Split(rel, string(filepath.Separator)), err == nil && filepath.IsAbs(dir)
		}
	}
	return "", nil, false
}

// openSub opens the folder name of at.
func openSub(at *os.Root, name string, create bool) (*os.Root, error) {
	info, err := at.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err = at.Mkdir(name, 0o700); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = at.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, errors.New("is not a folder: remove it") // a link, too: Lstat
	}
	sub, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := sub.Stat("."); err != nil || !os.SameFile(info, opened) {
		sub.Close()
		return nil, errReplaced
	}
	return sub, nil
}

// ignoreAll keeps everything in dir out of git, unless there is a .gitignore already.
func ignoreAll(dir *os.Root) {
	f, err := dir.OpenFile(".gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return // it is there; or nothing can be written, which the caller will meet
	}
	f.WriteString("*\n")
	f.Close()
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Read returns what the file name holds, at most limit bytes: more is an error,
// as is a file that others may write. A missing one is fs.ErrNotExist.
func (f *Folder) Read(name string, limit int64) (data []byte, err error) {
	for range readTries {
		data, err = f.read(name, limit)
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return data, err
}

// readTries bounds how often a file is opened that is replaced at that moment.
const readTries = 8

var errReplaced = errors.New("was replaced while it was opened")

func (f *Folder) read(name string, limit int64) ([]byte, error) {
	before, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if err := safefile.Private(before); err != nil {
		return nil, fmt.Errorf("state: %s: %w", f.path(name), err)
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|safefile.NoFollow, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if opened, err := file.Stat(); err != nil || !os.SameFile(before, opened) {
		return nil, fmt.Errorf("state: %s %w", f.path(name), errReplaced)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("state: %s has more than %d bytes", f.path(name), limit)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Replace puts data in the place of the file name in one step: a reader sees the
// old content or the new. A link of that name is replaced, not followed.
func (f *Folder) Replace(name string, data []byte) error {
	var random [8]byte
	rand.Read(random[:]) // never fails (crypto/rand since Go 1.24)
	tmp := safefile.TempPrefix + hex.EncodeToString(random[:])
	file, err := f.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = safefile.Patiently(func() error { return f.root.Rename(tmp, name) })
	}
	if err == nil {
		return nil
	}
	f.root.Remove(tmp)
	return fmt.Errorf("state: %s: %w", f.path(name), err)
}

// Remove removes the file name. It is not an error if there was none.
func (f *Folder) Remove(name string) error {
	if err := f.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Has reports whether there is anything of that name.
func (f *Folder) Has(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

func (f *Folder) path(name string) string { return filepath.Join(f.root.Name(), name) }
