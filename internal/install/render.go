package install

import "strings"

// Values to be written: an object, an array, or a string that is JSON already.
type (
	object []pair
	array  []object
	pair   struct {
		key   string
		value any // string, object or array
	}
)

// layout is how the place looks that a value is written to.
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

func (o object) render(l layout) string {
	items := make([]string, len(o))
	for i, p := range o {
		items[i] = p.render(l.deeper())
	}
	return l.wrap("{", "}", items)
}

func (a array) render(l layout) string {
	items := make([]string, len(a))
	for i, o := range a {
		items[i] = o.render(l.deeper())
	}
	return l.wrap("[", "]", items)
}

func (p pair) render(l layout) string {
	text := quote(p.key) + ": "
	switch v := p.value.(type) {
	case string:
		return text + v
	case object:
		return text + v.render(l)
	case array:
		return text + v.render(l)
	}
	return text + "null"
}
