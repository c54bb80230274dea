// Package packs holds the ready rules that are built into the program.
//
// A pack is a set of rule files for one purpose. `sentinel init` writes rules of
// packs into a repository, where they are the repository's own: people edit them, and
// no later version of the program changes them. Outside a repository that has
// Sentinel, `sentinel check` judges by the set [Recommended].
//
// Each rule is in one pack. Two sets select from all packs: [All], and [Recommended],
// which is all but what left-out.txt names. docs/catalogue says what the rules of
// each pack stop.
//
// Every rule works without a model, by its `when`. Rules about actions that cannot be
// undone are exact: no model is asked. The `tests` of a rule say what it must catch and
// what it must let pass.
package packs

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:generate go test -run=^TestGenerated$ . -update

//go:embed */*.yaml
var files embed.FS

// leftOut has a line for each rule that is in a pack and not recommended: its id, ": "
// and why.
//
//go:embed left-out.txt
var leftOut string

// The sets: names for rules of several packs, used as the name of a pack is.
const (
	Recommended = "recommended" // what `sentinel init` writes
	All         = "all"
)

// File is one rule file of a pack.
type File struct {
	Name string // its base name: "force-push.yaml"
	Data []byte // the caller's own copy
}

// Names returns the names of all packs and sets, sorted.
func Names() []string {
	names := append(folders(), All, Recommended)
	slices.Sort(names)
	return names
}

// folders returns the names of the packs alone.
func folders() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // cannot happen: the root of an embedded file system can be read
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// Files returns the rule files of a pack or a set, sorted by name. The error for one
// that does not exist lists those that do.
func Files(pack string) ([]File, error) {
	switch {
	case pack == All || pack == Recommended:
		return selected(pack)
	case !slices.Contains(folders(), pack):
		return nil, fmt.Errorf("packs: no pack is called %q; there are: %s", pack, strings.Join(Names(), ", "))
	}
	entries, err := files.ReadDir(pack)
	if err != nil {
		return nil, fmt.Errorf("packs: %w", err)
	}
	list := make([]File, len(entries))
	for i, e := range entries {
		data, err := files.ReadFile(path.Join(pack, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("packs: %w", err)
		}
		list[i] = File{Name: e.Name(), Data: data}
	}
	return list, nil
}

// selected returns the rule files of a set.
func selected(set string) (list []File, err error) {
	for _, pack := range folders() {
		files, err := Files(pack)
		if err != nil {
			return nil, err
		}
		list = append(list, files...)
	}
	if set == Recommended {
		list = slices.DeleteFunc(list, func(f File) bool {
			return strings.Contains("\n"+leftOut, "\n"+strings.TrimSuffix(f.Name, ".yaml")+": ")
		})
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
