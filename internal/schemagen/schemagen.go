// Package schemagen makes the JSON Schemas and the tables of the manual from the struct
// definitions that the files are read into, so that the three cannot differ. It runs in
// tests and go:generate, never in the program.
package schemagen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// draft is the version of JSON Schema that editors know best.
const draft = "http://json-schema.org/draft-07/schema#"

// Schema makes the JSON Schema of a struct. Names come from the json tags,
// descriptions from the jsonschema tags, bounds from enum, min, max and
// nullable, defaults from the default tags, else from the values of defaults,
// which is the struct. adjust may change the result; it may be nil.
func Schema(defaults any, id, title string, adjust func(*jsonschema.Schema)) ([]byte, error) {
	v := reflect.ValueOf(defaults)
	s, err := jsonschema.ForType(v.Type(), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[map[int]string]():  {Type: "object", PropertyNames: &jsonschema.Schema{Pattern: `^-?[0-9]+$`}, AdditionalProperties: &jsonschema.Schema{Type: "string"}},
	}})
	if err != nil {
		return nil, fmt.Errorf("schemagen: %w", err)
	}
	if err := refine(s, v, true); err != nil {
		return nil, fmt.Errorf("schemagen: %w", err)
	}
	s.Schema, s.ID, s.Title = draft, id, title
	if adjust != nil {
		adjust(s)
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schemagen: %w", err)
	}
	return append(data, '\n'), nil
}

// refine adds to the schema of v's type what jsonschema does not read from its
// tags. set says that v holds defaults.
func refine(s *jsonschema.Schema, v reflect.Value, set bool) error {
	s.Required = nil
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		p := s.Properties[name]
		if p == nil {
			return fmt.Errorf("%s.%s has no schema", v.Type(), f.Name)
		}
		if strings.HasSuffix(f.Tag.Get("yaml"), ",inline") {
			delete(s.Properties, name)
			s.AdditionalProperties = &jsonschema.Schema{}
			continue
		}
		if err := bounds(p, f); err != nil {
			return fmt.Errorf("%s.%s: %w", v.Type(), f.Name, err)
		}
		var err error
		if p.Default, err = defaultOf(v.Field(i), f.Tag, set); err != nil {
			return fmt.Errorf("%s.%s: %w", v.Type(), f.Name, err)
		}
		inner, at := structWithin(f.Type, p)
		switch {
		case inner == f.Type:
			err = refine(at, v.Field(i), set)
		case inner != nil:
			err = refine(at, reflect.Zero(inner), false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// defaultOf returns a field's default as JSON, or nil if it has none that
// could be written: words in parentheses say what replaces it.
func defaultOf(v reflect.Value, tag reflect.StructTag, set bool) (json.RawMessage, error) {
	text, tagged := tag.Lookup("default")
	switch {
	case tagged && strings.HasPrefix(text, "("), !tagged && !set:
		return nil, nil
	case tagged && v.Kind() == reflect.String:
		return json.Marshal(text)
	case tagged:
		return json.RawMessage(text), nil
	case v.Kind() == reflect.Struct, v.IsZero() && v.Kind() != reflect.Bool && !v.CanInt() && !v.CanFloat():
		return nil, nil
	}
	return json.Marshal(v.Interface())
}

// structWithin finds the struct that a field holds, directly or as the element
// of a list or map, and its schema.
func structWithin(t reflect.Type, s *jsonschema.Schema) (reflect.Type, *jsonschema.Schema) {
	switch t.Kind() {
	case reflect.Struct:
		return t, s
	case reflect.Slice:
		if s.Items != nil {
			return structWithin(t.Elem(), s.Items)
		}
	case reflect.Map:
		return structWithin(t.Elem(), s.AdditionalProperties)
	}
	return nil, nil
}

func bounds(p *jsonschema.Schema, f reflect.StructField) error {
	if len(p.Types) == 2 && p.Types[0] == "null" { // a nil slice or map is not written as null
		p.Type, p.Types = p.Types[1], nil
	}
	if e := f.Tag.Get("enum"); e != "" {
		at := p
		if p.AdditionalProperties != nil {
			at = p.AdditionalProperties
		} else if p.Items != nil {
			at = p.Items
		}
		for _, word := range strings.Split(e, ",") {
			at.Enum = append(at.Enum, word)
		}
	}
	for tag, to := range map[string]**float64{"min": &p.Minimum, "max": &p.Maximum} {
		if text := f.Tag.Get(tag); text != "" {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			*to = &v
		}
	}
	if f.Tag.Get("one") != "" {
		list, text := &jsonschema.Schema{Type: p.Type, Items: p.Items}, *p.Items
		p.Type, p.Items, p.AnyOf = "", nil, []*jsonschema.Schema{&text, list}
	}
	if f.Tag.Get("nullable") != "" {
		p.Types, p.Type = []string{"null", p.Type}, ""
	}
	return nil
}

// Table writes a table in Markdown. The first row is its head.
func Table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}

// Replace puts body between the lines `<!-- name: generated -->` and
// `<!-- end name -->` of a document.
func Replace(doc []byte, name, body string) ([]byte, error) {
	begin := []byte("<!-- " + name + ": generated -->\n")
	end := []byte("<!-- end " + name + " -->")
	i, j := bytes.Index(doc, begin), bytes.Index(doc, end)
	if i < 0 || j < i {
		return nil, fmt.Errorf("schemagen: no section %q", name)
	}
	i += len(begin)
	return bytes.Join([][]byte{doc[:i:i], []byte("\n" + body + "\n"), doc[j:]}, nil), nil
}

// Examples returns the blocks of a document that are marked as yaml.
func Examples(doc []byte) []string {
	var blocks []string
	for _, part := range strings.Split("\n"+string(doc), "\n```yaml\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		blocks = append(blocks, block+"\n")
	}
	return blocks
}
