package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
)

// maxRecords bounds the records of other folders that are read.
const maxRecords = 10_000

// purgeWork removes what Sentinel has kept in the repository while it worked: its log and
// the folder of its own, which git does not see.
func (o *Options) purgeWork() (removed int, err error) {
	root, err := os.OpenRoot(o.root()) // no link leads out of it
	if err != nil {
		return 0, err
	}
	defer root.Close()
	names, err := fs.Glob(root.FS(), ".claude/sentinel/"+logName+"*")
	for _, name := range append(names, state.WorkFolder) {
		if _, missing := root.Lstat(name); missing != nil {
			continue
		}
		removed++
		o.sayRemoved(filepath.Join(o.root(), filepath.FromSlash(name)))
		if !o.DryRun {
			err = errors.Join(err, root.RemoveAll(name))
		}
	}
	return removed, err
}

// purgeUser removes what is kept for the user in all repositories: the key and all that is
// sealed with it, approvals, trust, pins, records and caches.
func (o *Options) purgeUser() (removed int, err error) {
	dirs := []string{o.Project.StateDir, o.Project.CacheDir}
	made, err := o.foldersMade()
	if err != nil {
		return 0, err
	}
	for _, dir := range dirs {
		if _, missing := os.Lstat(dir); dir == "" || missing != nil {
			continue
		}
		removed++
		o.sayRemoved(dir)
		if !o.DryRun {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	if !o.DryRun {
		w := &written{Folders: made} // no record is left that could keep them
		w.removeEmptied()
	}
	return removed, err
}

func (o *Options) sayRemoved(path string) {
	o.Say("%s %s", text.When(o.DryRun, "would remove")+text.Unless(o.DryRun, "removed"), text.OneLine(path))
}

// foldersMade are the folders that init has made. It is an error when files of init's are
// still in another folder: without the records nothing would remove them.
func (o *Options) foldersMade() (made []string, err error) {
	dir := filepath.Join(o.Project.StateDir, "written")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries[:min(len(entries), maxRecords)] {
		var w written
		data, err := state.Read(filepath.Join(dir, e.Name()))
		if err != nil || json.Unmarshal(data, &w) != nil {
			continue
		}
		made = append(made, w.Folders...)
		for name := range w.Files {
			if _, missing := os.Lstat(filepath.Join(w.Base, filepath.FromSlash(name))); filepath.IsAbs(w.Base) && w.Base != o.Project.UserDir && missing == nil && !strings.HasSuffix(name, ".gitignore") {
				return nil, fmt.Errorf("--purge: init wrote files into %s, and without its record they could not be told from yours: run `sentinel uninstall` there first, or remove its .claude/sentinel", text.OneLine(w.Base))
			}
		}
	}
	return made, nil
}

// removeEmptied removes the folders that were made, as far as they are empty.
func (w *written) removeEmptied() {
	slices.Sort(w.Folders)
	slices.Reverse(w.Folders) // what is below comes first
	w.Folders = slices.DeleteFunc(w.Folders, func(dir string) bool {
		info, err := os.Lstat(dir)
		return err == nil && info.IsDir() && os.Remove(dir) == nil || errors.Is(err, fs.ErrNotExist)
	})
}

// prune removes the folders below dir that are empty, and dir if nothing else is in it.
func prune(root *os.Root, dir string) {
	var dirs []string
	_ = fs.WalkDir(root.FS(), dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	for _, path := range slices.Backward(dirs) {
		_ = root.Remove(path) // one that is not empty stays
	}
}
