package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/rule"
)

// A Workshop is what it takes to try rules as a folder would judge them: rules
// that are being written, tested or compared, by its own configuration.
type Workshop struct {
	Root   string           // absolute folder that paths start from
	Engine sentinel.Options // the folder's, with a mapper; the answer's deadline is left out
	Build  rule.Options     // the surroundings of its rules
}

// Workshop returns how f judges; nil means the nearest project, or else the
// user's own folder. ok is false where there is neither. Models are asked on the
// session of commands ([CommandSession]).
func (p *Project) Workshop(f *Folder) (w Workshop, ok bool) {
	if f == nil {
		f = p.Nearest()
	}
	if f == nil {
		return w, false
	}
	return p.workshop(f), true
}

func (p *Project) workshop(f *Folder) (w Workshop) {
	w.Engine = *f.engineOptions(&p.opts, CommandSession)
	w.Engine.Mapper = p.mapper(&f.Config)
	w.Build = *f.ruleOptions(&p.opts)
	w.Root = f.Root
	return w
}

// A Document is a file of a folder's rules: a rule, or cases beside one.
type Document struct {
	Path   string // absolute
	Data   []byte
	Err    error // why it cannot be read
	Beside bool  // it holds cases of the rule before it
}

// Documents reads the rule files of the folder whole, as they are now: with the
// cases in them, which the hook has no use for, and those that stand beside them.
func (f *Folder) Documents() ([]Document, error) {
	at := place{dir: f.Dir, root: f.Root, user: f.User}
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

// ReadDocument reads a rule file that a person names, wherever it is, and the
// cases that stand beside it.
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

// casesBeside reads the file of cases that stands beside a rule. A link is none:
// it may lead anywhere.
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
