package repo

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
)

// checkFolder refuses a local repository that contains files without an end: a named pipe
// or a device in the place of one of git's files, for which git would wait, or which it
// would read, without end.
func (a address) checkFolder() error {
	if a.folder == "" {
		return nil
	}
	dir := gitDir(a.folder)
	endless := ""
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && isEndless(file, d) {
			endless = file
			return fs.SkipAll
		}
		return nil
	})
	if endless != "" {
		return &CloneError{Reason: ReasonAddress, Hint: "remove it", Err: fmt.Errorf("%s is a pipe or a device", text.Name(endless))}
	}
	return nil
}

// gitDir is the folder that holds git's own files: .git, what a file .git names, or
// the folder itself where it is bare. A file that cannot be read is left to git.
func gitDir(folder string) string {
	dir := filepath.Join(folder, ".git")
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return folder
	case !info.Mode().IsRegular():
		return dir
	}
	const longest = 8 << 10
	text, err := safefile.Read(dir, longest)
	if err != nil {
		return dir
	}
	named, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return dir
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(folder, named)
	}
	return named
}

// isEndless reports whether an entry is a pipe or a device, or a link to one.
func isEndless(file string, d fs.DirEntry) bool {
	mode := d.Type()
	if mode&fs.ModeSymlink != 0 {
		info, err := os.Stat(file)
		if err != nil {
			return false
		}
		mode = info.Mode()
	}
	return mode&(fs.ModeNamedPipe|fs.ModeDevice) != 0
}

// blocksStatus reports whether git would wait for one of the files that tell it
// what to leave out: git opens them in any folder.
func blocksStatus(folder string) (blocked bool) {
	_ = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case (d.Name() == ".gitignore" || d.Name() == ".gitattributes") && isEndless(file, d):
			blocked = true
			return fs.SkipAll
		}
		return nil
	})
	return blocked
}
