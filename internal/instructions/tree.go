package instructions

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
	root      string // the project's folder; "" for none
	list      func() entries
	scripts   func() map[string][]string // of each package.json, by its folder: "." for the project's
	endings   func() []string            // of its sources, which the table does not know
	library   func() library             // its sources
	names     func() treeNames           // of its folders and files
	perEnding func() map[string]int      // how many sources it has of each ending
}

// newTree is the tree of a folder: "" for none.
func newTree(root string) Tree {
	t := &Tree{root: root, list: sync.OnceValue(func() entries { return list(root) })}
	t.scripts, t.endings, t.library = sync.OnceValue(t.scriptsBelow), sync.OnceValue(t.ownEndings), sync.OnceValue(t.sourcesOf)
	t.names, t.perEnding = sync.OnceValue(t.namesOfTree), sync.OnceValue(func() map[string]int { return t.countSources("") })
	return *t
}

// An entries lists the folders and files of a project, without folders of dependencies such as
// node_modules.
type entries struct {
	folders []string // from its root, with slashes
	files   []string // so, without links and the like
	cut     bool     // it has more than is looked at, so that what was not found may be there
}

// folders are those of the tree, from its root, with slashes.
func (t *Tree) folders() []string { return t.list().folders }

// files are those of the tree, from its root, with slashes, without links and the like.
func (t *Tree) files() []string { return t.list().files }

// dependency reports whether a folder of that name has what others wrote, or what is built.
func dependency(name string) bool {
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
		case strings.HasPrefix(e.Name(), ".") || dependency(e.Name()):
			return fs.SkipDir
		}
		t.folders = append(t.folders, name)
		return nil
	})
	return t
}

// known reports whether there is a tree to look at.
func (t *Tree) known() bool { return t.root != "" }

// whole reports whether the tree is known, and all of it was looked at: what is not in it does not
// exist.
func (t *Tree) whole() bool { return t.known() && !t.list().cut }

// sourcesBelow reports whether a folder has sources: true where the tree does not tell.
func (t *Tree) sourcesBelow(dir string) bool {
	if dir == "" || !t.whole() {
		return true
	}
	is := sourceEndings()
	return slices.ContainsFunc(t.files(), func(f string) bool { return strings.HasPrefix(f, dir+"/") && is[path.Ext(f)] })
}

// fewFiles is up to how many files a project may be too young to have all that its lines name.
const fewFiles = 100

// young reports whether what a line names may come: also where the tree does not tell.
func (t *Tree) young() bool {
	return !t.whole() || len(t.files()) <= fewFiles
}

// holds reports whether a file of the tree is one that patterns match, or may be.
func (t *Tree) holds(globs []string) bool {
	if t.young() {
		return true
	}
	paths := scope.NewPaths(globs, false)
	return slices.ContainsFunc(t.files(), func(f string) bool {
		_, ok := paths.Match(f)
		return ok
	})
}

// holdsBut reports whether the tree has files that patterns match, and others do not.
func (t *Tree) holdsBut(globs, exclude []string) bool {
	paths, out := scope.NewPaths(globs, false), scope.NewPaths(exclude, false)
	return slices.ContainsFunc(t.files(), func(f string) bool {
		if _, ok := paths.Match(f); !ok {
			return false
		}
		_, ok := out.Match(f)
		return !ok || len(exclude) == 0
	})
}

// sourceEndings are the endings of sources, with their dots.
func sourceEndings() map[string]bool {
	is := map[string]bool{}
	for ending := range strings.SplitSeq(languageEndings, ",") {
		is["."+ending] = true
	}
	return is
}

const (
	// maxUsesFile bounds a source that is read to see what it uses, maxUses all of them, in bytes.
	maxUsesFile = 256 << 10
	maxUses     = 32 << 20

	// widely is in how many sources a name is used widely: who forbids it means some use of it.
	widely = 15
)

// A library is the sources of a tree, one behind the other.
type library struct {
	text  []byte
	ends  []int    // of each source
	names []string // of these
}

// sourcesOf reads the sources of a tree, as far as the bound allows.
func (t *Tree) sourcesOf() (l library) {
	is := sourceEndings()
	for _, name := range t.files() {
		if !is[path.Ext(name)] {
			continue
		}
		data, err := safefile.Read(filepath.Join(t.root, filepath.FromSlash(name)), maxUsesFile)
		if err != nil {
			continue // it counts for nothing
		}
		if len(l.text)+len(data) > maxUses {
			break
		}
		l.text = append(l.text, data...)
		l.ends, l.names = append(l.ends, len(l.text)), append(l.names, name)
	}
	return l
}

// usesWidely reports whether many sources that patterns match, and others do not, have a text in them.
func (t *Tree) usesWidely(text string, globs, exclude []string) bool {
	return text != "" && t.inMany(globs, exclude, func(source []byte) bool { return bytes.Contains(source, []byte(text)) })
}

// inMany reports whether many sources that patterns match, and others do not, are so.
func (t *Tree) inMany(globs, exclude []string, are func(source []byte) bool) bool {
	if !t.known() {
		return false
	}
	l := t.library()
	in, out := scope.NewPaths(globs, false), scope.NewPaths(exclude, false)
	about := func(name string) bool {
		_, yes := in.Match(name)
		_, no := out.Match(name)
		return (yes || len(globs) == 0) && (!no || len(exclude) == 0)
	}
	n, at := 0, 0
	for i, end := range l.ends {
		if are(l.text[at:end]) && about(l.names[i]) {
			if n++; n == widely {
				return true
			}
		}
		at = end
	}
	return false
}

// calls reports whether the project's sources call a function of that name. A name in quotes, or
// behind import, is that of a package.
func (t *Tree) calls(name string) bool {
	if !t.known() || !identifier.Get().MatchString(name) {
		return false
	}
	text := t.library().text
	has := func(s string) bool { return bytes.Contains(text, []byte(s)) }
	return has(" "+name+"(") && !has(`"`+name+`"`) && !has("'"+name+"'") && !has("import "+name)
}
