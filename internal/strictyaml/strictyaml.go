// Package strictyaml decodes one YAML or JSON document into Go structs and
// reports every fault it finds at once, each at its line and column and with
// what to write instead.
//
// Struct fields are found by their yaml tag. Further tags bound what a field
// takes, and the JSON Schemas are made from the same tags:
//
//	enum:"block,warn"    the texts it may be
//	sought:"enabled"     other words that a user may look for it by
//	min:"0" max:"1"      the least and the largest number it may be
//	one:"true"           on a []string: one text means a list of it
//	short:"true"         on a *bool: true or false in place of its struct means it
//	yaml:",inline"       on a map[string]json.RawMessage: takes unknown keys
//	vital:"true"         with [Tolerant]: a fault in the key is an error
//
// A fault in one key leaves all others readable, and leaves its own field as
// it was. A value of the wrong type whose meaning is plain all the same (one
// text where a list is wanted, a quoted number) is reported and used.
package strictyaml

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds of what is read. A document beyond them is reported, not read further.
const (
	MaxSize       = 1 << 20 // bytes of a document
	maxDepth      = 64      // levels of mappings and lists
	maxNodes      = 100_000 // values visited, an alias counting as often as it is used
	bytesPerValue = 64      // of a text that is copied, for which it counts as one value more
	maxProblems   = 200     // reported for one document
)

// A Document is a decoded document: what was wrong with it, and where each of
// its values is. It is not safe for concurrent use.
type Document struct {
	file     string
	tolerant bool
	vital    func(key string) bool // with tolerant: whether a fault in this top key is an error
	top      string                // the top key that is being read
	lost     map[string]bool       // the top keys whose part of the text is not YAML
	doubts   bool                  // the text says something that was not read as it is written
	text     string
	lines    []int // byte at which each line begins; built when first needed
	root     *yaml.Node
	syntax   bool // the text is not YAML: root holds the parts that are, if any
	budget   int
	capped   bool
	stack    []*yaml.Node
	faulty   map[*yaml.Node]bool
	problems []Problem
}

// An Option changes how [Decode] reads.
type Option func(*Document, reflect.Type)

// Tolerant reads a document that has to count as far as it can be understood. A fault that
// leaves no doubt about the rest is a warning: an unknown key, a key that is there
// twice (the last one counts), a value of another type whose meaning is plain, a word that
// an enum does not have. A key or a word one slip away from a known one is taken for it. In
// a struct with vital keys, so is every fault in another key.
func Tolerant(d *Document, t reflect.Type) {
	d.tolerant = true
	vital := map[string]bool{}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if tag := t.Field(i).Tag; tag.Get("vital") != "" {
				name, _, _ := strings.Cut(tag.Get("yaml"), ",")
				vital[name] = true
			}
		}
	}
	d.vital = func(key string) bool { return len(vital) == 0 || key == "" || vital[key] }
}

// Decode reads data, which came from file, into the struct or slice that into
// points to. file is used in messages only.
func Decode(file string, data []byte, into any, options ...Option) *Document {
	d := &Document{file: file, budget: maxNodes, faulty: map[*yaml.Node]bool{}, lost: map[string]bool{}}
	for _, option := range options {
		option(d, reflect.TypeOf(into).Elem())
	}
	if len(data) > MaxSize {
		d.syntax = true
		d.add(1, 0, false, fmt.Sprintf("the file is larger than %d KB; nothing of it is read", MaxSize>>10))
		return d
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d.text = string(data)
	if i := invalidUTF8(d.text); i >= 0 {
		d.syntax = true
		line, _ := d.position(i)
		d.add(line, 0, false, "the file is not UTF-8 text; save it in that encoding")
		return d
	}
	d.parse()
	if d.root != nil {
		d.value(d.root, reflect.ValueOf(into).Elem(), field{}, "")
	}
	return d
}

// Empty reports whether the document holds nothing but comments.
func (d *Document) Empty() bool { return d.root == nil && len(d.problems) == 0 }

// Broken reports whether the text is not YAML at all, so that only those of its
// top-level keys were read that are YAML by themselves, or none.
func (d *Document) Broken() bool { return d.syntax }

// Lost reports whether a key is at the top of the text, and could not be read because its
// part is not YAML.
func (d *Document) Lost(key string) bool { return d.lost[key] }

// Doubtful reports whether something in the text was not read as it is written: there was a
// fault, or with [Tolerant] what would be one without.
func (d *Document) Doubtful() bool { return d.doubts || d.syntax }

// A Problem is a fault in a document.
type Problem struct {
	File    string
	Line    int    // from 1
	Column  int    // in characters, from 1; 0 when the line says enough
	Message string // what is wrong and what to write instead
	Warning bool   // the document still means what it says
}

// Problems returns all that was found and reported, in the order of the text.
func (d *Document) Problems() []Problem {
	slices.SortStableFunc(d.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return d.problems
}

// ProblemsAs returns the document's problems in a caller's own type of the same
// form.
func ProblemsAs[P ~struct {
	File         string
	Line, Column int
	Message      string
	Warning      bool
}](d *Document) []P {
	var all []P
	for _, p := range d.Problems() {
		all = append(all, P(p))
	}
	return all
}

// Start returns the line on which the document's first key is, or 1.
func (d *Document) Start() int {
	if d.root == nil {
		return 1
	}
	return max(d.root.Line, 1)
}

// A Place is where a value is in a document. The zero Place, and the place
// of a key that is absent, mean the document as a whole.
type Place struct {
	doc  *Document
	node *yaml.Node
}

// At finds the value below a path of keys; the elements of a list are "0", "1"
// and so on.
func (d *Document) At(path ...string) Place {
	n := d.root
	for _, name := range path {
		if n = child(resolve(n), name); n == nil {
			break
		}
	}
	return Place{d, n}
}

// Set reports whether the key is present with a value other than null.
func (p Place) Set() bool { return p.node != nil && !isNull(resolve(p.node)) }

// Null reports whether the key is present with no value.
func (p Place) Null() bool { return p.node != nil && isNull(resolve(p.node)) }

// List reports whether the value is a list.
func (p Place) List() bool {
	return p.node != nil && resolve(p.node).Kind == yaml.SequenceNode
}

// Mapping reports whether the value is a mapping.
func (p Place) Mapping() bool {
	return p.node != nil && resolve(p.node).Kind == yaml.MappingNode
}

// Position returns the line and column of the value, from 1; the
// column is 0 where the place is the document as a whole.
func (p Place) Position() (line, column int) {
	if p.node == nil {
		return p.doc.Start(), 0
	}
	return p.doc.locate(resolve(p.node), 0)
}

// Faulty reports whether a problem was found at the value or within it.
func (p Place) Faulty() bool { return p.node != nil && p.doc.faulty[p.node] }

// Errorf reports a fault at the byte offset within the value's text; offset 0
// is its beginning.
func (p Place) Errorf(offset int, format string, args ...any) { p.report(offset, false, format, args) }

// Warnf reports what is doubtful, in the same way.
func (p Place) Warnf(offset int, format string, args ...any) { p.report(offset, true, format, args) }

// Doubtf reports what can be used all the same: with [Tolerant] as a doubt, else as a
// fault.
func (p Place) Doubtf(offset int, format string, args ...any) {
	p.doc.doubts = true
	p.report(offset, p.doc.tolerant, format, args)
}

func (p Place) report(offset int, warning bool, format string, args []any) {
	line, col := p.doc.Start(), 0
	if p.node != nil {
		line, col = p.doc.locate(resolve(p.node), offset)
		if !warning {
			p.doc.faulty[p.node] = true
		}
	}
	p.doc.add(line, col, warning, fmt.Sprintf(format, args...))
}

// fault reports a problem at a node and marks it, and all that hold it, faulty.
func (d *Document) fault(n *yaml.Node, format string, args ...any) {
	d.doubts = true
	d.faulty[n] = true
	for _, outer := range d.stack {
		d.faulty[outer] = true
	}
	if d.capped {
		return
	}
	d.add(n.Line, n.Column, d.tolerant && !d.vital(d.top), fmt.Sprintf(format, args...))
}

// doubt reports what can be used all the same: a fault where the document is to be
// right to the letter, else a warning.
func (d *Document) doubt(n *yaml.Node, format string, args ...any) {
	if !d.tolerant {
		d.fault(n, format, args...)
		return
	}
	d.doubts = true
	if !d.capped {
		d.add(n.Line, n.Column, true, fmt.Sprintf(format, args...))
	}
}

func (d *Document) add(line, col int, warning bool, message string) {
	if len(d.problems) >= maxProblems {
		if !d.capped {
			d.capped = true
			d.problems = append(d.problems, Problem{File: d.file, Line: line, Message: "there is more wrong than is listed here"})
		}
		return
	}
	d.problems = append(d.problems, Problem{File: d.file, Line: line, Column: col, Message: message, Warning: warning})
}

// resolve follows an alias to its node.
func resolve(n *yaml.Node) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.AliasNode && i < maxDepth; i++ {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// child returns the value of a key, or the element of a list.
func child(n *yaml.Node, name string) *yaml.Node {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
	case yaml.ScalarNode: // one text where a list was wanted
		if name == "0" {
			return n
		}
	}
	return nil
}

func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// List joins words as people do: "a, b or c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
