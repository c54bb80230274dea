package project

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/rule"
)

// A source is one file of a folder: a rule file or the configuration.
type source struct {
	dir   string // the folder it was found from
	name  string // below dir, with slashes
	stamp stamp
	err   error // why it cannot be read at all
}

func (s source) path() string { return filepath.Join(s.dir, filepath.FromSlash(s.name)) }

// A listing is the rule files that were found, in the order in which the system
// names them.
type listing struct {
	files []source
	plain bool // the names and stamps say all: no file is reached by a link, or cannot be read
}

// listRules finds the rule files below dir. A folder or FIFO with the name of a rule file
// is listed with an error, so that it is not overlooked.
func listRules(dir, root string, followOut bool) (listing, error) {
	l := lister{listing: listing{plain: true}, top: dir, root: root, followOut: followOut}
	err := l.walk("", 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // a folder without rules has none
	}
	l.plain = l.plain && err == nil
	return l.listing, err
}

// sorted are the files in the order of their names.
func (l *listing) sorted() []source {
	files := slices.Clone(l.files)
	slices.SortFunc(files, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return files
}

// appendListing appends the names and stamps of files.
func appendListing(b []byte, files []source) []byte {
	for i := range files {
		b = codec.AppendText(b, files[i].name)
		b = files[i].stamp.append(b)
	}
	return b
}

// is reports whether the listing is the one that appendListing wrote.
func (l *listing) is(written string) bool {
	r := codec.Reader{Rest: written}
	for i := range l.files {
		if r.Text() != l.files[i].name || readStamp(&r) != l.files[i].stamp {
			return false
		}
	}
	return l.plain && r.Rest == "" && !r.Failed
}

type lister struct {
	listing
	top       string // where the walk begins
	root      string // a link must not lead out of it
	followOut bool
	linked    map[string]bool // folders that links led to, resolved
}

// walk lists the folder name below the top.
func (l *lister) walk(name string, depth int) error {
	entries, err := readDir(filepath.Join(l.top, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	l.files = slices.Grow(l.files, len(entries))
	var folders []*entry // and links
	for i := range entries {
		switch e := &entries[i]; {
		case len(l.files) >= maxListed:
			return fmt.Errorf("there are more than %d rule files", maxListed)
		case rule.IsRuleFile(e.name):
			l.add(name, e)
		case e.mode.IsDir() || e.mode&fs.ModeSymlink != 0:
			folders = append(folders, e)
		}
	}
	// Which of two links to one folder is followed does not depend on the system.
	slices.SortFunc(folders, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	for _, e := range folders {
		sub := path.Join(name, e.name)
		if err := l.enter(sub, e.mode, depth); err != nil {
			l.plain = false
			l.files = append(l.files, source{dir: l.top, name: sub, err: err})
		}
	}
	return nil
}

// add lists what has the name of a rule file in the folder name.
func (l *lister) add(name string, e *entry) {
	s := source{dir: l.top, name: e.name, stamp: e.stamp, err: e.err}
	if name != "" {
		s.name = name + "/" + e.name
	}
	if s.err == nil && !e.mode.IsRegular() {
		s.stamp, s.err = l.look(s.path(), e.mode)
		l.plain = false
	}
	l.plain = l.plain && s.err == nil
	l.files = append(l.files, s)
}

// enter lists a sub-folder, or a link to one.
func (l *lister) enter(name string, mode fs.FileMode, depth int) error {
	if mode&fs.ModeSymlink != 0 {
		l.plain = false
		full := filepath.Join(l.top, filepath.FromSlash(name))
		if info, err := os.Stat(full); err != nil || !info.IsDir() {
			return nil // what it leads to has not the name of a rule file
		}
		real := safefile.Resolve(full)
		if !l.followOut && !safefile.Within(real, safefile.Resolve(l.root)) {
			return fmt.Errorf("the link leads out of the project, to %s; copy the rules here", real)
		}
		if l.linked[real] || safefile.Within(real, safefile.Resolve(l.top)) {
			return nil // it is read already
		}
		if l.linked == nil {
			l.linked = map[string]bool{}
		}
		l.linked[real] = true
	}
	if depth >= maxDepth {
		return fmt.Errorf("folders are nested deeper than %d", maxDepth)
	}
	return l.walk(name, depth+1)
}

// An entry is a name in a folder, with the result of Lstat.
type entry struct {
	name  string
	mode  fs.FileMode
	stamp stamp
	err   error
}

// look stamps a file that is not a regular one by itself, and says why it cannot
// be used.
func (l *lister) look(full string, mode fs.FileMode) (stamp, error) {
	var st stamp
	if mode&fs.ModeSymlink != 0 {
		target, err := os.Stat(full)
		if err != nil {
			return stamp{}, fmt.Errorf("the link leads nowhere: %w", err)
		}
		mode, st = target.Mode(), newStamp(target)
		if real := safefile.Resolve(full); !l.followOut && !safefile.Within(real, safefile.Resolve(l.root)) {
			return st, fmt.Errorf("the link leads out of the project, to %s; copy the file here", real)
		}
	}
	switch {
	case mode.IsDir():
		return st, errors.New("is a folder; rename it or put a file in its place")
	case !mode.IsRegular():
		return st, errors.New("is not a regular file; remove it")
	}
	return st, nil
}

// read returns what a file says. It never waits for a FIFO and never reads more
// than a rule can be.
func (s source) read() ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	return safefile.Read(s.path(), maxFileBytes)
}

// configNames are the names of a configuration. The first that is there is read.
var configNames = [...]string{"config.yaml", "config.yml", "config.json"}

// ConfigFile is the path of the configuration in a folder of rules: of the one that is
// read, or else of the one to write.
func ConfigFile(dir string) string {
	for _, name := range configNames {
		if path := filepath.Join(dir, name); !missing(path) {
			return path
		}
	}
	return filepath.Join(dir, configNames[0])
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// configSource is the configuration of a folder; ok is false without one.
func configSource(p place) (s source, ok bool) {
	for _, name := range configNames {
		s = source{dir: p.dir, name: name}
		info, err := os.Lstat(s.path())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			s.err = err
		case info.Mode().IsRegular():
			s.stamp = newStamp(info)
		default:
			l := lister{root: p.root, followOut: p.user}
			s.stamp, s.err = l.look(s.path(), info.Mode())
		}
		return s, true
	}
	return source{}, false
}

// A stamp tells whether a file is still the one that was read. All of it must
// agree, as in git's index: a file that was written twice in one tick of the
// clock differs in size or inode, or was too young to be believed.
type stamp struct {
	size         int64
	mtime, ctime int64 // nanoseconds; ctime is 0 where the system has none
	inode        uint64
}

// racyAge is how old a file must be when it is read for its stamp to be believed
// later: a younger one may be written again within the clock's resolution, which
// is two seconds on the coarsest file systems.
const racyAge = 2 * time.Second

func newStamp(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.ctime, s.inode = safefile.ChangeTime(info)
	return s
}

// racy reports whether a file with this stamp, read at now, may change without
// its stamp changing.
func (s stamp) racy(now time.Time) bool {
	limit := now.Add(-racyAge).UnixNano()
	return s.mtime >= limit || s.ctime >= limit
}

// stampBytes is the size of a stamp in a file.
const stampBytes = 4 * 8

func (s stamp) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.mtime))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.ctime))
	return binary.LittleEndian.AppendUint64(b, s.inode)
}

func readStamp(r *codec.Reader) stamp {
	b := []byte(r.Bytes(stampBytes))
	if len(b) < stampBytes {
		return stamp{}
	}
	field := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return stamp{size: int64(field(0)), mtime: int64(field(1)), ctime: int64(field(2)), inode: field(3)}
}
