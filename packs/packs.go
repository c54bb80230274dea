// Package packs holds the ready rules that are built into the program.
//
// A pack is a set of rule files for one purpose. `sentinel init` writes them into
// a repository, where they are the repository's own: people edit them, and no
// later version of the program changes them. Outside a repository that has
// Sentinel, `sentinel check` judges by the pack "starter".
//
// A rule that fits several packs is in each of them, as the same file. docs/packs.md says
// what the rules of each pack stop.
//
// Every rule works without a model, by its `when`. Rules about actions that cannot be
// undone are exact: no model is asked. The `tests` of a rule say what it must catch and
// what it must let pass.
package packs

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:generate go test -run=^TestGenerated$ . -update

//go:embed */*.yaml
var files embed.FS

// Starter is the name of the pack that `sentinel init` writes.
const Starter = "starter"

// File is one rule file of a pack.
type File struct {
	Name string // its base name: "force-push.yaml"
	Data []byte // the caller's own copy
}

// Names returns the names of all packs, sorted.
func Names() []string {
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

// Files returns the rule files of a pack, sorted by name. The error for a pack
// that does not exist lists those that do.
func Files(pack string) ([]File, error) {
	if pack == "" || strings.ContainsAny(pack, `./\`) {
		return nil, unknown(pack)
	}
	entries, err := files.ReadDir(pack)
	if err != nil {
		return nil, unknown(pack)
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

func unknown(pack string) error {
	return fmt.Errorf("packs: no pack is called %q; there are: %s", pack, strings.Join(Names(), ", "))
}
