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

	"github.com/agentsentinel/sentinel/internal/gitindex"
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

// A working tree that `git worktree add` made has what its branch has. Rules that the
// branch has not, or that were never committed, lie in the main checkout alone. They
// hold in the working tree as well, and judge its paths as the project's.

// maxGitFile bounds what is read of a file that points to git's folders, in bytes.
const maxGitFile = 2 * safefile.PathMax

// A worktree is a working tree of a repository besides its main checkout.
type worktree struct {
	root string // where it is, as it was asked for; "" for none
	main string // the main checkout, without links
}

// worktrees are the working trees that folders lie in, as far as they were looked at.
// nil is not usable.
type worktrees map[string]worktree

// of is the working tree that a folder lies in. A repository inside of one, such as a
// submodule, is not a part of it; what git does not take for one hides nothing.
func (t worktrees) of(dir string) worktree {
	if known, ok := t[dir]; ok {
		return known
	}
	var found worktree
	if parent := filepath.Dir(dir); parent != dir {
		found = t.of(parent)
	}
	file := filepath.Join(dir, ".git")
	if info, err := os.Lstat(file); err == nil {
		main, ok := "", false
		if info.Mode().IsRegular() {
			main, ok = mainCheckout(file)
		}
		if ok {
			found = worktree{dir, main}
		} else if found.root != "" { // the usual repository is not looked into
			if git, err := gitindex.At(dir); err == nil && git != "" {
				found = worktree{}
			}
		}
	}
	t[dir] = found
	return found
}

// mainCheckout is the main checkout of the working tree that has this .git file. The
// file alone proves nothing: the repository must point back to it, as git demands.
func mainCheckout(file string) (main string, ok bool) {
	gitDir, ok := gitPath(file, "gitdir: ")
	if !ok {
		return "", false
	}
	gitDir = safefile.Resolve(gitDir)
	common, ok := gitPath(filepath.Join(gitDir, "commondir"), "")
	if !ok {
		return "", false
	}
	common = safefile.Resolve(common)
	if filepath.Dir(gitDir) != filepath.Join(common, "worktrees") || filepath.Base(common) != ".git" {
		return "", false // a submodule, or a repository without a main checkout
	}
	back, ok := gitPath(filepath.Join(gitDir, "gitdir"), "")
	if !ok || safefile.Resolve(back) != safefile.Resolve(file) {
		return "", false
	}
	return filepath.Dir(common), true
}

// gitPath is the path in a file of git's: one line with the prefix, and relative to the
// file's own folder if it is not absolute.
func gitPath(file, prefix string) (path string, ok bool) {
	data, err := safefile.ReadNoFollow(file, maxGitFile)
	if err != nil {
		return "", false
	}
	path, ok = strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if path = filepath.FromSlash(path); !ok || path == "" || strings.ContainsAny(path, "\x00\r\n") {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), !safefile.TooLong(path)
}

// agentTrees is where an agent makes working trees inside of the main checkout. Its
// content is the project once more, and not part of the folder around it.
const agentTrees = ".claude/worktrees"

// isAgents reports whether an agent made the working tree inside of the main checkout.
func (t worktree) isAgents() bool {
	return safefile.Within(safefile.Resolve(t.root), filepath.Join(t.main, filepath.FromSlash(agentTrees)))
}

// Rules that come with a dependency are not loaded: the user did not choose them, and an
// update can change them.

// A filling says who fills the folders of a name.
type filling int

const (
	byPeople   filling = iota
	byPackages         // always by a program that installs packages
	inProjects         // by such a program or a build where it lies in a project; elsewhere the name means nothing
)

// fillingOf looks a folder's name up.
func fillingOf(name string) filling {
	switch strings.ToLower(name) {
	case "node_modules", "bower_components", "jspm_packages", "site-packages", "dist-packages", "__pypackages__",
		".venv", ".tox", ".nox", ".yarn", ".pnpm-store", ".cargo", ".rustup", ".gradle", ".m2", ".bundle", ".gem":
		return byPackages
	case "vendor", "target", "third_party", "third-party", "thirdparty", "venv", "virtualenv", "pods", "carthage":
		return inProjects
	}
	return byPeople
}

// ofDependency reports whether a place belongs to a dependency. touched says that a call
// leads there and the agent does not work there: then it is enough that the place is in a
// project, in a folder such as vendor.
func (p place) ofDependency(touched bool) bool {
	if p.user || !filled(p.root) && !filled(p.realDir()) {
		return false // the usual case costs no system call
	}
	for dir := safefile.Resolve(p.root); ; dir = filepath.Dir(dir) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		switch fillingOf(filepath.Base(dir)) {
		case byPackages:
			return true
		case inProjects:
			if touched && inProject(parent) {
				return true
			}
		}
	}
}

// filled reports whether a path leads through a folder that programs may fill.
func filled(path string) bool {
	for name := range strings.SplitSeq(path, string(filepath.Separator)) {
		if fillingOf(name) != byPeople {
			return true
		}
	}
	return false
}

// inProject reports whether a folder lies in a repository or in a project with rules.
func inProject(dir string) bool {
	for range safefile.PathMax {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(configPath))); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
		if git, err := gitindex.At(dir); err != nil || git != "" {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
	return false
}
