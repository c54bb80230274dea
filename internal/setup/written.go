package setup

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// A written is what init has written below one folder, by digest, so that
// uninstall can tell its own files from what the user has changed. It lies in the
// user's state folder: a repository cannot say what is to be removed from it.
type written struct {
	base string // the repository, or the user's own folder; absolute
	path string // of the record; "" where nothing can be kept

	changed bool // since it was read

	Base  string            `json:"base,omitempty"` // the folder, for a search of all records
	Files map[string]string `json:"files"`          // SHA-256 by slash-separated path below base
	// Folders are those that were made for files, as absolute paths: settings lie
	// outside of the user's own folder.
	Folders []string  `json:"folders,omitempty"`
	Since   time.Time `json:"since,omitzero"` // when init wrote there first; zero where that is not known
}

// maxWritten bounds a file that is compared with its digest. Init writes no larger
// one.
const maxWritten = 1 << 20

// openWritten reads the record about the folder base, which is kept in dir. One that
// cannot be read is empty: then nothing is removed.
func openWritten(dir, base string) *written {
	w := &written{base: base, Files: map[string]string{}}
	if dir == "" {
		return w
	}
	key := base
	if real, err := filepath.EvalSymlinks(base); err == nil {
		key = real
	}
	w.path = filepath.Join(dir, "written", digest.Hex(key)[:32]+".json")
	data, err := state.Read(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		w.Since = time.Now()
	}
	if err == nil && json.Unmarshal(data, w) != nil || w.Files == nil {
		w.Files = map[string]string{}
	}
	return w
}

// openWritten reads the record of what init has written in the scope.
func (o *Options) openWritten() *written {
	base := o.Project.UserDir
	if !o.User {
		base = o.root()
	}
	return openWritten(o.Project.StateDir, base)
}

// Since is when this user first had init write the hook for the folder root, or for
// all folders; zero where it is not known.
func Since(o *project.Options, root string) (since time.Time) {
	for _, base := range []string{root, o.UserDir} {
		w := openWritten(o.StateDir, base)
		if len(w.Files) > 0 && !w.Since.IsZero() && (since.IsZero() || w.Since.Before(since)) {
			since = w.Since
		}
	}
	return since
}

// add notes a file that was written.
func (w *written) add(path string, data []byte) {
	if rel, err := filepath.Rel(w.base, path); err == nil && filepath.IsLocal(rel) {
		w.Files[filepath.ToSlash(rel)], w.changed = digest.Hex(data), true
	}
}

// Note notes files that a command of the user wrote in addition to init's: uninstall takes
// them for init's own.
func (o *Options) Note(files []string) {
	w := o.openWritten()
	for _, file := range files {
		if data, err := safefile.Read(file, maxWritten); err == nil {
			w.add(file, data)
		}
	}
	if err := w.save(); err != nil {
		o.Say("note: what was written cannot be noted, so uninstall will leave it: %v", err)
	}
}

// makes notes the folders that have to be made for a file.
func (w *written) makes(file string) {
	for dir := filepath.Dir(file); !slices.Contains(w.Folders, dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return
		}
		w.Folders, w.changed = append(w.Folders, dir), true
	}
}

// removeFolders removes the folders that were made, as far as they are empty.
func (w *written) removeFolders() error {
	before := len(w.Folders)
	if w.removeEmptied(); len(w.Folders) == before {
		return nil
	}
	return w.save()
}

// save keeps the record.
func (w *written) save() error {
	empty := len(w.Files) == 0 && len(w.Folders) == 0
	switch {
	case w.path == "" && !empty:
		return errors.New("there is no state folder; set HOME or XDG_STATE_HOME")
	case w.path == "":
		return nil
	case empty:
		if err := os.Remove(w.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	w.Base = w.base
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return state.Write(w.path, data)
}

// A leftover is a file that uninstall does not remove, and why.
type leftover struct{ name, why string }

// remove takes away the files that are as init wrote them, and the folders that
// are empty then. With dryRun it only says which.
func (w *written) remove(dryRun bool, removed func(name string)) (left []leftover, err error) {
	root, err := os.OpenRoot(w.base) // no link in the folder leads out of it
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if !dryRun {
		prune(root, state.WorkFolder)
		prune(root, ".claude/sentinel")
	}
	names := slices.SortedFunc(maps.Keys(w.Files), ignoresLast)
	for _, name := range names {
		switch same, err := sameAs(root, name, w.Files[name]); {
		case errors.Is(err, fs.ErrNotExist):
			delete(w.Files, name)
			continue
		case err != nil:
			left = append(left, leftover{name, err.Error()})
			continue
		case !same:
			left = append(left, leftover{name, "it was changed since init wrote it"})
			continue
		case path.Base(name) == ".gitignore" && !dryRun && hides(root, name):
			left = append(left, w.hideAll(root, name)) // with it, what it hides would show
			continue
		}
		removed(name)
		if dryRun {
			continue
		}
		if err := root.Remove(name); err != nil {
			return left, err
		}
		delete(w.Files, name)
		removeEmpty(root, path.Dir(name))
	}
	if dryRun {
		return left, nil
	}
	return left, w.save()
}

// sameAs reports whether a file still has a digest.
func sameAs(root *os.Root, name, sum string) (bool, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxWritten {
		return false, nil
	}
	data, err := root.ReadFile(name)
	return err == nil && digest.Hex(data) == sum, err
}

// ignoresLast sorts names so that a .gitignore comes after what it may hide.
func ignoresLast(a, b string) int {
	if last := path.Base(a) == ".gitignore"; last != (path.Base(b) == ".gitignore") {
		if last {
			return 1
		}
		return -1
	}
	return strings.Compare(a, b)
}

// hides reports whether the folder of a .gitignore has other files: the log, the memory
// of sessions, or what the user has added.
func hides(root *os.Root, name string) bool {
	return slices.ContainsFunc(namesNextTo(root, name), func(n string) bool { return n != ".gitignore" })
}

// namesNextTo are the names in the same folder as a file.
func namesNextTo(root *os.Root, name string) []string {
	dir, err := root.Open(path.Dir(name))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(100)
	return names
}

// ignoreAll is the content of a .gitignore that hides its folder, itself included.
const ignoreAll = "*\n"

// hideAll makes a .gitignore hide itself too when only the log is left in its folder.
func (w *written) hideAll(root *os.Root, name string) leftover {
	for _, n := range namesNextTo(root, name) {
		if n != ".gitignore" && !strings.HasPrefix(n, logName) {
			return leftover{name, "it hides what else is there from git"}
		}
	}
	if data := []byte(ignoreAll); root.WriteFile(name, data, 0o644) == nil {
		w.Files[name] = digest.Hex(data)
	}
	return leftover{name, "it hides the log from git"}
}

// removeEmpty removes a folder below root, and those above it, as far as they are
// empty.
func removeEmpty(root *os.Root, dir string) {
	for ; dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
}

// others are files in a folder that init did not write, at most that many,
// and a word about the rest.
func (w *written) others(dir string, most int) (left []leftover) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(w.base, path)
		switch name := filepath.ToSlash(rel); {
		case err != nil || relErr != nil || d.IsDir():
		case len(left) == most:
			left = append(left, leftover{"…", "there are more"})
			return fs.SkipAll
		case strings.HasPrefix(d.Name(), logName):
			left = append(left, leftover{name, "the log is yours"})
		case w.Files[name] == "":
			left = append(left, leftover{name, "init did not write it"})
		}
		return nil
	})
	return left
}

// wrote says what becomes of a file that is not there yet.
func (s *setup) wrote() string {
	if s.DryRun {
		return "would write"
	}
	return "wrote"
}
