package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// configPath is where a project keeps its folder.
const configPath = ".claude/sentinel"

// A place is a folder of configuration and rules that was found.
type place struct {
	dir  string // the folder itself
	real string // the same without symbolic links; "" when it is not known yet
	root string // the project it belongs to: path patterns start here
	user bool   // the user's own
	err  error  // why it cannot be read: it is there, and counts as broken

	gone    bool // it is not there, and was pinned
	touched bool // no agent works there: a call only names a file of it
}

// realDir is the folder without symbolic links.
func (p place) realDir() string {
	if p.real == "" {
		return safefile.Resolve(p.dir)
	}
	return p.real
}

// findUpward returns the places at and above the folders starts, those nearest
// to the first start first, each once. A start is followed as it is written and
// with its symbolic links resolved, so that an alias leads to the same rules. A place
// that is gone is found by its pin. At most limit folders are looked at; whole says
// that these were all. A path that is longer than any file's leads nowhere.
func findUpward(starts []string, pins *pinning, limit int) (found []place, whole bool) {
	visited := map[string]bool{}
	seen := map[string]bool{} // resolved folders, so that an alias is not a second place
	climb := func(dir string) {
		for !visited[dir] && len(visited) < limit {
			visited[dir] = true
			candidate := filepath.Join(dir, filepath.FromSlash(configPath))
			switch err := enterable(candidate); {
			case errors.Is(err, fs.ErrNotExist):
				if pins.has(dir) && !seen[candidate] {
					seen[candidate] = true
					found = append(found, place{dir: candidate, root: dir, gone: true})
				}
			default:
				real := safefile.Resolve(candidate)
				out := err == nil && leadsOut(candidate, real, dir)
				if out {
					err = fmt.Errorf("is reached by a link that leads out of the project, to %s; put the folder itself here", real)
				}
				if !seen[real] {
					seen[real] = !out // the folder itself can be above
					found = append(found, place{dir: candidate, real: real, root: dir, err: err})
				}
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				return
			}
			dir = parent
		}
	}
	for _, s := range starts {
		if s = filepath.Clean(s); !filepath.IsAbs(s) || safefile.TooLong(s) {
			continue
		}
		if s = safefile.Existing(s); visited[s] {
			continue
		}
		climb(s)
		if real := safefile.Resolve(s); real != s {
			climb(real)
		}
	}
	return found, len(visited) < limit
}

// leadsOut reports whether the folder of the project at root is a link to one outside of
// it, which real is. One of a project above applies here anyway.
func leadsOut(folder, real, root string) bool {
	if real == folder {
		return false
	}
	root = safefile.Resolve(root)
	above := filepath.Dir(filepath.Dir(real))
	return !safefile.Within(real, root) && !(filepath.Join(above, filepath.FromSlash(configPath)) == real && safefile.Within(root, above))
}

// enterable says why a folder cannot be read. A file in its place, or a link that
// leads nowhere, is an error and not a missing folder: otherwise the rules could be
// switched off without a notice.
func enterable(dir string) error {
	if _, err := os.Lstat(filepath.Dir(dir)); errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist // the usual folder has not even .claude
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return errors.New("is not a folder")
	case err == nil:
		f, err := os.Open(dir) // a folder without the permission to search it can be looked at
		if err != nil {
			return err
		}
		return f.Close()
	case errors.Is(err, syscall.ENOTDIR), // `.claude` is a file of another program
		errors.Is(err, syscall.ENAMETOOLONG): // a command may name what cannot exist
		return fs.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
		for _, path := range []string{dir, filepath.Dir(dir)} {
			if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				if _, err := os.Stat(path); err != nil {
					return fmt.Errorf("cannot be reached: %s is a link that leads nowhere", filepath.Base(path))
				}
			}
		}
	}
	return err
}

// placeNamed is the place of a folder that was named directly. Its project is the folder
// above `.claude`, or else the folder of the event.
func placeNamed(dir, eventDir string) place {
	dir = filepath.Clean(dir)
	root := eventDir
	if claude := filepath.Dir(dir); filepath.Base(claude) == ".claude" {
		root = filepath.Dir(claude)
	}
	return place{dir: dir, root: root, err: enterable(dir)}
}
