package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

	tree string // the working tree that it holds in next to its project: path patterns start here
	main string // of a working tree's own folder, the same folder of the main checkout; "" for none
}

// realDir is the folder without symbolic links.
func (p place) realDir() string {
	if p.real == "" {
		return safefile.Resolve(p.dir)
	}
	return p.real
}

// view tells apart what a folder is judged by: the same one can hold in several
// working trees.
func (p place) view() string { return p.realDir() + "\x00" + p.tree }

// findUpward returns the places at and above the folders starts, those nearest
// to the first start first, each once. A start is followed as it is written and
// with its symbolic links resolved, so that an alias leads to the same rules. A place
// that is gone is found by its pin, and one that a working tree lacks in the main
// checkout. At most limit folders are looked at; whole says that these were all. A path
// that is longer than any file's leads nowhere.
func findUpward(starts []string, pins *pinning, limit int) (found []place, whole bool) {
	f := finder{pins: pins, limit: limit, trees: worktrees{}, visited: map[string]bool{}, seen: map[string]bool{}}
	for _, s := range starts {
		if s = filepath.Clean(s); !filepath.IsAbs(s) || safefile.TooLong(s) {
			continue
		}
		if s = safefile.Existing(s); f.visited[s] {
			continue
		}
		f.climb(s)
		if real := safefile.Resolve(s); real != s {
			f.climb(real)
		}
	}
	return f.found, len(f.visited) < limit
}

// A finder looks for places.
type finder struct {
	pins    *pinning
	limit   int
	trees   worktrees
	visited map[string]bool
	seen    map[string]bool // views of places, so that an alias is not a second place
	found   []place
}

func (f *finder) climb(dir string) {
	around := "" // a main checkout that is looked at no more
	for !f.visited[dir] && len(f.visited) < f.limit {
		if around == "" || safefile.Resolve(dir) != around {
			f.visited[dir] = true
			around = cmp.Or(f.look(dir), around)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return
		}
		dir = parent
	}
}

// look adds the place at dir. In a working tree that has none that is the one of the
// main checkout. Before the main checkout is pinned its place holds as well: a branch
// must not be what is pinned first. around is the main checkout when it is not a project
// around the working tree, though that lies in it.
func (f *finder) look(dir string) (around string) {
	tree := f.trees.of(dir)
	if tree.root == "" {
		f.add(place{root: dir})
		return ""
	}
	home := filepath.Join(tree.main, strings.TrimPrefix(dir, tree.root))
	if !f.has(home) {
		home = ""
	}
	if own := f.add(place{root: dir, main: home}); home != "" && !(own && f.pins.has(home)) {
		f.add(place{root: home, tree: dir})
	}
	if dir == tree.root && tree.isAgents() {
		return tree.main
	}
	return ""
}

// has reports whether the project at root has a place, also one that is gone.
func (f *finder) has(root string) bool {
	return f.pins.has(root) || !errors.Is(enterable(folderOf(root)), fs.ErrNotExist)
}

// add adds the place of the project at p.root, and reports whether it is there.
func (f *finder) add(p place) bool {
	p.dir = folderOf(p.root)
	err := enterable(p.dir)
	if p.gone = errors.Is(err, fs.ErrNotExist); p.gone {
		if view := p.dir + "\x00" + p.tree; f.pins.has(p.root) && !f.seen[view] {
			f.seen[view] = true
			f.found = append(f.found, p)
		}
		return false
	}
	p.real, p.err = safefile.Resolve(p.dir), err
	out := err == nil && leadsOut(p.dir, p.real, p.root)
	if out {
		p.err = fmt.Errorf("is reached by a link that leads out of the project, to %s; put the folder itself here", p.real)
	}
	if view := p.view(); !f.seen[view] {
		f.seen[view] = !out // the folder itself can be above
		f.found = append(f.found, p)
	}
	return true
}

// folderOf is the folder of the project at root.
func folderOf(root string) string { return filepath.Join(root, filepath.FromSlash(configPath)) }

// leadsOut reports whether the folder of the project at root is a link to one outside of
// it, which real is. One of a project above applies here anyway.
func leadsOut(folder, real, root string) bool {
	if real == folder {
		return false
	}
	root = safefile.Resolve(root)
	above := filepath.Dir(filepath.Dir(real))
	return !safefile.Within(real, root) && !(folderOf(above) == real && safefile.Within(root, above))
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
