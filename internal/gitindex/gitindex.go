// Package gitindex tells whether git tracks a file, by the index of the repository, and which
// branch is checked out, without starting git.
//
// An index comes with a repository, and is not trusted: it is read within bounds, and one
// that is not understood is an error, never "not tracked".
package gitindex

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Bounds of what is read.
const (
	maxIndex = 256 << 20 // bytes
	maxLink  = 4 << 10   // bytes of a .git file
	fixed    = 40        // bytes of an entry before the object's name
)

// hashes are the lengths of an object's name: SHA-1, and SHA-256 of newer repositories.
var hashes = [...]int{20, 32}

var errIndex = errors.New("gitindex: the index of the repository is not understood")

// Tracked returns those of the names that git tracks, a folder if a file below it is
// tracked. A name is an absolute path, which need not exist. Outside of a repository
// nothing is tracked. With fold case does not matter. Each index is read once.
func Tracked(names []string, fold bool) (map[string]bool, error) {
	tops := map[string]tree{}
	asked := map[tree]map[string][]string{} // the names by their key in the index of a tree
	for _, name := range names {
		clean := filepath.Clean(name)
		t, err := treeOf(filepath.Dir(clean), tops)
		if err != nil {
			return nil, err
		}
		if t.git == "" {
			continue
		}
		rel, err := filepath.Rel(t.top, clean)
		if err != nil {
			return nil, fmt.Errorf("gitindex: %w", err)
		}
		if asked[t] == nil {
			asked[t] = map[string][]string{}
		}
		k := key(filepath.ToSlash(rel), fold)
		asked[t][k] = append(asked[t][k], name)
	}
	found := map[string]bool{}
	for t, wanted := range asked {
		if err := inIndex(t.git, wanted, fold, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Tree is the work tree that dir lies in, and the folder that has its index; both are ""
// outside of a repository.
func Tree(dir string) (top, git string, err error) {
	t, err := treeOf(filepath.Clean(dir), map[string]tree{})
	if err != nil || t.git == "" {
		return "", "", err
	}
	return t.top, t.git, nil
}

// Branch is the branch that the work tree of dir has checked out: "" for none, or outside of a
// repository.
func Branch(dir string) (string, error) {
	_, git, err := Tree(dir)
	if err != nil || git == "" {
		return "", err
	}
	data, err := safefile.Read(filepath.Join(git, "HEAD"), maxLink)
	if err != nil {
		return "", fmt.Errorf("gitindex: %w", err)
	}
	ref, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref:")
	if !ok {
		return "", nil
	}
	return strings.TrimPrefix(strings.TrimSpace(ref), "refs/heads/"), nil
}

// An Entry is a file of an index, with what git saw on disk when it looked at the file last.
type Entry struct {
	Name      string // from the top of the work tree, with slashes; that of a folder in a sparse index ends with one
	Mode      uint32 // as git writes it: 0o100644, 0o120000 of a link, 0o160000 of a submodule
	ID        []byte // name of the object
	Size      uint32 // of the file, its last 32 bits
	Changed   Stamp  // of its content
	Touched   Stamp  // of anything about it, where the system keeps that
	Unmerged  bool   // it has several entries, in conflict
	Unwatched bool   // git does not compare it with the file on disk
}

// Unchanged reports whether there is a file at a path that is [Entry.As] in the index.
func (e *Entry) Unchanged(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && e.As(info)
}

// As reports whether a file has the size and the time of the entry, as git itself looks before it
// compares a content.
func (e *Entry) As(info fs.FileInfo) bool {
	return uint32(info.Size()) == e.Size && e.Changed.Is(info.ModTime())
}

// A Stamp is a time; Nsec is 0 where git did not keep that.
type Stamp struct{ Sec, Nsec uint32 }

// Is reports whether a time is that of the stamp.
func (s Stamp) Is(at time.Time) bool {
	return uint32(at.Unix()) == s.Sec && (s.Nsec == 0 || uint32(at.Nanosecond()) == s.Nsec)
}

// Before reports whether the stamp is earlier than a time, as far as it is known.
func (s Stamp) Before(at time.Time) bool {
	return s.Sec < uint32(at.Unix()) || s.Sec == uint32(at.Unix()) && s.Nsec > 0 && s.Nsec < uint32(at.Nanosecond())
}

// Visit calls do with each file of the index in the folder git, which has at most limit bytes,
// in the order of the index: by the bytes of their names. An entry is not kept: the next one
// replaces it.
func Visit(git string, limit int64, do func(*Entry)) error {
	data, err := safefile.Read(filepath.Join(git, "index"), limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever added
	}
	if err != nil {
		return fmt.Errorf("gitindex: %w", err)
	}
	for _, hash := range hashes {
		if search(data, hash, func(*Entry) {}) == nil {
			return search(data, hash, do)
		}
	}
	return errIndex
}

// Names are the names that [Visit] visits. A sparse index, which has folders, is an error. An
// unmerged file has several.
func Names(git string, limit int64) (names []string, err error) {
	sparse := false
	err = Visit(git, limit, func(e *Entry) {
		names = append(names, e.Name)
		sparse = sparse || strings.HasSuffix(e.Name, "/")
	})
	if err == nil && sparse {
		return nil, fmt.Errorf("%w: it is sparse", errIndex)
	}
	return names, err
}

// A tree is a work tree, and the folder that has its index.
type tree struct{ top, git string }

// treeOf is the work tree that dir lies in; known has those that were found before.
func treeOf(dir string, known map[string]tree) (tree, error) {
	if t, ok := known[dir]; ok {
		return t, nil
	}
	git, err := At(dir)
	if err != nil {
		return tree{}, err
	}
	t := tree{dir, git}
	if up := filepath.Dir(dir); git == "" && up != dir {
		if t, err = treeOf(up, known); err != nil {
			return tree{}, err
		}
	}
	known[dir] = t
	return t, nil
}

// key is what two names have in common if they are the same.
func key(name string, fold bool) string {
	if fold {
		return strings.ToLower(strings.ToUpper(name))
	}
	return name
}

// At is the folder of git's own that the `.git` of a folder is or names, with the index of the work
// tree; "" where git goes on above. The error says that git gives up there: at a file that names no
// such folder.
func At(dir string) (git string, err error) {
	git = filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return "", nil
	case info.IsDir():
		if !Is(git) {
			return "", nil
		}
		return git, nil
	}
	data, err := safefile.Read(git, maxLink)
	if err != nil {
		return "", fmt.Errorf("gitindex: %w", err)
	}
	link, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%w: %s names no folder", errIndex, git)
	}
	if !filepath.IsAbs(link) {
		link = filepath.Join(dir, link)
	}
	if !Is(link) {
		return "", fmt.Errorf("%w: %s names a folder that is not git's", errIndex, git)
	}
	return link, nil
}

// Is reports whether a folder is one of git's own. Git passes others over and goes on
// above them, so that a folder with the name alone hides no repository.
func Is(git string) bool {
	common := git
	if data, err := safefile.Read(filepath.Join(git, "commondir"), maxLink); err == nil {
		if common = strings.TrimSpace(string(data)); !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	for _, folder := range [...]string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, folder)); err != nil || !info.IsDir() {
			return false
		}
	}
	head := filepath.Join(git, "HEAD")
	if link, err := os.Readlink(head); err == nil {
		return strings.HasPrefix(filepath.ToSlash(link), "refs/")
	}
	data, err := safefile.Read(head, maxLink)
	if err != nil {
		return false
	}
	if ref, ok := strings.CutPrefix(string(data), "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(ref, " \t\n\v\f\r"), "refs/")
	}
	id := data[:min(len(data), 40)]
	_, err = hex.DecodeString(string(id))
	return len(id) == 40 && err == nil
}

// inIndex adds to found the wanted names that are in the index of the folder git.
func inIndex(git string, wanted map[string][]string, fold bool, found map[string]bool) error {
	return Visit(git, maxIndex, func(e *Entry) { mark(found, wanted, key(e.Name, fold)) })
}

// mark adds to hits the wanted names that an entry tracks: its own, and its folders.
func mark(hits map[string]bool, wanted map[string][]string, entry string) {
	if strings.HasSuffix(entry, "/") { // a folder of a sparse index
		for k, names := range wanted {
			if strings.HasPrefix(k, entry) {
				add(hits, names)
			}
		}
	}
	for end := len(entry); end >= 0; end = strings.LastIndexByte(entry, '/') {
		entry = entry[:end]
		add(hits, wanted[entry])
	}
}

func add(hits map[string]bool, names []string) {
	for _, name := range names {
		hits[name] = true
	}
}

// search visits the entries. hash is the length of an object's name. All of them are
// read, so that a damaged index is seen.
func search(data []byte, hash int, visit func(*Entry)) error {
	if len(data) < 12+hash || string(data[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	r := reader{data: data[12 : len(data)-hash], hash: hash, version: version}
	for range count {
		if !r.next() {
			return errIndex
		}
		visit(&r.Entry)
	}
	return r.extensions()
}

// A reader reads the entries of an index one after the other.
type reader struct {
	data    []byte // the rest
	hash    int
	version uint32
	Entry   // the last one
}

// next reads an entry. It is false for one that is damaged.
func (r *reader) next() bool {
	head := fixed + r.hash + 2
	if len(r.data) < head || !knownMode(binary.BigEndian.Uint32(r.data[24:])) {
		return false
	}
	number := func(at int) uint32 { return binary.BigEndian.Uint32(r.data[at:]) }
	r.Touched, r.Changed = Stamp{number(0), number(4)}, Stamp{number(8), number(12)}
	r.Mode, r.Size, r.ID = number(24), number(36), r.data[fixed:head-2]
	flags := binary.BigEndian.Uint16(r.data[head-2:])
	r.Unmerged, r.Unwatched = flags&0x3000 != 0, flags&0x8000 != 0
	if flags&0x4000 != 0 {
		if head += 2; r.version < 3 || len(r.data) < head {
			return false
		}
		r.Unwatched = r.Unwatched || binary.BigEndian.Uint16(r.data[head-2:])&0x4000 != 0
	}
	rest := r.data[head:]
	keep := 0
	if r.version == 4 {
		strip, size := offset(rest)
		if size == 0 || strip > uint64(len(r.Name)) {
			return false
		}
		rest, keep, head = rest[size:], len(r.Name)-int(strip), head+size
	}
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return false
	}
	r.Name = r.Name[:keep] + string(rest[:end])
	length := head + end + 1
	if r.version < 4 {
		length = (head + end + 8) &^ 7
	}
	if length > len(r.data) || r.Name == "" || path.IsAbs(r.Name) {
		return false
	}
	r.data = r.data[length:]
	return true
}

// knownMode reports whether an entry is a file, a link, a submodule or a folder.
func knownMode(mode uint32) bool {
	switch mode >> 12 {
	case 0o10, 0o12, 0o16, 0o04:
		return true
	}
	return false
}

// offset reads a number of version 4; size is 0 for one that is damaged.
func offset(b []byte) (value uint64, size int) {
	for i, c := range b[:min(len(b), 9)] {
		value = value<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
		value++
	}
	return 0, 0
}

// extensions refuses an index that is partly in another file.
func (r *reader) extensions() error {
	for len(r.data) >= 8 {
		name, size := string(r.data[:4]), binary.BigEndian.Uint32(r.data[4:])
		if uint64(size) > uint64(len(r.data)-8) {
			return errIndex
		}
		if name == "link" {
			return fmt.Errorf("%w: it is split", errIndex)
		}
		r.data = r.data[8+size:]
	}
	if len(r.data) > 0 {
		return errIndex
	}
	return nil
}
