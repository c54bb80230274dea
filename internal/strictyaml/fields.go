package strictyaml

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// A field is a struct field that a key is decoded into.
type field struct {
	name     string
	index    int
	enum     []string
	sought   []string // other words that a user may look for it by
	min, max *float64
	one      bool // a text in place of a list of texts means a list of it
	short    bool // true or false in place of the whole struct means this field
}

// A layout is what [fieldsOf] finds.
type layout struct {
	fields []field
	inline int
}

// layouts has the layout of each type that was decoded: a list of a thousand mappings reads the tags once.
var layouts sync.Map

// fieldsOf lists the fields of a struct that have a yaml name, and the index
// of the one that takes unknown keys, or -1. The list must not be changed.
func fieldsOf(t reflect.Type) (fields []field, inline int) {
	l, known := layouts.Load(t)
	if !known {
		fields, inline = readFields(t)
		l, _ = layouts.LoadOrStore(t, layout{fields, inline})
	}
	return l.(layout).fields, l.(layout).inline
}

// readFields reads them from the tags.
func readFields(t reflect.Type) (fields []field, inline int) {
	inline = -1
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		name, opts, _ := strings.Cut(tag.Get("yaml"), ",")
		if opts == "inline" {
			inline = i
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		f := field{name: name, index: i, min: bound(tag.Get("min")), max: bound(tag.Get("max")), short: tag.Get("short") != "", one: tag.Get("one") != ""}
		f.sought = strings.Split(tag.Get("sought"), ",")
		if e := tag.Get("enum"); e != "" {
			f.enum = strings.Split(e, ",")
		}
		fields = append(fields, f)
	}
	return fields, inline
}

func bound(s string) *float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &v
}
