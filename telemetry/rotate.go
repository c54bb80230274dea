package telemetry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// rotate renames the file to .1, the old .1 to .2 and so on; the old .Keep is
// deleted. The caller holds the lock of the file at the path. Every
// writer holds that lock while it writes, so no line goes to a file that is
// already renamed; and because the file itself is renamed last, the next
// rotation cannot begin before this one is complete.
func (l *Log) rotate() error {
	l.forget()
	if l.keep == 0 {
		return os.Remove(l.path)
	}
	for i := l.keep - 1; i >= 1; i-- {
		if err := os.Rename(rotated(l.path, i), rotated(l.path, i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(l.path, rotated(l.path, 1))
}

// forget removes files from a time when Keep was larger.
func (l *Log) forget() {
	for i := l.keep + 1; regular(rotated(l.path, i)); i++ {
		if os.Remove(rotated(l.path, i)) != nil {
			return // a process has it open: the next rotation tries again
		}
	}
}

func rotated(path string, i int) string { return fmt.Sprintf("%s.%d", path, i) }

// Files returns the files of the log at path that exist, the oldest first:
// path.5, …, path.1, path. One number may be missing, as in the middle of a
// rotation or after one that was killed; behind two no more are looked for.
func Files(path string) []string {
	var files []string
	for i, missing := 1, 0; missing < 2; i++ {
		if !regular(rotated(path, i)) {
			missing++
			continue
		}
		missing = 0
		files = append([]string{rotated(path, i)}, files...)
	}
	if regular(path) {
		files = append(files, path)
	}
	return files
}

func regular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
