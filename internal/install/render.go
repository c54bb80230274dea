package install

import (
	"encoding/json"
	"strings"
)

// Values to be written into a settings file. The value of a [Pair] is an Object, an
// Array, a Raw, or any value of Go that encoding/json writes on one line.
type (
	Object []Pair
	Array  []Object
	Raw    string // JSON that is written as it is
	Pair   struct {
		Key   string
		Value any
	}
)

// With returns the object with one more member.
func (o Object) With(key string, value any) Object {
	return append(o[:len(o):len(o)], Pair{key, value})
}

// layout says how a value is laid out where it is written.
type layout struct {
	flat    bool   // all on one line
	indent  string // of the line the value begins on
	unit    string // one level deeper
	newline string
}

func (l layout) deeper() layout {
	l.indent += l.unit
	return l
}

// wrap sets items between brackets, each on its own line unless l is flat.
func (l layout) wrap(open, closing string, items []string) string {
	if l.flat {
		return open + strings.Join(items, ", ") + closing
	}
	sep := l.newline + l.indent + l.unit
	return open + sep + strings.Join(items, ","+sep) + l.newline + l.indent + closing
}

func (o Object) render(l layout) string {
	items := make([]string, len(o))
	for i, p := range o {
		items[i] = p.render(l.deeper())
	}
	return l.wrap("{", "}", items)
}

func (a Array) render(l layout) string {
	items := make([]string, len(a))
	for i, o := range a {
		items[i] = o.render(l.deeper())
	}
	return l.wrap("[", "]", items)
}

func (p Pair) render(l layout) string { return Quote(p.Key) + ": " + render(p.Value, l) }

func render(value any, l layout) string {
	switch v := value.(type) {
	case Raw:
		return string(v)
	case Object:
		return v.render(l)
	case Array:
		return v.render(l)
	}
	return Quote(value)
}

// Quote renders a value on one line. A value that JSON cannot hold is null.
func Quote(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
