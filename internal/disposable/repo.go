package disposable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/gitignore"
	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/internal/gitobject"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Bounds of what is read of a repository.
const (
	maxIndex  = 16 << 20 // bytes: more than 100,000 files
	maxIgnore = 64 << 10 // bytes of a .gitignore
	maxFile   = 4 << 20  // bytes of a file that is compared
)

// underWay are files of git while it has begun something and not ended it.
var underWay = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "sequencer", "index.lock"}

// A repo is what git knows of a work tree. A nil repo means that the tree has no repository.
type repo struct {
	top     string
	fold    bool
	started func() time.Time // the session; zero where that is not known
	tracked []string         // the files of the index, sorted
	indexed bool             // tracked is known
	head    *gitobject.Head
	usable  bool // git is at rest, and its last commit is understood
	unborn  bool // nothing was ever committed
	ignores map[string]*ignoreFile
	said    map[string]said // of folders
}

// A said is what the patterns say of a path.
type said struct {
	where   string
	ignored bool
}

// An ignoreFile is a .gitignore.
type ignoreFile struct {
	patterns *gitignore.Patterns // nil if it was not understood
	trusted  bool                // it is committed and unchanged, and was there before the session
}

// repository is the one that a folder lies in, or nil.
func (e *Evidence) repository(dir string) *repo {
	top, git, err := gitindex.Tree(dir)
	if err == nil && git == "" {
		return nil
	}
	if r := e.repos[top]; r != nil {
		return r
	}
	r := &repo{top: top, fold: e.fold, started: e.started, ignores: map[string]*ignoreFile{}, said: map[string]said{}}
	e.repos[top] = r
	if err != nil || e.home != "" && e.within(e.home, top) || system(top) {
		return r // of a home folder the repository ignores nearly everything
	}
	if r.tracked, err = gitindex.Names(git, maxIndex); err != nil {
		return r
	}
	if r.indexed = true; r.fold {
		for i, name := range r.tracked {
			r.tracked[i] = strings.ToLower(name)
		}
		slices.Sort(r.tracked)
	}
	if slices.ContainsFunc(underWay, func(name string) bool { _, err := os.Lstat(filepath.Join(git, name)); return !safefile.Missing(err) }) {
		return r
	}
	r.head, err = gitobject.Open(git)
	r.usable, r.unborn = err == nil, errors.Is(err, fs.ErrNotExist)
	return r
}

func (r *repo) close() {
	if r.head != nil {
		r.head.Close()
	}
}

// rel is a path from the top of the work tree, with slashes.
func (r *repo) rel(real string) string {
	rel, err := filepath.Rel(r.top, real)
	if err != nil {
		return ".."
	}
	return filepath.ToSlash(rel)
}

// mayTrack reports whether the index has a path, or one below it; also where it cannot be
// read.
func (r *repo) mayTrack(real string) bool {
	if r == nil {
		return false
	}
	name := r.rel(real)
	if !r.indexed || name == "." || strings.HasPrefix(name, "..") {
		return true
	}
	if r.fold {
		name = strings.ToLower(name)
	}
	_, found := slices.BinarySearch(r.tracked, name)
	at, _ := slices.BinarySearch(r.tracked, name+"/")
	return found || at < len(r.tracked) && strings.HasPrefix(r.tracked[at], name+"/")
}

// cannotTell reports whether git has no way to know of a path: without a repository, or
// without a commit or anything of that name in it.
func (r *repo) cannotTell(real string, info fs.FileInfo) bool {
	return r == nil || (r.unborn || info == nil) && !r.mayTrack(real)
}

// ignored is the place of the pattern that has git ignore a path, as ".gitignore:3"; "" where it does
// not, where the pattern is not committed, or where the name says that nothing makes
// such a file again.
func (e *Evidence) ignored(r *repo, real string, folder bool) string {
	if r == nil || !r.usable {
		return ""
	}
	name := r.rel(real)
	for end := 0; end < len(name); {
		next := strings.IndexByte(name[min(end+1, len(name)):], '/')
		if end += 1 + next; next < 0 {
			end = len(name)
		}
		part := name[:end]
		is := folder || end < len(name)
		one, known := r.said[part]
		if !known || !is {
			one.where, one.ignored = r.says(part, is)
		}
		if is {
			r.said[part] = one
		}
		if !one.ignored {
			continue
		}
		if base := path.Base(part); isNamed("kept", base) && !isNamed("alone", base) && !isNamed("always", base) {
			return ""
		}
		for rest := range strings.SplitSeq(path.Base(part)+name[end:], "/") {
			if e.private(rest) {
				return ""
			}
		}
		return one.where
	}
	return ""
}

// says is what the patterns say of one path, if none of the folders above is ignored:
// those of the nearest folder first.
func (r *repo) says(name string, folder bool) (where string, ignored bool) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		file := r.ignoreFile(dir)
		if file != nil && file.patterns == nil {
			return "", true // it is unknown
		}
		if file != nil {
			ignored, line := file.patterns.Match(strings.TrimPrefix(name, dir+"/"), folder)
			if line > 0 && ignored && file.trusted {
				where = fmt.Sprintf("%s:%d", path.Join(dir, ".gitignore"), line)
			}
			if line > 0 {
				return where, ignored
			}
		}
		if dir == "." {
			return "", false
		}
	}
}

// ignoreFile is the .gitignore of a folder, or nil.
func (r *repo) ignoreFile(dir string) *ignoreFile {
	if file, ok := r.ignores[dir]; ok {
		return file
	}
	var file *ignoreFile
	name := filepath.Join(r.top, filepath.FromSlash(dir), ".gitignore")
	content, err := safefile.ReadNoFollow(name, maxIgnore)
	if err == nil {
		file = &ignoreFile{trusted: r.has(path.Join(dir, ".gitignore"), false, content) && r.older(name)}
		file.patterns, _ = gitignore.Parse(string(content), r.fold)
	} else if !safefile.Missing(err) {
		file = &ignoreFile{}
	}
	r.ignores[dir] = file
	return file
}

// older reports whether a file is as it was when the session began, by the time that no
// program sets where there is one. An agent that commits a pattern has no evidence by it.
func (r *repo) older(path string) bool {
	began := r.started()
	if began.IsZero() {
		return true
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	changed := info.ModTime()
	if ctime, _ := safefile.ChangeTime(info); ctime != 0 {
		changed = time.Unix(0, ctime)
	}
	return changed.Before(began)
}

// unchanged reports whether the last commit has a file, or a link, as it is now.
func (e *Evidence) unchanged(r *repo, real string, info fs.FileInfo) bool {
	link := info.Mode()&fs.ModeSymlink != 0
	if r == nil || !r.usable || !link && !info.Mode().IsRegular() || info.Size() > maxFile {
		return false
	}
	if e.content -= info.Size(); e.content < 0 {
		return false
	}
	var content []byte
	var err error
	if link {
		var to string
		to, err = os.Readlink(real)
		content = []byte(to)
	} else {
		content, err = safefile.ReadNoFollow(real, maxFile)
	}
	return err == nil && r.has(r.rel(real), link, content)
}

// has reports whether the last commit has a file with a content.
func (r *repo) has(name string, link bool, content []byte) bool {
	entry, ok, err := r.head.Lookup(name)
	if err != nil || !ok || link != (entry.Mode == "120000") || !link && !strings.HasPrefix(entry.Mode, "100") {
		return false
	}
	return gitobject.Names(entry.ID, content) && r.head.Has(entry)
}
