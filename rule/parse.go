package rule

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// Parse reads a rule file, YAML or JSON, and reports every fault it has at its
// place. name is the file's path: it is used in messages, for the id of a rule
// that gives none and, when it is absolute, as [File].Abs. Parse never fails as
// a whole.
func Parse(name string, data []byte) File {
	f := File{Path: name}
	if filepath.IsAbs(name) {
		f.Abs = filepath.Clean(name)
	}
	doc := strictyaml.Decode(name, data, &f.Definition)
	f.Line = doc.Start()
	c := checker{doc: doc, def: &f.Definition, broken: doc.Broken()}
	c.defaults()
	switch {
	case doc.Empty():
		doc.At().Errorf(0, "the file is empty: write a rule, with at least `scope` and `prompt`, or remove the file")
	case doc.At().Mapping():
		c.check(name)
	}
	if f.Definition.ID == "" {
		f.Definition.ID = stem(name)
	}
	f.Problems = strictyaml.ProblemsAs[sentinel.Problem](doc)
	return f
}

// ParseCases reads a file of cases of a rule (*.tests.yaml): a
// list, or a mapping whose key tests holds one.
func ParseCases(name string, data []byte) ([]Case, []sentinel.Problem) {
	var list []Case
	if doc := strictyaml.Decode(name, data, &list); doc.At().List() || doc.Empty() {
		checkCases(doc, list)
		return list, strictyaml.ProblemsAs[sentinel.Problem](doc)
	}
	var mapping struct {
		Tests []Case `yaml:"tests"`
	}
	doc := strictyaml.Decode(name, data, &mapping)
	checkCases(doc, mapping.Tests, "tests")
	return mapping.Tests, strictyaml.ProblemsAs[sentinel.Problem](doc)
}

// defaults fills the keys that every rule has, those too that could not be read.
// The id comes last: one that is written and empty is a fault.
func (c *checker) defaults() {
	if c.def.Trigger == "" {
		c.def.Trigger = string(sentinel.Any)
	}
	if c.def.Severity == "" {
		c.def.Severity = sentinel.SeverityBlock.String()
	}
}
