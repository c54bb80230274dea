// Package repo says what there is in the folder of a project: its files and folders, the languages and
// names of its sources, its packages and their scripts. It reads them when they are first asked for.
package repo

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/scope"
)

// maxFolders bounds the folders of a tree that are looked at, maxEntries all that is in them.
const (
	maxFolders = 20_000
	maxEntries = 200_000
)

// A Tree is the folder of a project, as far as drafts depend on it: what is in it is read when it is
// first asked for. The zero Tree knows nothing.
type Tree struct {
	Root string // the project's folder; "" for none

	list      func() entries
	scripts   func() map[string][]string // of each package.json, by its folder: "." for the project's
	endings   func() []string
	library   func() library
	names     func() Names
	perEnding func() map[string]int
	depends   *lazy.Memo[bool] // by the name of a package

	commitTypes func() []string
}

// New is the tree of a folder: "" for none.
func New(root string) Tree {
	t := &Tree{Root: root, depends: &lazy.Memo[bool]{Texts: 1000, Bytes: 200}, list: sync.OnceValue(func() entries { return list(root) })}
	t.scripts, t.endings, t.library = sync.OnceValue(t.scriptsBelow), sync.OnceValue(t.ownEndings), sync.OnceValue(t.sourcesOf)
	t.commitTypes = sync.OnceValue(t.readCommitTypes)
	t.names, t.perEnding = sync.OnceValue(t.namesOfTree), sync.OnceValue(func() map[string]int { return t.CountSources("") })
	return *t
}

// An entries lists the folders and files of a project, without folders of dependencies such as
// node_modules.
type entries struct {
	folders []string // from its root, with slashes
	files   []string // so, without links and the like
	cut     bool     // it has more than is looked at, so that what was not found may be there
}

// Folders are those of the tree, from its root, with slashes.
func (t *Tree) Folders() []string { return t.list().folders }

// Files are those of the tree, from its root, with slashes, without links and the like.
func (t *Tree) Files() []string { return t.list().files }

// Dependency reports whether a folder of that name has what others wrote, or what is built.
func Dependency(name string) bool {
	switch name {
	case "node_modules", "vendor", "venv", "__pycache__", "target", "dist", "third_party":
		return true
	}
	return false
}

// list looks at what is below root.
func list(root string) (t entries) {
	seen := 0
	filepath.WalkDir(root, func(full string, e fs.DirEntry, err error) error {
		if seen++; seen > maxEntries {
			t.cut = true
			return fs.SkipAll
		}
		rel, relErr := filepath.Rel(root, full)
		name := filepath.ToSlash(rel)
		switch {
		case err != nil || relErr != nil || name == ".":
			return nil // what cannot be read has none
		case e.Type().IsRegular():
			t.files = append(t.files, name)
			return nil
		case !e.IsDir():
			return nil
		case len(t.folders) == maxFolders:
			t.cut = true
			return fs.SkipAll
		case strings.HasPrefix(e.Name(), ".") || Dependency(e.Name()):
			return fs.SkipDir
		}
		t.folders = append(t.folders, name)
		return nil
	})
	return t
}

// Known reports whether there is a tree to look at.
func (t *Tree) Known() bool { return t.Root != "" }

// Whole reports whether the tree is known, and all of it was looked at: what is not in it does not
// exist.
func (t *Tree) Whole() bool { return t.Known() && !t.list().cut }

// FewFiles is up to how many files a project may be too young to have all that its lines name.
const FewFiles = 100

// Young reports whether what a line names may come: also where the tree does not tell.
func (t *Tree) Young() bool {
	return !t.Whole() || len(t.Files()) <= FewFiles
}

// Holds reports whether a file of the tree is one that patterns match, or may be.
func (t *Tree) Holds(globs []string) bool {
	if t.Young() {
		return true
	}
	paths := scope.NewPaths(globs, false)
	return slices.ContainsFunc(t.Files(), func(f string) bool {
		_, ok := paths.Match(f)
		return ok
	})
}

// HoldsBut reports whether the tree has files that patterns match, and others do not.
func (t *Tree) HoldsBut(globs, exclude []string) bool {
	paths, out := scope.NewPaths(globs, false), scope.NewPaths(exclude, false)
	return slices.ContainsFunc(t.Files(), func(f string) bool {
		if _, ok := paths.Match(f); !ok {
			return false
		}
		_, ok := out.Match(f)
		return !ok || len(exclude) == 0
	})
}

// Deeper reports whether a folder below another one has a path with these last parts, and the
// file in it unless that is "".
func (t *Tree) Deeper(below, last, file string) bool {
	return slices.ContainsFunc(t.Folders(), func(f string) bool {
		return strings.HasPrefix(f, below) && strings.HasSuffix(f, "/"+last) && (file == "" || t.Has(f+"/"+file))
	})
}

// Has reports whether a path is in the project.
func (t *Tree) Has(name string) bool {
	name = filepath.FromSlash(strings.TrimRight(name, "/"))
	if !filepath.IsLocal(name) {
		return false
	}
	return safefile.Exists(filepath.Join(t.Root, name))
}

// AnyFolder reports whether the tree has a folder of that name, at any depth.
func (t *Tree) AnyFolder(name string) bool {
	return t.Known() && !strings.ContainsAny(name, "/*") && slices.ContainsFunc(t.Folders(), func(f string) bool { return path.Base(f) == name })
}

// Lacks reports whether the tree, where it is known, has none of some paths, in any folder.
func (t *Tree) Lacks(globs []string) bool {
	if !t.Whole() {
		return false
	}
	return !slices.ContainsFunc(globs, func(g string) bool {
		g = strings.TrimSuffix(strings.TrimPrefix(g, "**/"), "/**")
		return strings.ContainsAny(g, "*{?") || t.Has(g) || slices.ContainsFunc(t.Folders(), func(f string) bool { return t.Has(f + "/" + g) })
	})
}

// HoldsFolder reports whether a folder is in the project's own folder, and no link leads to it.
func (t *Tree) HoldsFolder(dir string) bool {
	dir = filepath.FromSlash(dir)
	return filepath.IsLocal(dir) && safefile.Resolve(filepath.Join(t.Root, dir)) == filepath.Join(safefile.Resolve(t.Root), dir)
}
