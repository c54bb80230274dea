package syntax

import (
	"strings"

	ts "github.com/odvcencio/gotreesitter"
)

// script lowers a node of the grammars of TypeScript, TSX and JavaScript.
func (l *lowering) script(n *ts.Node) *code {
	switch l.kind(n) {
	case "identifier", "type_identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern", "this", "super":
		return l.leaf(n)
	case "property_identifier", "private_property_identifier", "statement_identifier", "comment", "regex", "hash_bang_line":
		return &code{}
	case "string":
		return &code{kind: text, name: l.scriptText(n)}
	case "template_string":
		if len(named(n)) == 0 {
			return &code{kind: text, name: l.scriptText(n)}
		}
	case "call_expression":
		return l.scriptCall(n)
	case "new_expression":
		return l.calls(l.field(n, "constructor"), l.field(n, "arguments"))
	case "member_expression", "nested_type_identifier", "nested_identifier":
		return l.member(n)
	case "subscript_expression":
		return l.subscript(n)
	case "parenthesized_expression", "non_null_expression", "await_expression", "as_expression", "satisfies_expression", "expression_statement", "computed_property_name":
		return l.wrapped(n)
	case "type_assertion", "instantiation_expression", "generic_type":
		return l.generic(n)
	case "pair_pattern":
		return l.two(pair, l.field(n, "key"), l.field(n, "value"))
	case "variable_declarator":
		return l.declarator(n)
	case "assignment_expression", "augmented_assignment_expression":
		c := l.two(assign, l.field(n, "left"), l.field(n, "right"))
		c.n = 2
		return c
	case "assignment_pattern", "object_assignment_pattern":
		return l.two(assign, l.field(n, "left"), l.field(n, "right"))
	case "for_in_statement":
		return l.forIn(n)
	case "statement_block", "switch_body", "for_statement":
		return &code{kind: block, kids: l.all(n)}
	case "catch_clause":
		return l.catchClause(n)
	case "function_declaration", "function_expression", "generator_function", "generator_function_declaration", "arrow_function", "method_definition", "function_signature":
		return l.scriptFunction(n)
	case "class_declaration", "abstract_class_declaration", "class", "interface_declaration", "enum_declaration":
		return l.scriptClass(n)
	case "import_statement", "export_statement":
		return l.scriptImport(n)
	}
	return nil
}

// scriptText decodes a string literal.
func (l *lowering) scriptText(n *ts.Node) string {
	s := l.text(n)
	if len(s) < 2 {
		return ""
	}
	return unescape(s[1 : len(s)-1])
}

// wrapped lowers a node without an effect at run time to its content.
func (l *lowering) wrapped(n *ts.Node) *code {
	kids := named(n)
	if len(kids) == 0 {
		return nil
	}
	return l.lower(kids[0]) // a type follows "as" and "satisfies"
}

// generic lowers <T>x and X<T> to x and X.
func (l *lowering) generic(n *ts.Node) *code {
	if c := l.lower(l.field(n, "name")); c != nil {
		return c
	}
	for _, k := range named(n) {
		if l.kind(k) != "type_arguments" {
			return l.lower(k)
		}
	}
	return nil
}

func (l *lowering) member(n *ts.Node) *code {
	object, property := l.field(n, "object"), l.field(n, "property")
	if object == nil {
		object, property = l.field(n, "module"), l.field(n, "name")
	}
	return &code{kind: attr, name: l.text(property), kids: []*code{l.lower(object)}}
}

// subscript lowers a["b"] to a.b, which it is.
func (l *lowering) subscript(n *ts.Node) *code {
	c := l.two(index, l.field(n, "object"), l.field(n, "index"))
	if k := c.kid(1); k.kind == text {
		return &code{kind: attr, name: k.name, kids: c.kids[:1]}
	}
	return c
}

// scriptCall lowers a call. That of require and import with a constant is an
// import as well; see required.
func (l *lowering) scriptCall(n *ts.Node) *code {
	callee := l.field(n, "function")
	if l.kind(callee) == "import" {
		return &code{kind: call, kids: append([]*code{l.at(&code{kind: name, name: "import"}, callee)}, l.all(l.field(n, "arguments"))...)}
	}
	arguments := l.field(n, "arguments")
	if l.kind(arguments) == "template_string" { // tag`…`
		return &code{kind: call, kids: []*code{l.lower(callee), l.lower(arguments)}}
	}
	return l.calls(callee, arguments)
}

// required returns the module of require("m") or import("m"), or "".
func required(c *code) string {
	if c.kind != call || len(c.kids) != 2 || c.kid(0).kind != name || c.kid(1).kind != text {
		return ""
	}
	switch c.kid(0).name {
	case "require", "import":
		return moduleOf(c.kid(1).name)
	}
	return ""
}

// moduleOf is the module's name: node:fs is fs.
func moduleOf(s string) string { return strings.TrimPrefix(s, "node:") }

// declarator lowers a declared variable. Of require, its names are those of an
// import.
func (l *lowering) declarator(n *ts.Node) *code {
	target, value := l.field(n, "name"), l.lower(l.field(n, "value"))
	c := &code{kind: assign, kids: []*code{l.lower(target), value}}
	if value == nil {
		c.kids[1] = &code{}
	}
	if p := n.Parent(); p != nil && l.kind(p) == "variable_declaration" {
		c.n = 1
	}
	module, members := value, ""
	for module != nil && module.kind == attr {
		members = "." + module.name + members
		module = module.kid(0)
	}
	if module == nil || required(module) == "" {
		return c
	}
	i := &code{kind: imp, n: c.n, again: true, imports: l.destructured(target, required(module)+members)}
	return &code{kids: []*code{l.at(i, n), value}}
}

// destructured lists the imports of {a, b: c} = require("m").
func (l *lowering) destructured(target *ts.Node, module string) []imported {
	if l.kind(target) == "identifier" {
		return []imported{{module: module, local: l.text(target)}}
	}
	list := []imported{{module: module}}
	for _, k := range named(target) {
		switch l.kind(k) {
		case "shorthand_property_identifier_pattern":
			list = append(list, imported{module, l.text(k), l.text(k)})
		case "pair_pattern":
			list = append(list, imported{module, l.text(l.field(k, "key")), l.text(l.field(k, "value"))})
		case "object_assignment_pattern":
			s := l.text(l.field(k, "left"))
			list = append(list, imported{module, s, s})
		}
	}
	return list
}

func (l *lowering) forIn(n *ts.Node) *code {
	c := &code{kind: loop, kids: []*code{l.lower(l.field(n, "left")), l.lower(l.field(n, "right")), l.lower(l.field(n, "body"))}}
	return &code{kind: block, kids: []*code{l.at(c, n)}}
}

func (l *lowering) catchClause(n *ts.Node) *code {
	c := &code{kind: block}
	if p := l.field(n, "parameter"); p != nil {
		c.kids = append(c.kids, &code{kind: assign, kids: []*code{l.lower(p), {}}})
	}
	c.kids = append(c.kids, l.lower(l.field(n, "body")))
	return c
}

func (l *lowering) scriptFunction(n *ts.Node) *code {
	c := &code{kind: fn, name: l.text(l.field(n, "name"))}
	parameters := named(l.field(n, "parameters"))
	if p := l.field(n, "parameter"); p != nil { // x => …
		parameters = []*ts.Node{p}
	}
	for _, p := range parameters {
		target := p
		if inner := l.field(p, "pattern"); inner != nil {
			target = inner
			if v := l.field(p, "value"); v != nil {
				c.kids = append(c.kids, l.lower(v))
			}
		}
		c.params = append(c.params, patternNames(l.lower(target))...)
	}
	for _, k := range named(n) {
		if l.kind(k) == "decorator" {
			c.kids = append(c.kids, l.lower(k))
		}
	}
	c.kids = append(c.kids, l.lower(l.field(n, "body")))
	return c
}

func (l *lowering) scriptClass(n *ts.Node) *code {
	c := &code{kind: class, name: l.text(l.field(n, "name"))}
	var rest []*code
	for _, k := range named(n) {
		switch l.kind(k) {
		case "class_heritage", "extends_type_clause":
			c.kids = append(c.kids, l.heritage(k)...)
		case "type_parameters", "type_identifier":
		default:
			rest = append(rest, l.lower(k))
		}
	}
	c.n = len(c.kids)
	c.kids = append(c.kids, rest...)
	return c
}

// heritage lists the bases and interfaces of a class.
func (l *lowering) heritage(n *ts.Node) []*code {
	var bases []*code
	for _, k := range named(n) {
		switch l.kind(k) {
		case "extends_clause", "implements_clause":
			bases = append(bases, l.heritage(k)...)
		case "type_arguments":
		default:
			bases = append(bases, l.lower(k))
		}
	}
	return bases
}

func (l *lowering) scriptImport(n *ts.Node) *code {
	source := l.field(n, "source")
	for _, k := range named(n) {
		if l.kind(k) == "import_require_clause" { // import x = require("m")
			source = l.field(k, "source")
		}
	}
	if source == nil {
		return nil // an export of a declaration in this file
	}
	module := moduleOf(l.scriptText(source))
	c := &code{kind: imp, imports: []imported{{module: module}}}
	for _, k := range named(n) {
		c.imports = append(c.imports, l.clause(k, module)...)
	}
	return c
}

// clause lists the names of an import clause. The default export means the module.
func (l *lowering) clause(n *ts.Node, module string) []imported {
	switch l.kind(n) {
	case "identifier":
		return []imported{{module: module, local: l.text(n)}}
	case "namespace_import":
		return []imported{{module: module, local: strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(l.text(n), "*")), "as"))}}
	case "import_specifier":
		member, local := l.text(l.field(n, "name")), l.text(l.field(n, "alias"))
		if local == "" {
			local = member
		}
		if member == "default" {
			member = ""
		}
		return []imported{{module, member, local}}
	case "import_clause", "named_imports", "import_require_clause":
		var list []imported
		for _, k := range named(n) {
			list = append(list, l.clause(k, module)...)
		}
		return list
	case "export_clause":
		var list []imported
		for _, k := range named(n) {
			list = append(list, imported{module: module, member: l.text(l.field(k, "name"))})
		}
		return list
	}
	return nil
}
