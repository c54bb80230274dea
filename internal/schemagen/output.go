package schemagen

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// OutputVersion is the version of the schemas of what commands print. It grows when a
// field is removed or changes its meaning or type; a new field does not change it.
const OutputVersion = 1

// OutputID is the $id of the schema of what a command prints, by its file.
func OutputID(file string) string {
	return fmt.Sprintf("https://raw.githubusercontent.com/agentsentinel/sentinel/main/docs/reference/json/v%d/%s", OutputVersion, file)
}

// Known are what types print that marshal themselves: another type, or what [Output] has
// made for it.
type Known map[reflect.Type]any

// Output makes the JSON Schema of values that are printed: of one of them, where they are
// several. A field that is not in it is not allowed, and one without omitempty is
// required. A type that marshals itself has to be known.
func Output(id, title string, known Known, values ...any) (*jsonschema.Schema, error) {
	g := &outputs{known: known, defs: map[string]*jsonschema.Schema{}, types: map[string]reflect.Type{}}
	var forms []*jsonschema.Schema
	for _, v := range values {
		s, err := g.of(reflect.TypeOf(v))
		if err != nil {
			return nil, fmt.Errorf("schemagen: %s: %w", title, err)
		}
		forms = append(forms, s)
	}
	top := &jsonschema.Schema{AnyOf: forms}
	if len(forms) == 1 {
		top = &jsonschema.Schema{AllOf: forms} // draft 7 ignores what is next to a $ref
	}
	top.Schema, top.ID, top.Title, top.Definitions = draft, id, title, g.defs
	return top, nil
}

// outputs collects the schemas of the structs by name: a struct may hold itself.
type outputs struct {
	known Known
	defs  map[string]*jsonschema.Schema
	types map[string]reflect.Type // of defs
}

var simple = map[reflect.Kind]string{
	reflect.Bool: "boolean", reflect.String: "string", reflect.Float32: "number", reflect.Float64: "number",
	reflect.Int: "integer", reflect.Int8: "integer", reflect.Int16: "integer", reflect.Int32: "integer", reflect.Int64: "integer",
	reflect.Uint: "integer", reflect.Uint8: "integer", reflect.Uint16: "integer", reflect.Uint32: "integer", reflect.Uint64: "integer",
}

func (g *outputs) of(t reflect.Type) (*jsonschema.Schema, error) {
	switch known := g.known[t].(type) {
	case reflect.Type:
		return g.of(known)
	case *jsonschema.Schema:
		maps.Copy(g.defs, known.Definitions)
		return known.AllOf[0], nil
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}, nil
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return &jsonschema.Schema{}, nil
	case t.Kind() == reflect.Pointer:
		return g.orNull(t.Elem())
	case t.Implements(reflect.TypeFor[json.Marshaler]()) && !g.promoted(t):
		return nil, fmt.Errorf("%s marshals itself and has no schema", t)
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return &jsonschema.Schema{Type: "string"}, nil
	case simple[t.Kind()] != "":
		return &jsonschema.Schema{Type: simple[t.Kind()]}, nil
	}
	switch t.Kind() {
	case reflect.Map:
		values, err := g.of(t.Elem())
		return &jsonschema.Schema{Types: []string{"null", "object"}, AdditionalProperties: values}, err
	case reflect.Slice, reflect.Array:
		items, err := g.of(t.Elem())
		return &jsonschema.Schema{Types: []string{"null", "array"}, Items: items}, err
	case reflect.Struct:
		return g.object(t)
	}
	return nil, fmt.Errorf("%s has no JSON form", t)
}

func (g *outputs) orNull(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := g.of(t)
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "null"}, s}}, err
}

// promoted reports whether the method that marshals a struct is that of a known one that
// it embeds.
func (g *outputs) promoted(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && g.known[f.Type] != nil {
			return true
		}
	}
	return false
}

// object is a reference to the schema of a struct, which is made once.
func (g *outputs) object(t reflect.Type) (*jsonschema.Schema, error) {
	name := strings.TrimSuffix(t.Name(), "JSON")
	if g.types[name] != nil && g.types[name] != t || t.Name() == "" {
		name = strings.NewReplacer("*", "", "/", ".").Replace(t.String()) // two packages have it
	}
	ref := &jsonschema.Schema{Ref: "#/definitions/" + name}
	if g.types[name] != nil {
		return ref, nil
	}
	g.types[name] = t
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	g.defs[name] = s
	return ref, g.fields(s, t, false)
}

// fields adds the fields of a struct, and of those that it embeds, as encoding/json
// names them: one of the struct itself goes before one that is embedded.
func (g *outputs) fields(s *jsonschema.Schema, t reflect.Type, embedded bool) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && g.known[f.Type] != nil:
			inner, err := g.of(f.Type)
			if err != nil {
				return err
			}
			whole := g.defs[path.Base(inner.Ref)]
			for _, property := range slices.Sorted(maps.Keys(whole.Properties)) {
				add(s, property, whole.Properties[property], !slices.Contains(whole.Required, property), true)
			}
			continue
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if err := g.fields(s, inner, true); err != nil {
				return err
			}
			continue
		case !f.IsExported(), name == "-":
			continue
		}
		field, err := g.of(f.Type)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		if said := f.Tag.Get("jsonschema"); said != "" && field.Ref == "" {
			field.Description = said
		}
		add(s, cmp.Or(name, f.Name), field, strings.Contains(options, "omit"), embedded)
	}
	return nil
}

func add(s *jsonschema.Schema, name string, field *jsonschema.Schema, optional, embedded bool) {
	switch there := s.Properties[name] != nil; {
	case there && embedded:
		return
	case there:
		s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
	default:
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	s.Properties[name] = field
	if !optional {
		s.Required = append(s.Required, name)
	}
}

// small is an object or a list in JSON that has none within it.
var small = regexp.MustCompile(`[{\[][^{}\[\]]*[}\]]`)

// Marshal is a schema as its file has it: what is small is on one line.
func Marshal(s *jsonschema.Schema) ([]byte, error) {
	data, err := json.MarshalIndent(s, "", " ")
	data = small.ReplaceAllFunc(data, func(b []byte) []byte { return bytes.Join(bytes.Fields(b), []byte(" ")) })
	return append(data, '\n'), err
}

// Validate holds JSON against a schema. The error says which part does not fit.
func Validate(s *jsonschema.Schema, data []byte) error {
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}
