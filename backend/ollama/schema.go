package ollama

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// A JSON Schema keeps its order here: models write properties in the order of
// the schema, so the verdict has to stand before its reason.
type (
	member struct {
		name  string
		value json.RawMessage
	}
	object []member
)

// hasBranches reports whether schema is an anyOf of objects.
func hasBranches(schema json.RawMessage) bool {
	top, err := parseObject(schema)
	return err == nil && branches(top) != nil
}

// mergeBranches turns a schema that is an anyOf of objects into the schema of
// one object that has the properties of all of them, each required, so that
// what one branch asks for is not lost. What the branches say differently about
// a property is reduced to what they agree on: its type. Any other schema is
// returned as it is.
func mergeBranches(schema json.RawMessage) json.RawMessage {
	top, err := parseObject(schema)
	if err != nil {
		return schema
	}
	all := branches(top)
	if all == nil {
		return schema
	}
	var properties object
	var required []string
	closed := true
	for _, branch := range all {
		props, err := parseObject(branch.get("properties"))
		if err != nil {
			return schema
		}
		for _, p := range props {
			properties = properties.merge(p)
		}
		var names []string
		if json.Unmarshal(branch.get("required"), &names) == nil {
			required = union(required, names)
		}
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

// branches returns the members of top's anyOf if all of them are objects.
func branches(top object) []object {
	var raw []json.RawMessage
	if json.Unmarshal(top.get("anyOf"), &raw) != nil {
		return nil
	}
	var all []object
	for _, r := range raw {
		b, err := parseObject(r)
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

// union appends those names that list does not have yet.
func union(list, names []string) []string {
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

// parseObject reads the members of a JSON object in their order.
func parseObject(raw json.RawMessage) (object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotJSON
	}
	o := object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // the decoder lets nothing else stand there
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
