// Package gitobject reads what the last commit of a repository has, without starting git.
//
// A repository is not trusted: every read is bounded, each object has to have the
// digest that names it, and content that is not understood is an error, never "not
// there".
package gitobject

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Bounds of what is read.
const (
	maxRef    = 4 << 10 // bytes
	maxPacked = 8 << 20 // bytes of packed-refs
	maxRefs   = 5       // names that lead to one another
	maxTrees  = 2000
)

// errFormat is for data that is not understood, or not part of a usual repository.
var errFormat = errors.New("gitobject: the repository is not understood")

// A Head is the last commit of a work tree. It is for one goroutine.
type Head struct {
	objects *objects
	trees   map[string]map[string]Entry // those that were read, by their path from the top
}

// An Entry is a name in a tree.
type Entry struct {
	Mode string // as git writes it: "100644", "120000" of a link, "40000" of a folder
	ID   string // of the object, its bytes
}

// Open reads the last commit of the work tree whose index lies in the folder git. It is
// fs.ErrNotExist where nothing was ever committed. Close has to be called.
func Open(git string) (*Head, error) {
	common := commonOf(git)
	id, err := resolve(git, common)
	if err != nil {
		return nil, err
	}
	h := &Head{objects: newObjects(filepath.Join(common, "objects"), len(id)), trees: map[string]map[string]Entry{}}
	kind, commit, err := h.objects.read(id)
	if err == nil {
		err = h.root(kind, commit)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Last is the name of the last commit of the work tree whose index lies in the folder git, as git
// writes it. It is fs.ErrNotExist where nothing was ever committed.
func Last(git string) (name string, err error) {
	id, err := resolve(git, commonOf(git))
	return hex.EncodeToString([]byte(id)), err
}

// commonOf is the folder that the work trees of a repository share; git is that of one of them.
func commonOf(git string) string {
	data, err := safefile.Read(filepath.Join(git, "commondir"), maxRef)
	if err != nil {
		return git
	}
	common := strings.TrimSpace(string(data))
	if !filepath.IsAbs(common) {
		common = filepath.Join(git, common)
	}
	return common
}

// Close closes the files of the repository.
func (h *Head) Close() { h.objects.close() }

// root reads the tree that a commit names in its first line.
func (h *Head) root(kind string, commit []byte) error {
	line, _, _ := bytes.Cut(commit, []byte("\n"))
	name, ok := bytes.CutPrefix(line, []byte("tree "))
	id, err := hex.DecodeString(string(name))
	if kind != "commit" || !ok || err != nil {
		return errFormat
	}
	h.trees["."], err = h.tree(string(id))
	return err
}

// Lookup is the entry of a path from the top of the work tree, with slashes; ok is false
// for what the commit does not have.
func (h *Head) Lookup(name string) (e Entry, ok bool, err error) {
	entries, err := h.folder(path.Dir(name))
	if err != nil {
		return Entry{}, false, err
	}
	e, ok = entries[path.Base(name)]
	return e, ok, nil
}

// folder are the entries of a folder; none of one that the commit does not have.
func (h *Head) folder(name string) (map[string]Entry, error) {
	if entries, ok := h.trees[name]; ok {
		return entries, nil
	}
	e, ok, err := h.Lookup(name)
	if err != nil {
		return nil, err
	}
	var entries map[string]Entry
	if ok && e.Mode == "40000" {
		if entries, err = h.tree(e.ID); err != nil {
			return nil, err
		}
	}
	h.trees[name] = entries
	return entries, nil
}

func (h *Head) tree(id string) (map[string]Entry, error) {
	if len(h.trees) >= maxTrees {
		return nil, fmt.Errorf("gitobject: more than %d folders", maxTrees)
	}
	kind, data, err := h.objects.read(id)
	if err != nil {
		return nil, err
	}
	entries := map[string]Entry{}
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		if !ok || !named || kind != "tree" || len(rest) < len(id) {
			return nil, errFormat
		}
		entries[name] = Entry{Mode: mode, ID: string(rest[:len(id)])}
		data = rest[len(id):]
	}
	return entries, nil
}

// Has reports whether the repository has the content that an entry names.
func (h *Head) Has(e Entry) bool { return h.objects.has(e.ID) }

// Names reports whether an object's name, its bytes, is that of the content of a file, or of the
// text of a link. A file may have the line ends of Windows where git does not.
func Names(id string, content []byte) bool {
	return digest(len(id), "blob", content) == id || digest(len(id), "blob", bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))) == id
}

// resolve is the commit of HEAD.
func resolve(git, common string) (id string, err error) {
	data, err := safefile.Read(filepath.Join(git, "HEAD"), maxRef)
	if err != nil {
		return "", fmt.Errorf("gitobject: %w", err)
	}
	text := strings.TrimSpace(string(data))
	for range maxRefs {
		name, ok := strings.CutPrefix(text, "ref: ")
		if !ok {
			return decode(text)
		}
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) {
			return "", errFormat
		}
		switch data, err := safefile.Read(filepath.Join(common, filepath.FromSlash(name)), maxRef); {
		case err == nil:
			text = strings.TrimSpace(string(data))
		case errors.Is(err, fs.ErrNotExist):
			return packedRef(common, name)
		default:
			return "", fmt.Errorf("gitobject: %w", err)
		}
	}
	return "", errFormat
}

// packedRef looks for a name among those that have no file of their own.
func packedRef(common, name string) (id string, err error) {
	data, err := safefile.Read(filepath.Join(common, "packed-refs"), maxPacked)
	if err != nil {
		return "", fmt.Errorf("gitobject: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if id, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ref == name {
			return decode(id)
		}
	}
	return "", fmt.Errorf("gitobject: %s: %w", name, fs.ErrNotExist)
}

// decode reads the hexadecimal name of an object.
func decode(text string) (id string, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != sha1Size && len(b) != sha256Size {
		return "", errFormat
	}
	return string(b), nil
}
