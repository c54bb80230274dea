package instructions

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// treeNames finds what is in a tree by its name, as words name it. It has the places of folders and files
// in the lists of the tree.
type treeNames struct {
	folders map[string][]int // by their names in lower case
	files   map[string][]int // by their bare names, without documents
}

// signsOfGlobs are the signs that a pattern of files reads as others.
const signsOfGlobs = `*?[]{}\`

// namesOfTree reads the names in a tree, but those that have signs of globs.
func (t *Tree) namesOfTree() treeNames {
	n := treeNames{folders: map[string][]int{}, files: map[string][]int{}}
	for i, f := range t.folders() {
		if strings.ContainsAny(f, signsOfGlobs) {
			continue
		}
		name := strings.ToLower(path.Base(f))
		n.folders[name] = append(n.folders[name], i)
	}
	for i, f := range t.files() {
		if !ofDocument(f) && !strings.ContainsAny(f, signsOfGlobs) {
			stem, _, _ := strings.Cut(strings.TrimLeft(path.Base(f), "."), ".")
			name := bareName(stem)
			n.files[name] = append(n.files[name], i)
		}
	}
	return n
}

// of are the places of what has one of some names, in the order of the tree, each once.
func (n treeNames) of(list map[string][]int, names []string) (places []int) {
	for _, name := range names {
		places = append(places, list[name]...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// bareName is a name in lower case, without the signs between its parts.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// inNumbers are a word and its singular and plural.
func inNumbers(word string) []string {
	return []string{word, strings.TrimSuffix(word, "s"), word + "s"}
}
