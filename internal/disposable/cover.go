package disposable

import (
	"cmp"
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/shellpattern"
)

// The evidence for what lies in a folder, in words.
const (
	committed = "committed and unchanged"
	created   = "this session created it"
	ignored   = "git ignores it"
	made      = "tools make it anew, and git does not track it"
	empty     = "it is empty"
)

// coarse is how coarse the times of a file system may be.
const coarse = 2 * time.Second

// covered is the evidence for a file or a folder with all that it holds. info is nil where
// there is nothing; r is nil outside of a repository.
func (e *Evidence) covered(r *repo, real string, info fs.FileInfo, depth int) string {
	if e.entries--; e.entries < 0 || depth > maxDeep || e.opts.Over() {
		return ""
	}
	folder := info == nil || info.IsDir()
	if info != nil && info.Mode().IsRegular() && e.created(real, info) {
		return created
	}
	if !r.mayTrack(real) {
		if e.namedMade(real, info) {
			return made
		}
		if where := e.ignored(r, real, folder); where != "" && (info == nil || !folder || e.plain(real)) {
			return ignored + " (" + where + ")"
		}
	}
	switch {
	case info == nil:
		return ""
	case folder:
		return e.inside(r, real, depth)
	case e.unchanged(r, real, info):
		return committed
	}
	return ""
}

// created reports whether the session created a file. One that was moved there since has
// an older time, and one that was filled later by somebody else a newer one.
func (e *Evidence) created(real string, info fs.FileInfo) bool {
	if e.opts.Made == nil {
		return false
	}
	at := e.opts.Made(real)
	return !at.IsZero() && info.ModTime().Sub(at).Abs() <= coarse
}

// inside is the evidence for all that a folder holds.
func (e *Evidence) inside(r *repo, dir string, depth int) string {
	var found []string
	entries, ok := list(dir, e.entries)
	for _, entry := range entries {
		info, err := entry.Info()
		if !ok || err != nil || strings.EqualFold(entry.Name(), ".git") {
			return ""
		}
		why := e.covered(r, filepath.Join(dir, entry.Name()), info, depth+1)
		if why == "" {
			return ""
		}
		found = add(found, why)
	}
	switch {
	case !ok:
		return ""
	case len(found) == 0:
		return empty
	}
	return allOf + strings.Join(found, or)
}

// or joins the evidence for several files.
const or = ", or "

// add adds the evidence for one more file or folder, without its details.
func add(found []string, why string) []string {
	for one := range strings.SplitSeq(strings.TrimPrefix(why, allOf), or) {
		if one, _, _ = strings.Cut(one, " ("); one != empty {
			found = append(found, one)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// allOf begins the evidence for a folder.
const allOf = "of all that it holds: "

// list are the entries of a folder; ok is false where there are more than most, or they
// cannot be read.
func list(dir string, most int) (entries []fs.DirEntry, ok bool) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	entries, err = f.ReadDir(max(most, 0) + 1)
	return entries, len(entries) <= most && (err == nil || errors.Is(err, io.EOF))
}

// plain reports whether a folder that git ignores holds nothing that cannot be made again:
// neither secrets and databases, nor another repository. A folder that is too large to be looked
// through is not plain; of a folder that tools alone make its first entries are looked at.
func (e *Evidence) plain(dir string) bool {
	for level := []string{dir}; len(level) > 0; {
		dir, level = level[0], level[1:]
		tools := isNamed("alone", filepath.Base(dir)) || isNamed("always", filepath.Base(dir))
		entries, ok := list(dir, e.plainLeft)
		if e.plainLeft -= len(entries); (!ok || e.opts.Over()) && !tools {
			return false
		}
		for _, entry := range entries {
			if e.private(entry.Name()) {
				return false
			}
			if entry.IsDir() && !tools {
				level = append(level, filepath.Join(dir, entry.Name()))
			}
		}
	}
	return true
}

// private reports whether what has a name cannot be made again, wherever it lies.
func (e *Evidence) private(name string) bool {
	return isNamed("private", name) || e.opts.Secret(name)
}

// pattern is the evidence for all that a pattern means now, below a folder.
func (e *Evidence) pattern(dir string, parts []string) string {
	if why := e.at(dir, maxDeep); why != "" && why != empty { // without a look at all that it holds
		return why
	}
	real := e.resolved(dir)
	if !slices.Contains(e.temps, real) && e.never(real) && strings.Trim(strings.Join(parts, ""), "*?.[]!") == "" {
		return "" // the project, or the home folder
	}
	paths, ok := e.expand(dir, parts)
	if !ok {
		return ""
	}
	if len(paths) == 0 { // there is nothing now
		return e.at(filepath.Join(append([]string{dir}, parts...)...), maxDeep)
	}
	var found []string
	for _, path := range paths {
		why := e.at(path, 0)
		if why == "" {
			return ""
		}
		found = add(found, why)
	}
	return "of all that the pattern means now: " + cmp.Or(strings.Join(found, or), empty)
}

// expand are the paths that the parts of a pattern mean below a folder. ok is false where
// there are too many.
func (e *Evidence) expand(dir string, parts []string) (paths []string, ok bool) {
	paths = []string{dir}
	for i, part := range parts {
		var next []string
		for _, path := range paths {
			switch {
			case !strings.ContainsAny(part, wild):
				next = append(next, filepath.Join(path, part))
			case part == "**" && i < len(parts)-1:
				next, ok = e.folders(next, path, 0)
			default:
				next, ok = e.entriesLike(next, path, part)
			}
			if strings.ContainsAny(part, wild) && !ok || len(next) > maxPaths {
				return nil, false
			}
		}
		paths = next
	}
	return slices.DeleteFunc(paths, func(path string) bool { _, err := os.Lstat(path); return err != nil }), true
}

// entriesLike adds the entries of a folder that one part of a pattern means.
func (e *Evidence) entriesLike(paths []string, dir, part string) (_ []string, ok bool) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return paths, err == nil || safefile.Missing(err)
	}
	entries, ok := list(dir, e.entries)
	for _, entry := range entries {
		if shellpattern.Match(part, entry.Name()) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	e.entries -= len(entries)
	return paths, ok
}

// folders adds a folder, and all below it.
func (e *Evidence) folders(paths []string, dir string, depth int) (_ []string, ok bool) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return paths, err == nil || safefile.Missing(err)
	}
	paths = append(paths, dir)
	entries, ok := list(dir, e.entries)
	e.entries -= len(entries)
	for _, entry := range entries {
		if ok && entry.IsDir() {
			paths, ok = e.folders(paths, filepath.Join(dir, entry.Name()), depth+1)
		}
	}
	return paths, ok && depth < maxDeep
}

// wild are the characters of a pattern.
const wild = "*?["

// cutPattern cuts a path before the first name that is a pattern.
func cutPattern(path string) (dir string, parts []string, ok bool) {
	at := strings.IndexAny(path, wild)
	if at < 0 {
		return path, nil, false
	}
	at = strings.LastIndexByte(path[:at], filepath.Separator) + 1
	return filepath.Clean(path[:at]), strings.Split(path[at:], string(filepath.Separator)), true
}

//go:embed names.txt
var namesText string

// names are those of names.txt, by the word before them.
var names = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(namesText) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			for _, name := range words[1:] {
				all[words[0]] = append(all[words[0]], strings.ToLower(name))
			}
		}
	}
	return all
})

// isNamed reports whether names.txt has a name for a kind.
func isNamed(kind, name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(names()[kind], func(pattern string) bool { return shellpattern.Match(pattern, name) })
}

// anyNamed reports the same of any name in a path.
func anyNamed(kind, path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(name string) bool { return isNamed(kind, name) })
}

// toolMade reports whether tools make what has a path, by the names of the folders that it
// lies in, below the project, or by its own.
func (e *Evidence) toolMade(real string, info fs.FileInfo) bool {
	if e.namedMade(real, info) {
		return true
	}
	rel, err := filepath.Rel(e.root, filepath.Dir(real))
	return err == nil && e.below(real, e.root) && (anyNamed("alone", rel) || anyNamed("always", rel))
}

// namedMade reports whether tools make what has a path, by its own name. The files at
// the top of a home folder are settings too. info is nil where there is nothing.
func (e *Evidence) namedMade(real string, info fs.FileInfo) bool {
	name := filepath.Base(real)
	if info == nil || info.IsDir() {
		home := e.home != "" && e.within(filepath.Dir(real), e.home) && e.within(e.home, filepath.Dir(real))
		if !home && (isNamed("alone", name) || isNamed("always", name)) {
			return true
		}
	}
	return (info == nil || info.Mode().IsRegular()) && e.below(real, e.root) && isNamed("file", name)
}

// unknownMade reports whether a build makes what has a path, by a name below the project.
func (e *Evidence) unknownMade(real string) bool {
	rel, err := filepath.Rel(e.root, real)
	return err == nil && anyNamed("unknown", rel)
}

// cached reports whether a path is, or lies below, a cache of the user's tools.
func (e *Evidence) cached(real string) bool {
	return e.home != "" && slices.ContainsFunc(names()["cache"], func(name string) bool {
		return e.withinFold(real, filepath.Join(e.home, filepath.FromSlash(name)))
	})
}
