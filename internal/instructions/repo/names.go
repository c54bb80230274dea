package repo

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Names find what is in a tree by its name, as words name it. They have the places of folders and files
// in the lists of the tree.
type Names struct {
	Folders map[string][]int // by their names in lower case
	Files   map[string][]int // by their bare names, without documents
}

// SignsOfGlobs are the signs that a pattern of files reads as others.
const SignsOfGlobs = `*?[]{}\`

// Names are those in the tree.
func (t *Tree) Names() Names { return t.names() }

// namesOfTree reads the names in a tree, but those that have signs of globs.
func (t *Tree) namesOfTree() Names {
	n := Names{Folders: map[string][]int{}, Files: map[string][]int{}}
	for i, f := range t.Folders() {
		if strings.ContainsAny(f, SignsOfGlobs) {
			continue
		}
		name := strings.ToLower(path.Base(f))
		n.Folders[name] = append(n.Folders[name], i)
	}
	for i, f := range t.Files() {
		if !OfDocument(f) && !strings.ContainsAny(f, SignsOfGlobs) {
			stem, _, _ := strings.Cut(strings.TrimLeft(path.Base(f), "."), ".")
			name := BareName(stem)
			n.Files[name] = append(n.Files[name], i)
		}
	}
	return n
}

// Of are the places of what has one of some names, in the order of the tree, each once.
func (n Names) Of(list map[string][]int, names []string) (places []int) {
	for _, name := range names {
		places = append(places, list[name]...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// BareName is a name in lower case, without the signs between its parts.
func BareName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
