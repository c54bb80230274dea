package code

import (
	"slices"
	"strings"
)

// maxText bounds one text that is put together, in bytes.
const maxText = 64 << 10

// maxAny bounds the paths and patterns that one value may be.
const maxAny = 64

// oneOf is a value that is one of some paths or patterns.
func oneOf(texts []string) Value {
	if len(texts) == 0 {
		return Value{}
	}
	var different []string
	for _, t := range texts {
		if len(different) < maxAny && !slices.Contains(different, t) {
			different = append(different, t)
		}
	}
	return Value{Text: different[0], Any: different}
}

// several is a collection of paths or patterns that depends on the files there are.
func several(texts ...string) Value { return Value{IsList: true, List: texts} }

// usable reports whether it is known what paths a value may be.
func (v Value) usable() bool { return v.Known || len(v.Any) > 0 }

// texts are all that a value may be.
func (v Value) texts() []string {
	if len(v.Any) > 0 {
		return v.Any
	}
	return []string{v.Text}
}

// concat joins two values with a text between them.
func concat(a Value, between string, b Value) Value {
	a, b = a.orNumber(), b.orNumber()
	if len(a.Text)+len(b.Text) > maxText {
		return Value{}
	}
	v := Value{Text: a.Text + between + b.Text, Known: a.Known && b.Known, List: append(slices.Clip(a.List), b.List...), IsList: a.IsList, path: a.path}
	v.List = v.List[:min(len(v.List), maxList)]
	if len(a.Any) == 0 && len(b.Any) == 0 || !a.usable() || !b.usable() {
		return v
	}
	for _, x := range a.texts() {
		for _, y := range b.texts() {
			if len(v.Any) < maxAny && len(x)+len(y) < maxHole {
				v.Any = append(v.Any, x+between+y)
			}
		}
	}
	return v
}

// element is what a loop over a collection gives to its variable at a place: rows of
// some width have the variables' values side by side.
func (v Value) element(place, variables int) Value {
	switch {
	case !v.IsList && len(v.Any) > 0 && variables == 1:
		return v // the names of files in a row of os.walk
	case !v.IsList || len(v.List) == 0:
		return Value{}
	case v.Width > 1 && variables > 1:
		var column []string
		for i := place; i < len(v.List) && place < v.Width; i += v.Width {
			column = append(column, v.List[i])
		}
		return oneOf(column).as(v)
	case v.Width > 1 || place > 0:
		return Value{}
	}
	return oneOf(v.List).as(v)
}

// loops binds the variables of the loop that starts at token i, and the parameters
// of a function that is called for each element, or defined in the program.
func (c *scanner) loops(i int) {
	switch name := c.toks[i].text; {
	case name == "for" && (c.lang == "python" || c.lang == "ruby" || c.lang == "lua"):
		c.forIn(i + 1)
	case (name == "for" || name == "foreach") && c.lang == "perl":
		c.perlFor(i + 1)
	case name == "for" || name == "foreach":
		c.forEach(i + 1)
	case isOneOf(name, definers):
		c.define(i)
	default:
		if params, ok := c.function(i); ok {
			c.bindCall(i+2, params)
		}
		c.callback(i)
	}
}

// bind gives a variable of a loop or a parameter what it may be, in addition to what
// it may be already.
func (c *scanner) bind(name string, v Value) {
	if v = v.orNumber(); name == "" || !v.usable() && (!v.IsList || len(v.List) == 0) {
		return
	}
	old, ok := c.bound[name]
	switch {
	case !ok && v.IsList:
	case v.IsList || old.IsList:
		return // one of several lists cannot be told
	case ok:
		both := Value{path: v.path && old.path, Known: v.Known && old.Known && slices.Contains(old.texts(), v.Text)}
		v = oneOf(append(slices.Clone(old.texts()), v.texts()...)).as(both)
	default:
		v = oneOf(v.texts()).as(v)
	}
	c.bound[name], c.consts[name] = v, v
}

// as is a value that is a path, and known, where another one is.
func (v Value) as(other Value) Value {
	v.path, v.Known = other.path, other.Known
	return v
}

// forIn reads "for a, (b, c) in values".
func (c *scanner) forIn(i int) {
	var names []string
	depth := 0
	for n := 0; n < 32; n, i = n+1, i+1 {
		switch t := c.tok(i); {
		case t.kind == '(':
			depth++
			if depth == 1 && len(names) > 0 {
				names = append(names, "")
			}
		case t.kind == ')':
			depth--
		case t.kind == 'i' && t.text == "in":
			c.bindEach(names, i+1)
			return
		case t.kind == 'i' && (depth == 0 || names == nil || names[len(names)-1] != ""):
			names = append(names, t.text)
		case t.kind == 'i', t.kind == ',':
		default:
			return
		}
	}
}

// bindEach gives names the elements of the expression at token i.
func (c *scanner) bindEach(names []string, i int) {
	v, _ := c.expr(i)
	for place, name := range names {
		c.bind(name, v.element(place, len(names)))
	}
}

// forEach reads "for (const f of values)", "for my $f (values)" and
// "foreach (values as $f)".
func (c *scanner) forEach(i int) {
	var names []string
	for n := 0; n < 32; n, i = n+1, i+1 {
		switch t := c.tok(i); {
		case t.kind == '(' && c.lang == "php":
			c.bindList(i + 1)
			return
		case t.kind == 'i' && t.text == "of":
			c.bindEach(names, i+1)
			return
		case t.kind == 'i' && !isOneOf(t.text, "const let var my our await"):
			names = append(names, t.text)
		case t.kind == 'i' || strings.IndexByte("([],", t.kind) >= 0:
		default:
			return
		}
	}
}

// bindList reads "values as $f" of PHP.
func (c *scanner) bindList(i int) {
	v, next := c.expr(i)
	if c.tok(next).text == "as" && c.at(next+1) == 'i' {
		c.bind(c.tok(next+1).text, v.element(0, 1))
	}
}

// perlFor reads "for my $f (values) {", and "… for values".
func (c *scanner) perlFor(i int) {
	name := "$_"
	for ; c.at(i) == 'i' && (c.tok(i).text == "my" || c.at(i+1) == '(' && c.tok(i).text[0] == '$'); i++ {
		if c.tok(i).text != "my" {
			name = c.tok(i).text
		}
	}
	if c.at(i) == '(' {
		i++
	}
	v := Value{IsList: true, Known: true}
	for _, a := range c.args(i) {
		v.List = append(v.List, pathsOf(a)...)
		v.Known = v.Known && a.Known
	}
	c.bind(name, v.element(0, 1))
}

// iterators are the methods that call a function for each element.
const iterators = "forEach each map each_with_index flatMap filter some every"

// callback binds the parameter of the function that is given to an iterator, of the
// values that end before token i or, for a dotted name, are named by it.
func (c *scanner) callback(i int) {
	if c.lang != "node" && c.lang != "ruby" {
		return
	}
	t := c.toks[i]
	v, next := c.expr(i)
	if base, method, ok := cutLast(t.text); ok && isOneOf(method, iterators) {
		v, next = c.consts[base], i
		if base == "ARGV" {
			v = several(c.host.Args()...)
		}
	} else if m := c.tok(next); m.kind != 'i' || !isOneOf(strings.TrimPrefix(m.text, "."), iterators) {
		return
	}
	if name := c.parameter(next + 1); v.IsList {
		c.bind(name, v.element(0, 1))
	}
}

// parameter is the first parameter of the function at token i: (f => …),
// ((f) => …), (function (f) …), { |f| … }, do |f| ….
func (c *scanner) parameter(i int) string {
	for n := 0; n < 8; n, i = n+1, i+1 {
		t := c.tok(i)
		switch {
		case t.kind == 'i' && !isOneOf(t.text, "function async do"):
			return t.text
		case t.kind == 'i' || strings.IndexByte("({|", t.kind) >= 0:
		default:
			return ""
		}
	}
	return ""
}

// cutLast cuts the last part off a dotted name.
func cutLast(name string) (before, last string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}
