package config

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"strings"
)

// A Key is one setting, for documentation and for a command that reads or
// writes it.
type Key struct {
	Name    string // as in "scribe.thresholds.draft_confidence"
	Type    string // text, true or false, whole number, number, list, mapping
	Default string // as it is written in the file; in parentheses where another key is its default
	Enum    []string
	Doc     string // what it does, in one sentence or two
}

// Keys lists every setting in the order of the documentation. Maps whose keys
// are up to the user (tool_map, pricing) count as one.
func Keys() []Key {
	return keysOf(reflect.ValueOf(Default()), "")
}

func keysOf(v reflect.Value, prefix string) []Key {
	var keys []Key
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, opts, _ := strings.Cut(tag.Get("yaml"), ",")
		f := v.Field(i)
		switch {
		case opts == "inline":
		case f.Kind() == reflect.Struct:
			keys = append(keys, keysOf(f, prefix+name+".")...)
		default:
			k := Key{Name: prefix + name, Type: typeName(f.Type()), Default: defaultText(f, tag), Doc: strings.ReplaceAll(tag.Get("jsonschema"), "{backends}", strings.Join(ownNames(), ", "))}
			if e := tag.Get("enum"); e != "" {
				k.Enum = strings.Split(e, ",")
			}
			keys = append(keys, k)
		}
	}
	return keys
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list"
	case reflect.Map:
		return "mapping"
	default:
		return "whole number"
	}
}

func defaultText(v reflect.Value, tag reflect.StructTag) string {
	if d, ok := tag.Lookup("default"); ok {
		return d
	}
	switch {
	case v.Kind() == reflect.String && v.String() == "" && tag.Get("nullable") != "":
		return "null"
	case v.Kind() == reflect.String && v.String() == "":
		return `""`
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Slice && v.Len() == 0:
		return "[]"
	case v.Kind() == reflect.Map && v.Len() == 0:
		return "{}"
	case v.Kind() == reflect.Slice:
		return "[" + strings.Join(v.Interface().([]string), ", ") + "]"
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(text)
}

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of the configuration file, for editors. The
// caller may keep and change the slice.
func Schema() []byte { return append([]byte(nil), schema...) }
