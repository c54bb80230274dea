package gitread

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/internal/gitobject"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Bounds of what is read of a work tree.
const (
	maxIndex   = 64 << 20 // bytes
	maxFile    = 4 << 20  // bytes of a file that is compared
	maxContent = 64 << 20 // bytes of all of them
	maxCommits = 1000
	maxNames   = 500 // of one question
)

var (
	errIndexFile = errors.New("gitread: GIT_INDEX_FILE is no file in the folder of the repository")
	errTooMuch   = errors.New("gitread: too many files would have to be compared")
	errCommit    = errors.New("gitread: what is kept of a commit is not its name")
	errCommits   = errors.New("gitread: too many commits would have to be read")
	errSparse    = errors.New("gitread: the index is sparse")
)

// Trees are the work trees that files of a project may be in. They are safe for concurrent use.
type Trees struct {
	Ctx   context.Context
	Root  string        // absolute: the project
	Limit time.Duration // for the questions about one tree
	Index string        // what GIT_INDEX_FILE says where git itself runs this program; "" for nothing

	mu    sync.Mutex
	known map[string]*tree
}

// At returns the work tree that a folder lies in, nil where the folder is in no repository. A work
// tree that neither lies in the project nor contains it has no files of the project.
func (t *Trees) At(dir string) (facts.Tree, error) {
	root, dir := safefile.Resolve(t.Root), safefile.Resolve(dir)
	top, git, err := gitindex.Tree(dir)
	if err != nil {
		return nil, err
	}
	apart := func(dir string) bool { return !safefile.Within(dir, root) && !safefile.Within(root, dir) }
	if top == "" && !apart(dir) {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[top]; one != nil {
		return one, nil
	}
	one := &tree{ctx: t.Ctx, root: root, top: top, git: git, base: top, reader: Reader{Limit: t.Limit}, compared: map[*gitindex.Entry]bool{}}
	one.index = sync.OnceValues(one.readIndex)
	switch {
	case top == "" || apart(top):
		one.apart = true
	case safefile.Within(root, top):
		one.base, one.above = root, one.slashed(top, root)
	default:
		one.inside = one.slashed(root, top)
	}
	if t.Index != "" {
		if one.reader.Index, err = indexFile(t.Index, top, git); err != nil {
			return nil, err
		}
	}
	if t.known == nil {
		t.known = map[string]*tree{}
	}
	t.known[top] = one
	return one, nil
}

// indexFile is an index that git names to a program that it runs: a file in its own folder, which
// a name leads to that starts at the top of the work tree.
func indexFile(name, top, git string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(top, name)
	}
	real := safefile.Resolve(name)
	info, err := os.Lstat(real)
	if err != nil || !info.Mode().IsRegular() || !safefile.Within(real, safefile.Resolve(git)) {
		return "", errIndexFile
	}
	return real, nil
}

// A tree is a work tree. It implements [facts.Tree].
type tree struct {
	ctx       context.Context
	root, top string // absolute, without symbolic links
	git       string // the folder with the index
	apart     bool   // no file of the project is in it
	base      string // the lower one of root and top, in which git is asked
	above     string // base from top, with a slash at its end; "" where they are one
	inside    string // base from root in the same way
	reader    Reader
	index     func() ([]gitindex.Entry, error)

	mu       sync.Mutex
	compared map[*gitindex.Entry]bool // with the file on disk: whether they differ
	content  int64                    // bytes that were compared
}

// slashed is a folder below another one, seen from there, with a slash at its end.
func (t *tree) slashed(from, dir string) string {
	rel, err := filepath.Rel(from, dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

// Name implements [facts.Tree].
func (t *tree) Name(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		dir, name = filepath.Dir(name), filepath.Base(name)
	}
	rel, err := filepath.Rel(t.root, filepath.Join(safefile.Resolve(dir), name))
	if err != nil { // on another drive
		return name
	}
	return filepath.ToSlash(rel)
}

// Staged implements [facts.Tree].
func (t *tree) Staged() ([]string, error) {
	names, err := t.ask("diff-index", "--cached", "--name-only", "--no-renames", "--relative", "-z", "HEAD")
	if err != nil { // before the first commit
		names, err = t.ask("ls-files", "--cached", "-z")
	}
	return names, err
}

// New implements [facts.Tree].
func (t *tree) New() ([]string, error) {
	return t.ask("ls-files", "--others", "--exclude-standard", "-z")
}

// Committed implements [facts.Tree].
func (t *tree) Committed(since facts.Moment) ([]string, error) {
	if since.At.IsZero() {
		return t.changedBy("-1")
	}
	names, err := t.changedBy("--since=@" + strconv.FormatInt(since.At.Unix(), 10))
	if err != nil || since.Commit == "" {
		return names, err
	}
	base, err := baseOf(since.Commit)
	if err != nil {
		return nil, err
	}
	behind := []string{"HEAD"}
	if base != "" {
		behind = append(behind, "^"+base)
	}
	more, err := t.changedBy(append(behind, "--")...)
	return append(names, more...), unborn(err)
}

// filesOf asks git for the files of commits, in the folder in which it is, whatever its settings say.
var filesOf = []string{"log", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative"}

// changedBy are the files that commits changed: those that git lists for arguments.
func (t *tree) changedBy(which ...string) ([]string, error) {
	const mark = "/" // of each commit: no name of a file
	asked := slices.Concat(filesOf, []string{"--format=%x2f", "--max-count=" + strconv.Itoa(maxCommits+1)}, which)
	names, err := t.ask(asked...)
	if err != nil && strings.Contains(err.Error(), "does not have any commits") {
		return nil, nil
	}
	all := len(names)
	names = slices.DeleteFunc(names, func(name string) bool { return name == t.inside+mark })
	if all-len(names) > maxCommits {
		return nil, errCommits
	}
	return names, err
}

// Had implements [facts.Tree].
func (t *tree) Had(names []string, before facts.Moment, amended bool) ([]string, error) {
	if before.At.IsZero() {
		return t.in("HEAD"+text.When(amended, "^"), names)
	}
	out, err := t.reader.Ask(t.ctx, t.base, "rev-list", "--max-count=1", "--before=@"+strconv.FormatInt(before.At.Unix(), 10), "HEAD", "--")
	if unborn(err) != nil {
		return nil, err
	}
	had, err := t.old(strings.TrimSpace(string(out)), names)
	if err != nil || before.Commit == "" || len(had) == 0 {
		return had, err
	}
	base, err := baseOf(before.Commit)
	if err != nil {
		return nil, err
	}
	seen, err := t.checkedOut(before.Reflog, had)
	if err != nil {
		return nil, err
	}
	old, err := t.old(base, slices.DeleteFunc(slices.Clone(had), func(name string) bool { return slices.Contains(seen, name) }))
	if err != nil && strings.Contains(err.Error(), "not a tree object") { // it was taken out of the repository
		return t.old("", had)
	}
	return append(old, seen...), err
}

// old returns those of names that are in a commit, and those that somebody else added since. "" means no
// commit.
func (t *tree) old(commit string, names []string) (had []string, err error) {
	if commit != "" {
		if had, err = t.in(commit, names); err != nil {
			return nil, err
		}
	}
	came, err := t.came(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(had, name) }), commit)
	return append(had, came...), unborn(err)
}

// in returns those of names that are in a commit.
func (t *tree) in(commit string, names []string) (had []string, err error) {
	asked := []string{"ls-tree", "--name-only", "-z", commit, "--"}
	for part := range slices.Chunk(t.paths(names), maxNames) {
		found, err := t.ask(slices.Concat(asked, part)...)
		if err != nil {
			return nil, unborn(err)
		}
		had = append(had, found...)
	}
	return had, nil
}

// paths are names as git is asked about them: those in the folder in which it is.
func (t *tree) paths(names []string) (paths []string) {
	for _, name := range names {
		if name, in := strings.CutPrefix(name, t.inside); in && !strings.HasPrefix(name, "../") {
			paths = append(paths, name)
		}
	}
	return paths
}

// baseOf is a commit as git is asked about it, "" where there was none. It is an error for what may not be
// the name of one.
func baseOf(commit string) (base string, err error) {
	switch _, err := hex.DecodeString(commit); {
	case err != nil:
		return "", errCommit
	case commit == facts.NoCommit:
		return "", nil
	}
	return commit, nil
}

// unborn is an error of git without that of a commit that is not there: it has no files.
func unborn(err error) error {
	if err != nil && (strings.Contains(err.Error(), "Not a valid object name HEAD") || strings.Contains(err.Error(), "bad revision 'HEAD'")) {
		return nil
	}
	return err
}

// ask is what git lists, from the project.
func (t *tree) ask(args ...string) ([]string, error) {
	if t.apart {
		return nil, nil
	}
	out, err := t.reader.Ask(t.ctx, t.base, args...)
	if err != nil {
		return nil, err
	}
	names := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	for i := range names {
		names[i] = t.inside + strings.TrimPrefix(names[i], "\n") // log writes one before the first of a commit
	}
	return names, nil
}

// readIndex are the entries of the index, by their names.
func (t *tree) readIndex() (list []gitindex.Entry, err error) {
	if t.apart {
		return nil, nil
	}
	sparse := false
	err = gitindex.Visit(t.git, maxIndex, func(e *gitindex.Entry) {
		sparse = sparse || strings.HasSuffix(e.Name, "/")
		if strings.HasPrefix(e.Name, t.above) {
			list = append(list, *e)
		}
	})
	if err == nil && sparse {
		err = errSparse
	}
	return list, err
}

// Tracked implements [facts.Tree].
func (t *tree) Tracked(name string) (bool, error) {
	list, err := t.index()
	name, in := strings.CutPrefix(name, t.inside)
	if err != nil || !in {
		return false, err
	}
	_, found := slices.BinarySearchFunc(list, t.above+name, func(e gitindex.Entry, name string) int { return cmp.Compare(e.Name, name) })
	return found, nil
}

// Edited implements [facts.Tree].
func (t *tree) Edited(want func(name string) bool) (names []string, err error) {
	list, err := t.index()
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(filepath.Join(t.git, "index"))
	if err != nil {
		return nil, nil // nothing was ever added
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	began := time.Now()
	for i := range list {
		e := &list[i]
		name := t.inside + strings.TrimPrefix(e.Name, t.above)
		switch {
		case time.Since(began) > t.reader.Limit || t.ctx.Err() != nil:
			return nil, errTooMuch
		case e.Mode>>12 == submodule:
			names = append(names, name+"/")
		case !want(name) || e.Unwatched:
		default:
			edited, known := t.compared[e]
			if !known {
				if edited, err = t.edited(e, info.ModTime()); err != nil {
					return nil, err
				}
				t.compared[e] = edited
			}
			if edited {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// Kinds of entries, as the upper bits of a mode tell them.
const (
	link      = 0o12
	submodule = 0o16
)

// edited reports whether a file is not on disk as in the index, which was written at a time. A
// file that could have been changed in the same moment is compared by its content.
func (t *tree) edited(e *gitindex.Entry, written time.Time) (bool, error) {
	full := filepath.Join(t.top, filepath.FromSlash(e.Name))
	info, err := os.Lstat(full)
	switch {
	case err != nil || e.Unmerged || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return true, nil
	case e.As(info) && e.Changed.Before(written) && untouched(e, info):
		return false, nil
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(full)
		return err != nil || e.Mode>>12 != link || !gitobject.Names(string(e.ID), []byte(to)), nil
	case info.Size() > maxFile:
		return true, nil
	}
	if t.content += info.Size(); t.content > maxContent {
		return false, errTooMuch
	}
	content, err := safefile.ReadNoFollow(full, maxFile)
	return err != nil || !gitobject.Names(string(e.ID), content), nil
}

// untouched compares the time that no program sets, where there is one.
func untouched(e *gitindex.Entry, info fs.FileInfo) bool {
	at, _ := safefile.ChangeTime(info)
	return at == 0 || e.Touched == gitindex.Stamp{} || e.Touched.Is(time.Unix(0, at))
}
