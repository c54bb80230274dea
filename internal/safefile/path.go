package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"
)

// PathMax and NameMax are the longest path, in bytes, and the longest name in a path
// that a file system takes: in bytes on Linux, in characters elsewhere.
const (
	PathMax = 4096
	NameMax = 255
)

// windowsPathMax is PathMax of Windows, with its longest form of paths.
const windowsPathMax = 32767

// Longest is the length that no path of this system has.
func Longest() int {
	if runtime.GOOS == "windows" {
		return windowsPathMax
	}
	return PathMax
}

// Rooted is a path with slashes as this system writes it, below a folder unless it is absolute.
func Rooted(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// invalidName is what Windows says of a name that no file can have.
const invalidName = syscall.Errno(123)

// Missing reports whether the error of a look at a path says that nothing is there, as it is
// below a file, and on Windows where no file can have the name.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		runtime.GOOS == "windows" && errors.Is(err, invalidName)
}

// Exists reports whether something is at a path. A link is not followed.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TooLong reports whether no file can have this path. The effect of a call with such
// a path is not known: a system refuses it, and a program may shorten it.
func TooLong(path string) bool {
	if len(path) >= Longest() {
		return true
	}
	for len(path) > NameMax { // no longer name is left in a shorter rest
		name := path
		if i := strings.IndexFunc(path, isSeparator); i >= 0 {
			name, path = path[:i], path[i+1:]
		} else {
			path = ""
		}
		if len(name) > NameMax && (runtime.GOOS == "linux" || utf8.RuneCountInString(name) > NameMax) {
			return true
		}
	}
	return false
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

// Existing is the longest beginning of path, a whole number of names, that is there.
// It is asked for by halving, because a system walks a path from its beginning.
func Existing(path string) string {
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	var ends []int // of each name
	for i := len(filepath.VolumeName(path)) + 1; i < len(path); i++ {
		if os.IsPathSeparator(path[i]) {
			ends = append(ends, i)
		}
	}
	there, missing := 0, len(ends) // so many names are there, and so many are not
	for there < missing {
		middle := (there + missing) / 2
		if _, err := os.Lstat(path[:ends[middle]]); err == nil {
			there = middle + 1
		} else {
			missing = middle
		}
	}
	if there == 0 {
		return filepath.VolumeName(path) + string(filepath.Separator)
	}
	return path[:ends[there-1]]
}

// Resolve returns path without symbolic links as far as it exists. The rest of the
// path stays as it is written, and so does a path that is [TooLong].
func Resolve(path string) string {
	if TooLong(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	clean := filepath.Clean(path)
	p := clean
	if filepath.IsAbs(clean) {
		p = Existing(clean)
	}
	for { // upward from a link that leads nowhere, too
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, strings.TrimPrefix(clean, p))
		}
		parent := filepath.Dir(p)
		if parent == p || parent == "." {
			return path
		}
		p = parent
	}
}
