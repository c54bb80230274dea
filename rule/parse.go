package rule

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// Parse reads a rule file, YAML or JSON, and reports every fault it has at its
// place. name is the file's path: it is used in messages, for the id of a rule
// that gives none and, when it is absolute, as [File].Abs. Parse never fails as
// a whole. A fault that does not change the meaning of the rest is a warning, and the rule
// holds: an unknown key, an empty list, a pattern among others that cannot be used.
func Parse(name string, data []byte) File {
	return parse(name, data, strictyaml.Tolerant)
}

// ParseStrict reads a rule that is being written, by a person or a model: what [Parse]
// warns of and makes the best of is a fault.
func ParseStrict(name string, data []byte) File { return parse(name, data) }

func parse(name string, data []byte, options ...strictyaml.Option) File {
	f := File{Path: name}
	if filepath.IsAbs(name) {
		f.Abs = filepath.Clean(name)
	}
	doc := strictyaml.Decode(name, data, &f.Definition, options...)
	f.Line = doc.Start()
	c := checker{doc: doc, def: &f.Definition, broken: doc.Broken()}
	c.action()
	c.defaults()
	switch {
	case doc.Empty():
		doc.At().Errorf(0, "the file is empty: write a rule, with at least `scope` and `prompt`, or remove the file")
	case doc.At().Mapping():
		c.check(name)
	}
	if f.Definition.ID == "" {
		if f.Definition.ID = stem(name); strings.HasPrefix(f.Definition.ID, userPrefix) {
			f.Definition.ID = withoutPrefix(f.Definition.ID)
		}
	}
	f.Problems = strictyaml.ProblemsAs[Problem](doc)
	return f
}

// ParseCases reads a file of cases of a rule (*.tests.yaml): a
// list, or a mapping whose key tests holds one.
func ParseCases(name string, data []byte) ([]Case, []Problem) {
	var list []Case
	if doc := strictyaml.Decode(name, data, &list); doc.At().List() || doc.Empty() {
		checkCases(doc, list, stop) // whose rule may be of any phase
		return list, strictyaml.ProblemsAs[Problem](doc)
	}
	var mapping struct {
		Tests []Case `yaml:"tests"`
	}
	doc := strictyaml.Decode(name, data, &mapping)
	checkCases(doc, mapping.Tests, stop, "tests")
	return mapping.Tests, strictyaml.ProblemsAs[Problem](doc)
}

// CheckCases reports what is wrong with the cases in a rule file. [Parse] only warns of
// that, since the rule does not depend on its cases.
func CheckCases(name string, data []byte) []Problem {
	var mapping struct {
		Tests []Case                     `yaml:"tests"`
		Other map[string]json.RawMessage `yaml:",inline"`
	}
	doc := strictyaml.Decode(name, data, &mapping)
	if doc.Broken() || !doc.At("tests").Set() {
		return nil
	}
	checkCases(doc, mapping.Tests, stop, "tests")
	return strictyaml.ProblemsAs[Problem](doc)
}

// action says where a rule whose trigger was not understood counts: for every kind of
// action that its scope fits. Without a scope that would be everything.
func (c *checker) action() {
	if c.def.Trigger == "" && (c.at("trigger").Set() || c.doc.Lost("trigger")) && len(c.def.Scope) == 0 {
		c.at("trigger").Errorf(0, "nothing says what the rule is about: write `trigger: file_write`, and `scope`")
	}
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
