package scribe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// Provenance is the origin of a draft: its key _draft.
type Provenance struct {
	Statement  string    `yaml:"statement" json:"statement"`
	Source     Source    `yaml:"source" json:"source"`
	Evidence   string    `yaml:"evidence" json:"evidence"`
	Session    string    `yaml:"session,omitempty" json:"session,omitempty"`
	Document   string    `yaml:"document,omitempty" json:"document,omitempty"`
	Confidence float64   `yaml:"confidence" json:"confidence"`
	Model      string    `yaml:"model" json:"model"`
	FirstSeen  time.Time `yaml:"first_seen" json:"first_seen"`
	Seen       int       `yaml:"times_observed" json:"times_observed"`
}

// A Draft is a proposed rule. It has no effect before it is promoted.
type Draft struct {
	ID         string // its name, for promote and dismiss
	Path       string // absolute
	Text       []byte // the whole file, without keys that no draft has where it was unusable with them
	File       rule.File
	Provenance Provenance

	mended []byte // the file, where Text is another one
}

// Broken reports whether the draft cannot become a rule as it is.
func (d *Draft) Broken() bool { return d.File.Broken() }

const (
	draftSuffix = ".draft.yaml"
	// maxDraft bounds the file of a draft, maxDrafts how many of them are read.
	maxDraft  = 256 << 10
	maxDrafts = 1000
	// maxID is the longest id of a draft.
	maxID = 80
)

// validID reports whether a text can be the id of a draft: it is part of a path.
func validID(id string) bool {
	if id == "" || len(id) > maxID || id[0] == '-' {
		return false
	}
	for _, c := range []byte(id) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return filepath.IsLocal(id) // "con" is a device on Windows
}

// parseDraft reads a draft's file. It never fails as a whole: its File has the
// problems.
func parseDraft(id, path string, text []byte) Draft {
	d := Draft{ID: id, Path: path, Text: text, File: rule.ParseStrict(id+draftSuffix, text)}
	if d.Broken() { // the Python Sentinel writes keys and lists that have no meaning
		whole := []byte(mended(string(text)))
		if file := rule.ParseStrict(id+draftSuffix, whole); !file.Broken() {
			d.Text, d.File, d.mended = whole, file, text
		}
	}
	if raw := d.File.Definition.Draft; len(raw) > 0 {
		var p Provenance
		if err := json.Unmarshal(raw, &p); err != nil {
			d.File.Problems = append(d.File.Problems, rule.Problem{
				File: id + draftSuffix, Warning: true, Message: "`_draft` does not say where the draft comes from: " + err.Error()})
		} else {
			d.Provenance = p
		}
	}
	if d.File.Definition.ID+".yaml" == id+draftSuffix { // it says none: its file's name counts, as a rule's does
		d.File.Definition.ID = id
	}
	if d.File.Definition.ID != id {
		d.File.Problems = append(d.File.Problems, rule.Problem{
			File: id + draftSuffix, Line: d.File.Line, Message: fmt.Sprintf("the draft says `id: %s`, which is not its file's name: write `id: %s`", sentence(d.File.Definition.ID, maxHint), id)})
	}
	return d
}

// readDrafts reads the drafts in a folder, in the order of their names. A file
// that cannot be read is a broken draft; a missing folder has none.
func readDrafts(dir string) ([]Draft, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("scribe: the drafts cannot be listed: %w", err)
	}
	var drafts []Draft
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), draftSuffix)
		if !ok || !validID(id) || len(drafts) == maxDrafts {
			continue
		}
		drafts = append(drafts, readDraft(dir, id))
	}
	return drafts, nil
}

func readDraft(dir, id string) Draft {
	path := filepath.Join(dir, id+draftSuffix)
	text, err := readRegular(path, maxDraft)
	if err != nil {
		d := Draft{ID: id, Path: path}
		d.File = rule.File{Path: id + draftSuffix, Problems: []rule.Problem{{File: id + draftSuffix, Message: reason(err)}}}
		return d
	}
	return parseDraft(id, path, text)
}

// reason is the error of a file without its path.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// A draftFile is the written form of a draft, with the keys of a rule that it may have.
type draftFile struct {
	ID       string      `yaml:"id"`
	Trigger  string      `yaml:"trigger"`
	Severity string      `yaml:"severity"`
	Post     bool        `yaml:"post,omitempty"`
	Scope    []string    `yaml:"scope"`
	Exclude  []string    `yaml:"exclude,omitempty"`
	Backend  string      `yaml:"backend,omitempty"`
	When     string      `yaml:"when,omitempty"`
	Prompt   string      `yaml:"prompt,omitempty"`
	Message  string      `yaml:"message,omitempty"`
	Tests    []draftCase `yaml:"tests"`
	Draft    *Provenance `yaml:"_draft,omitempty"`
}

type draftCase struct {
	Bash    string    `yaml:"bash,omitempty"`
	Write   string    `yaml:"write,omitempty"`
	MCP     string    `yaml:"mcp,omitempty"`
	Content string    `yaml:"content,omitempty"`
	Old     string    `yaml:"old,omitempty"`
	Args    yaml.Node `yaml:"args,omitempty"`
	Expect  string    `yaml:"expect"`
}

// render writes a draft. Every text is cleaned, because the user reads the file to
// decide.
func (f *draftFile) render() ([]byte, error) {
	c := *f
	for _, s := range []*string{&c.When, &c.Prompt, &c.Message} {
		*s = strings.TrimSpace(text.Clean(*s))
	}
	c.Scope, c.Exclude = cleaned(c.Scope), cleaned(c.Exclude)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&c), enc.Close()); err != nil {
		return nil, fmt.Errorf("scribe: draft %s: %w", f.ID, err)
	}
	return out.Bytes(), nil
}

func cleaned(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = text.Clean(out[i])
	}
	return out
}

func draftCases(cases []rule.Case) []draftCase {
	out := make([]draftCase, len(cases))
	for i, k := range cases {
		out[i] = draftCase{Bash: k.Bash, Write: k.Write, MCP: k.MCP, Content: k.Content, Old: k.Old, Expect: k.Expect}
		if len(k.Args) > 0 {
			var doc yaml.Node
			if yaml.Unmarshal(k.Args, &doc) == nil && len(doc.Content) == 1 { // JSON is YAML
				out[i].Args = *doc.Content[0]
			}
		}
	}
	return out
}
