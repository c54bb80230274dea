package syntax

import "strings"

// A value is the value of an expression, as far as the text alone says it.
type value struct {
	kind  valueKind
	text  string
	items []value // of a list; of a dict: key, value, key, value…
	code  *code   // of a function or class
	scope *scope  // of code
	send  bool    // text is the node of a Send
}

type valueKind uint8

const (
	unknown valueKind = iota
	textual
	listed
	dictionary
	function
)

// maxSteps bounds the evaluation of one file. Written code takes hundreds.
const maxSteps = 200_000

// evaluation follows constants through a program: names, lists, loops.
type evaluation struct {
	program *program
	steps   int
	hard    bool // maxSteps was reached
}

// locals are the values of loop variables, from the innermost loop outwards.
type locals struct {
	names map[string]value
	outer *locals
}

func (e *evaluation) spend() bool {
	e.steps++
	e.hard = e.hard || e.steps > maxSteps
	return !e.hard
}

// maxValues bounds how deep values are followed.
const maxValues = 50

// eval returns the value of c in s.
func (e *evaluation) eval(c *code, s *scope, vars *locals) value { return e.value(c, s, vars, 0) }

func (e *evaluation) value(c *code, s *scope, vars *locals, depth int) value {
	if c == nil || depth > maxValues || !e.spend() {
		return value{}
	}
	depth++
	switch c.kind {
	case text:
		return value{kind: textual, text: c.name}
	case name:
		return e.named(c, s, vars, depth)
	case attr:
		return e.member(c, s, vars, depth)
	case list:
		return e.list(c, s, vars, depth)
	case dict:
		return e.dict(c, s, vars, depth)
	case join:
		return e.join(c, s, vars, depth)
	case call:
		return e.call(c, s, vars, depth)
	case comp:
		return e.comprehension(c, vars)
	case fn:
		return value{kind: function, text: c.name, code: c, scope: s}
	case index:
		return e.at(e.value(c.kid(0), s, vars, depth), e.value(c.kid(1), s, vars, depth))
	case other: // {x} in a formatted string, (x)
		if len(c.kids) == 1 {
			return e.value(c.kids[0], s, vars, depth)
		}
	}
	return value{}
}

// endpoint returns START or END for the graph's own nodes, in any spelling.
func endpoint(s string) (string, bool) {
	switch s {
	case "START", "__start__":
		return "START", true
	case "END", "__end__":
		return "END", true
	}
	return s, false
}

func (e *evaluation) named(c *code, s *scope, vars *locals, depth int) value {
	for at := vars; at != nil; at = at.outer {
		if v, ok := at.names[c.name]; ok {
			return v
		}
	}
	bounds := s.lookup(c.name)
	if len(bounds) == 0 {
		if end, ok := endpoint(c.name); ok {
			return value{kind: textual, text: end}
		}
	}
	if len(bounds) != 1 {
		return value{} // it may be any of them
	}
	b := bounds[0]
	switch {
	case b.target != "":
		last := b.target[strings.LastIndexByte(b.target, '.')+1:]
		if end, ok := endpoint(last); ok {
			return value{kind: textual, text: end}
		}
		return value{kind: function, text: last}
	case b.code == nil:
	case b.defines():
		return value{kind: function, text: b.code.name, code: b.code, scope: b.scope}
	case b.code.kind == assign:
		if b.scope.function() != s.function() {
			vars = nil // loop variables of another function
		}
		return e.value(b.code.kid(1), b.scope, vars, depth)
	}
	return value{}
}

// member evaluates a.b: a constant of a class, the value of an enum's member.
func (e *evaluation) member(c *code, s *scope, vars *locals, depth int) value {
	if end, ok := endpoint(c.name); ok {
		return value{kind: textual, text: end}
	}
	object := e.value(c.kid(0), s, vars, depth)
	switch {
	case c.name == "value" && object.kind == textual:
		return object
	case c.name == "__name__" && object.kind == function:
		return value{kind: textual, text: object.text}
	case object.kind == dictionary:
		return e.at(object, value{kind: textual, text: c.name})
	case object.kind == function && object.code != nil && object.code.kind == class:
		if b := object.code.scope.names[c.name]; len(b) == 1 && b[0].code != nil && b[0].code.kind == assign {
			return e.value(b[0].code.kid(1), b[0].scope, nil, depth)
		}
	}
	return value{}
}

func (e *evaluation) list(c *code, s *scope, vars *locals, depth int) value {
	v := value{kind: listed}
	for _, k := range c.kids {
		if k.kind != spread {
			v.items = append(v.items, e.value(k, s, vars, depth))
			continue
		}
		inner := e.value(k.kid(0), s, vars, depth)
		if inner.kind != listed {
			return value{}
		}
		v.items = append(v.items, inner.items...)
	}
	return v
}

func (e *evaluation) dict(c *code, s *scope, vars *locals, depth int) value {
	v := value{kind: dictionary}
	for _, k := range c.kids {
		switch k.kind {
		case pair:
			v.items = append(v.items, e.value(k.kid(0), s, vars, depth), e.value(k.kid(1), s, vars, depth))
		default:
			return value{}
		}
	}
	return v
}

// join joins texts, or lists.
func (e *evaluation) join(c *code, s *scope, vars *locals, depth int) value {
	var b strings.Builder
	var items []value
	for _, k := range c.kids {
		switch v := e.value(k, s, vars, depth); v.kind {
		case textual:
			b.WriteString(v.text)
		case listed:
			items = append(items, v.items...)
		default:
			return value{}
		}
	}
	if items != nil {
		if b.Len() > 0 {
			return value{}
		}
		return value{kind: listed, items: items}
	}
	return value{kind: textual, text: b.String()}
}

// at looks a text up in a dict.
func (e *evaluation) at(v, key value) value {
	if v.kind == dictionary && key.kind == textual {
		for i := 0; i+1 < len(v.items); i += 2 {
			if k := v.items[i]; k.kind == textual && k.text == key.text {
				return v.items[i+1]
			}
		}
	}
	return value{}
}

// call evaluates the few calls that return their argument, or a part of it.
func (e *evaluation) call(c *code, s *scope, vars *locals, depth int) value {
	callee := c.kid(0)
	if callee.name == "Send" {
		v := e.value(c.argument(0, "node"), s, vars, depth)
		v.send = true
		return v
	}
	arg := func(i int) value {
		if args := c.positional(); i < len(args) {
			return e.value(args[i], s, vars, depth)
		}
		return value{}
	}
	if callee.kind == attr {
		if len(c.kids) > 1 {
			return value{}
		}
		return part(callee.name, e.value(callee.kid(0), s, vars, depth))
	}
	switch callee.name {
	case "enumerate":
		v := arg(0)
		return zip(value{kind: listed, items: make([]value, len(v.items))}, v) // the numbers are not known
	case "zip":
		return zip(arg(0), arg(1))
	case "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "str", "partial":
		return part(callee.name, arg(0))
	}
	return value{}
}

// part returns the part of v that a method or function returns.
func part(method string, v value) value {
	switch method {
	case "items":
		if v.kind == dictionary {
			return zip(part("keys", v), part("values", v))
		}
		return v
	case "keys", "values":
		if v.kind != dictionary {
			return v
		}
		offset := 0
		if method == "values" {
			offset = 1
		}
		half := value{kind: listed}
		for i := offset; i < len(v.items); i += 2 {
			half.items = append(half.items, v.items[i])
		}
		return half
	case "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter":
		if v.kind == dictionary { // its keys
			return part("keys", v)
		}
		return v
	case "str", "copy", "partial":
		return v
	}
	return value{}
}

// zip pairs the elements of two lists.
func zip(a, b value) value {
	if a.kind != listed || b.kind != listed {
		return value{}
	}
	v := value{kind: listed}
	for i := range min(len(a.items), len(b.items)) {
		v.items = append(v.items, value{kind: listed, items: []value{a.items[i], b.items[i]}})
	}
	return v
}

// comprehension returns the list of a comprehension.
func (e *evaluation) comprehension(c *code, vars *locals) value {
	v := value{kind: listed}
	e.traverse(c.kid(0), c.scope, vars, func(k *code, s *scope, vars *locals) bool {
		if k.kind != yield {
			return true
		}
		v.items = append(v.items, e.eval(k.kid(0), s, vars))
		return false
	})
	return v
}

// traverse visits c and its pieces; the body of a loop over a known list once for
// each element. do returns false to leave out the pieces of its code.
func (e *evaluation) traverse(c *code, s *scope, vars *locals, do func(*code, *scope, *locals) bool) {
	if c == nil || !e.spend() || !do(c, s, vars) {
		return
	}
	if c.scope != nil {
		s = c.scope
	}
	if c.kind == loop {
		over := c.kid(1)
		e.traverse(over, s, vars, do)
		e.iterate(e.eval(over, s, vars), c.kid(0), vars, func(inner *locals) {
			for _, k := range c.kids[2:] {
				e.traverse(k, s, inner, do)
			}
		})
		return
	}
	for _, k := range c.kids {
		e.traverse(k, s, vars, do)
	}
}

// iterate calls body for each element of v, and once with an unknown element if v
// is not known.
func (e *evaluation) iterate(v value, target *code, vars *locals, body func(*locals)) {
	if v.kind == dictionary {
		v = part("keys", v)
	}
	if v.kind != listed {
		v = value{items: []value{{}}}
	}
	for _, item := range v.items {
		if !e.spend() {
			return
		}
		inner := &locals{names: map[string]value{}, outer: vars}
		destructure(target, item, inner.names)
		body(inner)
	}
}

// destructure sets the values of the names in a target.
func destructure(target *code, v value, names map[string]value) {
	switch {
	case target.kind == name:
		names[target.name] = v
	case target.kind == list && v.kind == listed && len(v.items) == len(target.kids):
		for i, k := range target.kids {
			destructure(k, v.items[i], names)
		}
	case target.kind == other && len(target.kids) == 1:
		destructure(target.kids[0], v, names)
	default:
		for _, n := range patternNames(target) {
			names[n] = value{}
		}
	}
}

// texts lists the names in v: of a text, a function, or several in a list. all is
// false if one is not known.
func (v value) texts() (names []string, all bool) {
	switch v.kind {
	case textual, function:
		n, _ := endpoint(v.text)
		return []string{n}, n != ""
	case listed:
		all = true
		for _, item := range v.items {
			inner, ok := item.texts()
			names, all = append(names, inner...), all && ok
		}
		return names, all && len(v.items) > 0
	}
	return nil, false
}
