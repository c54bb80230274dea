// Package gitindex tells whether git tracks a file, by the index of the repository, and which
// branch is checked out, without starting git.
//
// An index comes with a repository, and is not trusted: it is read within bounds, and one
// that is not understood is an error, never "not tracked".
package gitindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
		if err := inIndex(filepath.Join(t.git, "index"), wanted, fold, found); err != nil {
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

// Names are the files of the index in the folder git, which has at most limit bytes, in
// the order of the index: by their bytes, from the top of the work tree, with slashes. A
// sparse index, which has folders, is an error. An unmerged file has several.
func Names(git string, limit int64) ([]string, error) {
	entries, err := Entries(git, limit)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].Name
	}
	return names, nil
}

// An Entry is a file of an index, and how git saw it there when it looked at it last.
type Entry struct {
	Name string // from the top of the work tree, with slashes

	size, seconds, nanos uint32 // of the file's content, and when that was changed
}

// Unchanged reports whether the file at a path has the size and the time of the entry, as git
// itself looks before it compares a content.
func (e *Entry) Unchanged(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	at := info.ModTime()
	return uint32(info.Size()) == e.size && uint32(at.Unix()) == e.seconds && (e.nanos == 0 || uint32(at.Nanosecond()) == e.nanos)
}

// Entries are the files of the index in the folder git, as [Names] has them.
func Entries(git string, limit int64) (entries []Entry, err error) {
	data, err := safefile.Read(filepath.Join(git, "index"), limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing was ever added
	}
	if err != nil {
		return nil, fmt.Errorf("gitindex: %w", err)
	}
	for _, hash := range hashes {
		entries = entries[:0]
		if search(data, hash, func(e Entry) { entries = append(entries, e) }) == nil {
			if slices.ContainsFunc(entries, func(e Entry) bool { return strings.HasSuffix(e.Name, "/") }) {
				return nil, fmt.Errorf("%w: it is sparse", errIndex)
			}
			return entries, nil
		}
	}
	return nil, errIndex
}

// A tree is a work tree, and the folder that has its index.
type tree struct{ top, git string }

// treeOf is the work tree that dir lies in; known has those that were found before.
func treeOf(dir string, known map[string]tree) (tree, error) {
	if t, ok := known[dir]; ok {
		return t, nil
	}
	git, err := gitDir(dir)
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

// gitDir is the folder with the index of the work tree dir; "" if dir is not a work tree.
func gitDir(dir string) (string, error) {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return "", nil
	case info.IsDir():
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
	return link, nil
}

// inIndex adds to found the wanted names that are in the index.
func inIndex(index string, wanted map[string][]string, fold bool, found map[string]bool) error {
	data, err := safefile.Read(index, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever added
	}
	if err != nil {
		return fmt.Errorf("gitindex: %w", err)
	}
	for _, hash := range hashes {
		hits := map[string]bool{}
		if search(data, hash, func(e Entry) { mark(hits, wanted, key(e.Name, fold)) }) == nil {
			maps.Copy(found, hits)
			return nil
		}
	}
	return errIndex
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
func search(data []byte, hash int, visit func(Entry)) error {
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
		visit(r.Entry)
	}
	return r.extensions()
}

// A reader reads the entries of an index one after the other.
type reader struct {
	data    []byte // the rest
	hash    int
	version uint32

	Entry // the last one
}

// next reads an entry. It is false for one that is damaged.
func (r *reader) next() bool {
	head := fixed + r.hash + 2
	if len(r.data) < head || !knownMode(binary.BigEndian.Uint32(r.data[24:])) {
		return false
	}
	if flags := binary.BigEndian.Uint16(r.data[head-2:]); flags&0x4000 != 0 {
		if head += 2; r.version < 3 || len(r.data) < head {
			return false
		}
	}
	r.seconds, r.nanos, r.size = binary.BigEndian.Uint32(r.data[8:]), binary.BigEndian.Uint32(r.data[12:]), binary.BigEndian.Uint32(r.data[36:])
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
