package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// A Document is a file of a folder's rules: a rule, or the cases of one.
type Document struct {
	Path   string // absolute
	Data   []byte
	Err    error // why it cannot be read
	Beside bool  // it holds cases of the rule before it
}

// Documents reads the rule files of the folder whole, as they are now: with the
// cases in them and in files next to them, which the hook does not need.
func (f *Folder) Documents() ([]Document, error) {
	at := f.place()
	dir, err := at.rulesDir(f.Config)
	if err != nil {
		return nil, err
	}
	found, err := listRules(dir, f.Root, f.User)
	var docs []Document
	for _, s := range found.sorted() {
		d := Document{Path: s.path()}
		d.Data, d.Err = s.read()
		docs = append(docs, d)
		if beside, ok := casesBeside(d.Path); ok {
			docs = append(docs, beside)
		}
	}
	return docs, err
}

// ReadDocument reads a rule file that the user names, wherever it is, and the file of
// cases next to it.
func ReadDocument(path string) ([]Document, error) {
	data, err := safefile.Read(path, maxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("project: %s: %w", path, err)
	}
	docs := []Document{{Path: path, Data: data}}
	if beside, ok := casesBeside(path); ok {
		docs = append(docs, beside)
	}
	return docs, nil
}

// casesBeside reads the file of cases next to a rule. A link is not read: it may
// lead anywhere.
func casesBeside(path string) (Document, bool) {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, ext := range []string{".tests.yaml", ".tests.yml", ".tests.json"} {
		info, err := os.Lstat(stem + ext)
		if err != nil {
			continue
		}
		d := Document{Path: stem + ext, Beside: true}
		if !info.Mode().IsRegular() {
			d.Err = errors.New("is not a regular file; put the cases into the file itself")
			return d, true
		}
		d.Data, d.Err = safefile.Read(d.Path, maxFileBytes)
		return d, true
	}
	return Document{}, false
}
