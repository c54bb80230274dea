package syntax

import (
	"strings"

	ts "github.com/odvcencio/gotreesitter"
)

// rust lowers a node of Rust's grammar. A macro's brackets have tokens without a
// tree: only texts are read from them.
func (l *lowering) rust(n *ts.Node) *code {
	switch l.kind(n) {
	case "identifier", "type_identifier", "self", "super", "crate", "shorthand_field_identifier", "metavariable":
		return l.leaf(n)
	case "field_identifier", "lifetime", "line_comment", "block_comment", "label":
		return &code{}
	case "string_literal", "raw_string_literal":
		return &code{kind: text, name: l.rustText(n)}
	case "scoped_identifier", "scoped_type_identifier":
		if l.field(n, "path") == nil { // ::a
			return l.leaf(l.field(n, "name"))
		}
		return &code{kind: attr, path: true, name: l.text(l.field(n, "name")), kids: []*code{l.lower(l.field(n, "path"))}}
	case "field_expression":
		return &code{kind: attr, name: l.text(l.field(n, "field")), kids: []*code{l.lower(l.field(n, "value"))}}
	case "call_expression":
		return l.calls(l.field(n, "function"), l.field(n, "arguments"))
	case "generic_function":
		return l.lower(l.field(n, "function"))
	case "generic_type", "generic_type_with_turbofish":
		return l.lower(l.field(n, "type"))
	case "macro_invocation":
		return l.macro(n)
	case "index_expression":
		return &code{kind: index, kids: l.all(n)}
	case "array_expression", "tuple_expression", "tuple_pattern", "slice_pattern":
		return &code{kind: list, kids: l.all(n)}
	case "reference_expression", "parenthesized_expression", "try_expression", "await_expression", "expression_statement":
		if kids := named(n); len(kids) > 0 {
			return l.lower(kids[len(kids)-1])
		}
	case "type_cast_expression":
		return l.lower(l.field(n, "value"))
	case "binary_expression":
		return l.rustOperator(n)
	case "let_declaration", "let_condition":
		return l.two(assign, l.field(n, "pattern"), l.field(n, "value"))
	case "assignment_expression":
		c := l.two(assign, l.field(n, "left"), l.field(n, "right"))
		c.n = 2
		return c
	case "const_item", "static_item":
		return l.two(assign, l.field(n, "name"), l.field(n, "value"))
	case "field_initializer":
		return &code{kind: keyword, name: l.text(l.field(n, "field")), kids: []*code{l.lower(l.field(n, "value"))}}
	case "for_expression":
		c := &code{kind: loop, kids: []*code{l.lower(l.field(n, "pattern")), l.lower(l.field(n, "value")), l.lower(l.field(n, "body"))}}
		return &code{kind: block, kids: []*code{l.at(c, n)}}
	case "if_expression":
		return l.rustIf(n)
	case "block", "match_arm":
		return &code{kind: block, kids: l.all(n)}
	case "match_pattern": // only its guard is code
		return &code{kids: []*code{l.lower(l.field(n, "condition"))}}
	case "visibility_modifier":
		return &code{}
	case "function_item", "closure_expression":
		return l.rustFunction(n)
	case "struct_item", "enum_item", "union_item", "trait_item", "impl_item":
		return l.rustType(n)
	case "mod_item":
		return &code{kind: block, kids: l.all(n, l.field(n, "name"))}
	case "return_expression":
		return &code{kind: ret, kids: l.all(n)}
	case "use_declaration":
		return &code{kind: imp, imports: l.used(l.field(n, "argument"), "")}
	case "extern_crate_declaration":
		crate, alias := l.text(l.field(n, "name")), l.text(l.field(n, "alias"))
		if alias == "" {
			alias = crate
		}
		return &code{kind: imp, imports: []imported{{module: crate, local: alias}}}
	}
	return nil
}

// rustText decodes a string literal: "…", b"…", r#"…"#.
func (l *lowering) rustText(n *ts.Node) string {
	s := l.text(n)
	from, to := strings.IndexByte(s, '"'), strings.LastIndexByte(s, '"')
	if from < 0 || to <= from {
		return ""
	}
	if strings.Contains(s[:from], "r") {
		return s[from+1 : to]
	}
	return unescape(s[from+1 : to])
}

// macro lowers a macro to a call of name! with the texts in its brackets; that
// of vec! to a list of them.
func (l *lowering) macro(n *ts.Node) *code {
	label := l.text(l.field(n, "macro"))
	var args []*code
	for _, k := range named(n) {
		if l.kind(k) != "token_tree" {
			continue
		}
		for _, t := range named(k) {
			switch l.kind(t) {
			case "string_literal", "raw_string_literal", "identifier":
				args = append(args, l.lower(t))
			default:
				args = append(args, l.at(&code{kids: l.texts(t)}, t))
			}
		}
	}
	switch label {
	case "vec":
		return &code{kind: list, kids: args}
	case "concat":
		return &code{kind: join, kids: args}
	}
	callee := l.lower(l.field(n, "macro"))
	if callee.kind == name || callee.kind == attr {
		callee.name += "!"
	}
	return &code{kind: call, kids: append([]*code{callee}, args...)}
}

// texts lists the texts in the tokens of a macro.
func (l *lowering) texts(n *ts.Node) []*code {
	var found []*code
	ts.Walk(n, func(k *ts.Node, depth int) ts.WalkAction {
		if kind := l.kind(k); kind == "string_literal" || kind == "raw_string_literal" {
			found = append(found, l.lower(k))
		}
		if depth > maxDepth {
			return ts.WalkStop
		}
		return ts.WalkContinue
	})
	return found
}

func (l *lowering) rustOperator(n *ts.Node) *code {
	c := l.two(join, l.field(n, "left"), l.field(n, "right"))
	if l.text(l.field(n, "operator")) != "+" {
		c.kind = other
	}
	return c
}

func (l *lowering) rustIf(n *ts.Node) *code {
	c := &code{kind: choice, n: 1, kids: []*code{l.lower(l.field(n, "consequence"))}}
	if e := l.field(n, "alternative"); e != nil {
		c.n++
		c.kids = append(c.kids, l.lower(e))
	}
	c.kids = append(c.kids, l.lower(l.field(n, "condition")))
	return c
}

// rustFunction lowers a function. The last expression of its body, without a
// semicolon, is its result.
func (l *lowering) rustFunction(n *ts.Node) *code {
	c := &code{kind: fn, name: l.text(l.field(n, "name"))}
	for _, p := range named(l.field(n, "parameters")) {
		if pattern := l.field(p, "pattern"); pattern != nil {
			p = pattern
		}
		c.params = append(c.params, patternNames(l.lower(p))...)
	}
	node := l.field(n, "body")
	body := l.lower(node)
	if body == nil {
		body = &code{}
	}
	if kids := named(node); l.kind(node) == "block" && len(kids) > 0 && len(body.kids) > 0 {
		if last := kids[len(kids)-1]; l.kind(last) != "expression_statement" && !strings.HasSuffix(l.kind(last), "_item") {
			i := len(body.kids) - 1
			body.kids[i] = l.at(&code{kind: ret, kids: []*code{body.kids[i]}}, last)
		}
	} else if l.kind(node) != "block" {
		body = &code{kind: ret, kids: []*code{body}}
	}
	c.kids = append(c.kids, body)
	return c
}

// rustType lowers a type. Its bases are the trait of an impl, the bounds of a
// trait, and derived traits.
func (l *lowering) rustType(n *ts.Node) *code {
	c := &code{kind: class, name: l.text(l.field(n, "name"))}
	if t := l.field(n, "trait"); t != nil {
		c.name = "" // an impl names no new type
		c.kids = append(c.kids, l.lower(t))
	}
	for _, b := range named(l.field(n, "bounds")) {
		c.kids = append(c.kids, l.lower(b))
	}
	c.kids = append(c.kids, l.derived(n)...)
	c.n = len(c.kids)
	if body := l.lower(l.field(n, "body")); body != nil {
		c.kids = append(c.kids, body)
	}
	return c
}

// derived lists the traits of the #[derive(…)] before n.
func (l *lowering) derived(n *ts.Node) []*code {
	var bases []*code
	for s := n.PrevSibling(); s != nil; s = s.PrevSibling() {
		switch l.kind(s) {
		case "line_comment", "block_comment":
		case "attribute_item":
			bases = append(bases, l.derives(s)...)
		default:
			return bases
		}
	}
	return bases
}

func (l *lowering) derives(item *ts.Node) []*code {
	attribute := named(item)
	if len(attribute) == 0 || len(named(attribute[0])) == 0 || l.text(named(attribute[0])[0]) != "derive" {
		return nil
	}
	var bases []*code
	var current *code
	tokens := l.field(attribute[0], "arguments")
	if tokens == nil {
		return nil
	}
	for i := range tokens.ChildCount() {
		switch t := tokens.Child(i); {
		case l.kind(t) == "identifier" && current == nil:
			current = l.leaf(t)
		case l.kind(t) == "identifier":
			current = l.at(&code{kind: attr, path: true, name: l.text(t), kids: []*code{current}}, t)
		case l.text(t) == "," || l.text(t) == ")":
			if current != nil {
				bases = append(bases, current)
			}
			current = nil
		}
	}
	return bases
}

// used lists the imports of a use declaration.
func (l *lowering) used(n *ts.Node, prefix string) []imported {
	switch l.kind(n) {
	case "identifier", "crate", "super", "metavariable":
		return []imported{usedName(prefix, l.text(n))}
	case "self": // a::{self}
		return []imported{{module: prefix, local: lastOf(prefix)}}
	case "scoped_identifier":
		path, member := l.dotted(l.field(n, "path")), l.text(l.field(n, "name"))
		return []imported{usedName(dot(prefix, path), member)}
	case "use_as_clause":
		list := l.used(l.field(n, "path"), prefix)
		for i := range list {
			list[i].local = l.text(l.field(n, "alias"))
		}
		return list
	case "use_wildcard":
		path := prefix
		if kids := named(n); len(kids) > 0 {
			path = dot(prefix, l.dotted(kids[0]))
		}
		return []imported{{module: path, member: "*"}}
	case "scoped_use_list":
		return l.used(l.field(n, "list"), dot(prefix, l.dotted(l.field(n, "path"))))
	case "use_list":
		var list []imported
		for _, k := range named(n) {
			list = append(list, l.used(k, prefix)...)
		}
		return list
	}
	return nil
}

func usedName(prefix, member string) imported {
	if prefix == "" {
		return imported{module: member, local: member}
	}
	return imported{prefix, member, member}
}

// dotted writes a path with dots.
func (l *lowering) dotted(n *ts.Node) string {
	return strings.TrimPrefix(strings.ReplaceAll(spaceless(l.text(n)), "::", "."), ".")
}

func dot(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "." + b
}

// lastOf is the last part of a dotted name.
func lastOf(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
