// Package jsonschema adapts a JSON Schema to services that accept less. The schema of a
// judgement is an anyOf of two objects, its branches, so that a clean answer may leave
// its reason out; some services accept no anyOf at the top.
//
// The order of a schema is kept: models write properties in that order, and the
// verdict has to come before its reason.
package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// Required says which properties the merged object requires.
type Required uint8

const (
	// All requires what any branch requires. Services that want every property
	// required take no other schema; a clean answer then has a reason too.
	All Required = iota
	// Common requires what every branch requires, so that a clean answer stays
	// short. An answer may then lack what its own branch asks for.
	Common
)

// Merge turns a schema that is an anyOf of objects into that of one object with
// the properties of all of them. Where the branches differ about a property, only its type,
// on which they agree, is kept. Any other schema is returned as it is.
func Merge(schema json.RawMessage, which Required) json.RawMessage {
	top, err := parse(schema)
	if err != nil {
		return schema
	}
	all := of(top)
	if all == nil {
		return schema
	}
	var properties object
	var required []string
	closed := true
	for i, branch := range all {
		props, err := parse(branch.get("properties"))
		if err != nil {
			return schema
		}
		for _, p := range props {
			properties = properties.merge(p)
		}
		var names []string
		_ = json.Unmarshal(branch.get("required"), &names) // nothing is required then
		required = combine(required, names, which, i == 0)
		closed = closed && string(branch.get("additionalProperties")) == "false"
	}
	merged := object{{"type", json.RawMessage(`"object"`)}, {"properties", properties.marshal()}}
	if len(required) > 0 {
		list, _ := json.Marshal(required) // strings can always be marshalled
		merged = append(merged, member{"required", list})
	}
	if closed {
		merged = append(merged, member{"additionalProperties", json.RawMessage("false")})
	}
	for _, m := range top {
		if m.name != "anyOf" && merged.get(m.name) == nil {
			merged = append(merged, m)
		}
	}
	return merged.marshal()
}

// IsAnyOf reports whether schema is an anyOf of objects.
func IsAnyOf(schema json.RawMessage) bool {
	top, err := parse(schema)
	return err == nil && of(top) != nil
}

// Unbounded leaves out the bounds of numbers and texts, which strict services
// refuse. The reader of the answer checks them anyway.
func Unbounded(schema json.RawMessage) json.RawMessage {
	return rewrite(schema, isSchema)
}

// A place is the kind of value at a place of a schema.
type place uint8

const (
	isSchema  place = iota // a schema
	isSchemas              // a map or list of schemas
	isValue                // anything else; not looked into
)

// below has the kind of value that a keyword of a schema holds; isValue for others.
func below(keyword string) place {
	switch keyword {
	case "properties", "$defs", "definitions", "anyOf", "allOf", "oneOf":
		return isSchemas
	case "items", "additionalProperties", "not":
		return isSchema
	}
	return isValue
}

func rewrite(raw json.RawMessage, at place) json.RawMessage {
	if at == isValue {
		return raw
	}
	var list []json.RawMessage
	if at == isSchemas && json.Unmarshal(raw, &list) == nil && list != nil {
		for i := range list {
			list[i] = rewrite(list[i], isSchema)
		}
		out, err := json.Marshal(list)
		if err != nil {
			return raw
		}
		return out
	}
	members, err := parse(raw)
	if err != nil {
		return raw
	}
	kept := object{}
	for _, m := range members {
		switch {
		case at == isSchemas:
			m.value = rewrite(m.value, isSchema)
		case slices.Contains(bounds, m.name):
			continue
		default:
			m.value = rewrite(m.value, below(m.name))
		}
		kept = append(kept, m)
	}
	return kept.marshal()
}

// bounds are the keywords that [Unbounded] leaves out.
var bounds = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

type (
	member struct {
		name  string
		value json.RawMessage
	}
	object []member
)

// of returns the members of top's anyOf if all of them are objects.
func of(top object) []object {
	var raw []json.RawMessage
	if json.Unmarshal(top.get("anyOf"), &raw) != nil {
		return nil
	}
	var all []object
	for _, r := range raw {
		b, err := parse(r)
		if err != nil || string(b.get("type")) != `"object"` {
			return nil
		}
		all = append(all, b)
	}
	return all
}

// merge adds a property, or reduces the one of its name to what both say.
func (o object) merge(p member) object {
	i := slices.IndexFunc(o, func(m member) bool { return m.name == p.name })
	switch {
	case i < 0:
		return append(o, p)
	case bytes.Equal(o[i].value, p.value):
		return o
	}
	common := object{}
	if t := typeOf(o[i].value); t != "" && t == typeOf(p.value) {
		common = object{{"type", json.RawMessage(strconv.Quote(t))}}
	}
	o[i].value = common.marshal()
	return o
}

// typeOf returns the type that a schema allows, which a constant has too; "" if
// it is not one.
func typeOf(schema json.RawMessage) string {
	var s struct {
		Type  string
		Const json.RawMessage
		Enum  []json.RawMessage
	}
	if json.Unmarshal(schema, &s) != nil || s.Type != "" {
		return s.Type
	}
	if s.Const != nil {
		return typeOfValue(s.Const)
	}
	var t string
	for i, value := range s.Enum {
		if vt := typeOfValue(value); i == 0 {
			t = vt
		} else if vt != t {
			return ""
		}
	}
	return t
}

func typeOfValue(value json.RawMessage) string {
	switch value[0] { // a RawMessage that was decoded is never empty
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case '{':
		return "object"
	case '[':
		return "array"
	case 'n':
		return "null"
	}
	return "number"
}

// combine adds the names of one more branch.
func combine(list, names []string, which Required, first bool) []string {
	if which == Common && !first {
		return slices.DeleteFunc(list, func(n string) bool { return !slices.Contains(names, n) })
	}
	for _, n := range names {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

var errNoObject = errors.New("jsonschema: not a JSON object")

// parse reads the members of a JSON object in their order.
func parse(raw json.RawMessage) (object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNoObject
	}
	o := object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // the decoder accepts no other key
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	_, err := d.Token()
	return o, err
}

func (o object) marshal() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // a string can always be marshalled
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
