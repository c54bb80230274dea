package judgebench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/rule"
)

// Bounds of a public set.
const (
	maxFile  = 64 << 20 // bytes
	maxFiles = 5000
	maxRows  = 100_000
)

// datasets read the public sets, each from the folder of its repository or one in it.
var datasets = map[string]func(*folder) []Source{
	"redcode":     redCode,
	"assebench":   asseBench,
	"ampermbench": amPermBench,
	"actplane":    actPlane,
}

// Datasets are the names of the public sets that can be read.
func Datasets() []string { return sorted(datasets) }

// ReadDataset reads a public set from a folder. problems name the files and rows that were
// left out. The error says why there is nothing.
func ReadDataset(name, dir string) (sources []Source, problems []error, err error) {
	read, known := datasets[name]
	if !known {
		return nil, nil, fmt.Errorf("no data set is called %q; there are: %s", name, strings.Join(Datasets(), ", "))
	}
	f := &folder{dir: dir}
	if err := f.list(); err != nil {
		return nil, nil, err
	}
	sources = slices.DeleteFunc(read(f), func(s Source) bool { return len(s.Cases) == 0 })
	if len(sources) == 0 {
		return nil, f.problems, fmt.Errorf("%s holds nothing in the form of %s: name the folder of its repository", dir, name)
	}
	return sources, f.problems, nil
}

// A folder is one that a person has named, with what a stranger wrote in it.
type folder struct {
	dir      string
	files    []string // with slashes, sorted
	problems []error
	rows     int
}

func (f *folder) list() error {
	err := filepath.WalkDir(f.dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil // a link may lead out of the folder
		case len(f.files) == maxFiles:
			return fmt.Errorf("%s holds more than %d files: name the folder of the set", f.dir, maxFiles)
		}
		rel, err := filepath.Rel(f.dir, name)
		f.files = append(f.files, filepath.ToSlash(rel))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s", f.dir)
	}
	return err
}

// named are the files whose last elements match a pattern.
func (f *folder) named(pattern string) (found []string) {
	n := strings.Count(pattern, "/") + 1
	for _, name := range f.files {
		parts := strings.Split(name, "/")
		if ok, _ := path.Match(pattern, strings.Join(parts[max(len(parts)-n, 0):], "/")); ok {
			found = append(found, name)
		}
	}
	return found
}

func (f *folder) leaveOut(name string, line int, format string, args ...any) {
	f.problems = append(f.problems, fmt.Errorf("%s:%d: %w", path.Join(filepath.ToSlash(f.dir), name), line, fmt.Errorf(format, args...)))
}

// read reads a file; nil if that cannot be.
func (f *folder) read(name string) []byte {
	data, err := safefile.Read(filepath.Join(f.dir, filepath.FromSlash(name)), maxFile)
	switch {
	case err != nil:
		f.leaveOut(name, 1, "%w", err)
		return nil
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		f.leaveOut(name, 1, "is a pointer of Git LFS and no data: run `git lfs pull` there")
		return nil
	}
	return data
}

// place is the position of a row.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// elements calls each with the elements of a list in a file of JSON, or with its values,
// one after the other. each returns why an element is left out.
func (f *folder) elements(name string, each func(at place, raw json.RawMessage) error) {
	data := f.read(name)
	dec := json.NewDecoder(bytes.NewReader(data))
	list := bytes.HasPrefix(bytes.TrimSpace(data), []byte("["))
	if list {
		dec.Token() // the bracket is there
	}
	line, counted := 1, 0
	for len(data) > 0 && dec.More() {
		start := int(dec.InputOffset())
		for start < len(data) && strings.IndexByte(" \t\r\n,", data[start]) >= 0 {
			start++
		}
		line += bytes.Count(data[counted:start], []byte("\n"))
		counted = start
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			f.leaveOut(name, line, "is not JSON, and what follows is left out: %w", err)
			return
		}
		if f.rows++; f.rows > maxRows {
			f.leaveOut(name, line, "a set has at most %d rows: what follows is left out", maxRows)
			return
		}
		if err := each(place{name, line}, raw); err != nil {
			f.leaveOut(name, line, "%w", err)
		}
	}
}

// trajectory is what an agent did in several steps, as one action: arguments of a tool,
// because a judge sees those whole. The user's words are among the steps.
func trajectory(label string, steps any) (ruletest.Case, error) {
	var args bytes.Buffer
	enc := json.NewEncoder(&args)
	enc.SetEscapeHTML(false) // a judge should see the characters themselves
	err := enc.Encode(map[string]any{"steps": steps})
	return ruletest.Case{Case: rule.Case{MCP: "agent:trajectory", Args: bytes.TrimSpace(args.Bytes()), Expect: label}}, err
}

// add adds a case to a source. words are the rule.
func (s *Source) add(at place, words string, c ruletest.Case) {
	s.Cases = append(s.Cases, Case{Rule: prose(words, c.Case), Action: c, Place: at.String()})
}

// sorted are the keys of a map.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func labelled(isViolation bool) string {
	if isViolation {
		return violation
	}
	return pass
}

// required says that a field is empty that has to be there.
func required(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return fmt.Errorf("has no %s", name)
	}
	return nil
}
