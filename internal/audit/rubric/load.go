package rubric

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Load reads the rubric in a file. See [Parse].
func Load(path string) (*Rubric, []Problem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("rubric: %w", err)
	}
	defer f.Close()
	// One byte more than is read shows Parse that there is too much.
	text, err := io.ReadAll(io.LimitReader(f, strictyaml.MaxSize+1))
	if err != nil {
		return nil, nil, fmt.Errorf("rubric: %w", err)
	}
	return Parse(path, text)
}

// Parse reads a rubric: version 4 in YAML or JSON, or version 3 in JSON. name is
// what messages and reports call it.
//
// The problems are in the order of the text. If one of them is an error there is
// no rubric, and the error is an *[InvalidError]. Warnings say what of the text
// is of no use, or is taken to mean something that is not plain.
func Parse(name string, text []byte) (*Rubric, []Problem, error) {
	read := parseV4
	if h := readHeading(text); h.legacy() {
		read = parseV3
	}
	return parsed(read, name, text)
}

// parsed makes of what read returns a rubric, or an error with all that is wrong.
func parsed(read func(name string, text []byte) (*Rubric, *strictyaml.Document), name string, text []byte) (*Rubric, []Problem, error) {
	r, doc := read(name, text)
	problems := problemsOf(doc)
	if slices.ContainsFunc(problems, func(p Problem) bool { return p.Error }) {
		return nil, problems, &InvalidError{Name: name, Problems: problems}
	}
	texts := [][]byte{text}
	for extends := r.Extends; extends != ""; {
		base, err := embeddedText(extends)
		if err != nil {
			return nil, problems, err
		}
		texts = append(texts, base)
		var x extension
		strictyaml.Decode("", base, &x)
		extends = x.Extends
	}
	r.Source, r.Digest, r.problems = name, digest.Hex(bytes.Join(texts, nil)), problems
	return r, problems, nil
}

// A heading is what tells the versions of the format apart.
type heading struct {
	Metadata struct {
		Version string                     `yaml:"version"`
		Rest    map[string]json.RawMessage `yaml:",inline"`
	} `yaml:"rubric_metadata"`
	Criteria json.RawMessage            `yaml:"criteria"`
	Rules    json.RawMessage            `yaml:"synthesis_rules"`
	Config   json.RawMessage            `yaml:"synthesis_config"`
	Rest     map[string]json.RawMessage `yaml:",inline"`
}

// readHeading reads what it can; what is wrong with the text is reported by those
// who read all of it.
func readHeading(text []byte) (h heading) {
	strictyaml.Decode("", text, &h)
	return h
}

// legacy reports whether it heads a rubric of version 3: by its number, or
// without one by keys that only version 3 has.
func (h *heading) legacy() bool {
	if h.Metadata.Version == "" {
		return h.Criteria != nil || h.Rules != nil || h.Config != nil
	}
	return majorVersion(h.Metadata.Version) == "3"
}

func majorVersion(version string) string {
	major, _, _ := strings.Cut(version, ".")
	return major
}

func problemsOf(doc *strictyaml.Document) []Problem {
	var problems []Problem
	for _, p := range doc.Problems() {
		problems = append(problems, Problem{Line: p.Line, Column: p.Column, Error: !p.Warning, Text: text.Blank(p.Message)})
	}
	return problems
}

// Lint returns the problems that were found when the rubric was read, and those
// that check finds in its probes: what only the package that runs a probe can
// know, such as whether a query compiles. check may be nil.
func (r *Rubric) Lint(check func(*Probe) error) []Problem {
	problems := slices.Clone(r.problems)
	if check != nil {
		for i := range r.Probes {
			p := &r.Probes[i]
			if err := check(p); err != nil {
				at := r.places[p.ID]
				message := strings.TrimPrefix(err.Error(), "syntax: probe "+p.ID+": ")
				problems = append(problems, Problem{at.line, at.column, true, text.Blank(fmt.Sprintf("probe `%s`: %s", p.ID, message))})
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return problems
}
