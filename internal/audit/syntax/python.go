package syntax

import (
	"strings"

	ts "github.com/odvcencio/gotreesitter"
)

// python lowers a node of Python's grammar.
func (l *lowering) python(n *ts.Node) *code {
	switch l.kind(n) {
	case "identifier":
		return l.leaf(n)
	case "string", "concatenated_string":
		return l.pythonString(n)
	case "attribute":
		return &code{kind: attr, name: l.text(l.field(n, "attribute")), kids: []*code{l.lower(l.field(n, "object"))}}
	case "subscript", "generic_type":
		return &code{kind: index, kids: l.all(n)}
	case "call":
		return l.calls(l.field(n, "function"), l.field(n, "arguments"))
	case "keyword_argument":
		return &code{kind: keyword, name: l.text(l.field(n, "name")), kids: []*code{l.lower(l.field(n, "value"))}}
	case "list", "tuple", "set", "expression_list", "pattern_list", "tuple_pattern", "list_pattern", "tuple_expression":
		return &code{kind: list, kids: l.all(n)}
	case "list_splat", "dictionary_splat", "list_splat_pattern", "dictionary_splat_pattern":
		return &code{kind: spread, kids: l.all(n)}
	case "dictionary":
		return &code{kind: dict, kids: l.all(n)}
	case "pair":
		return l.two(pair, l.field(n, "key"), l.field(n, "value"))
	case "binary_operator":
		return l.pythonOperator(n)
	case "parenthesized_expression", "await", "type":
		if kids := named(n); len(kids) == 1 {
			return l.lower(kids[0])
		}
	case "assignment", "augmented_assignment", "named_expression", "default_parameter", "typed_default_parameter":
		return l.pythonAssign(n)
	case "conditional_expression":
		if kids := l.all(n); len(kids) == 3 {
			return &code{kind: choice, n: 2, kids: []*code{kids[0], kids[2], kids[1]}}
		}
	case "for_statement":
		return &code{kind: loop, kids: []*code{l.lower(l.field(n, "left")), l.lower(l.field(n, "right")),
			{kids: l.all(n, l.field(n, "left"), l.field(n, "right"))}}}
	case "list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension":
		return l.pythonComprehension(n)
	case "function_definition", "lambda":
		return l.pythonFunction(n)
	case "class_definition":
		return l.pythonClass(n)
	case "return_statement":
		return &code{kind: ret, kids: l.all(n)}
	case "with_item", "except_clause", "case_clause", "as_pattern":
		return l.pythonAs(n)
	case "global_statement", "nonlocal_statement":
		c := &code{kind: global}
		for _, k := range named(n) {
			c.params = append(c.params, l.text(k))
		}
		return c
	case "import_statement", "import_from_statement", "future_import_statement":
		return l.pythonImport(n)
	case "type_alias_statement":
		return l.pythonAlias(n)
	}
	return nil
}

// pythonAssign lowers an assignment; in a = b = c, a gets the value of b.
func (l *lowering) pythonAssign(n *ts.Node) *code {
	left, right := l.field(n, "left"), l.field(n, "right")
	if left == nil {
		left, right = l.field(n, "name"), l.field(n, "value")
	}
	c := l.two(assign, left, right)
	inner := c.kid(1)
	if inner.kind == other && len(inner.kids) == 2 && inner.kids[1].kind == assign { // a = (b = (c = …))
		inner = inner.kids[1]
	}
	if inner.kind != assign {
		return c
	}
	alias := *inner.kid(0)
	return &code{kids: []*code{c.kid(1), l.at(&code{kind: assign, kids: []*code{c.kid(0), &alias}}, n)}}
}

// pythonOperator lowers + to a join. "%s" % x is the text with x.
func (l *lowering) pythonOperator(n *ts.Node) *code {
	c := l.two(join, l.field(n, "left"), l.field(n, "right"))
	if op := l.text(l.field(n, "operator")); op != "+" {
		c.kind = other
	}
	return c
}

func (l *lowering) pythonString(n *ts.Node) *code {
	c := &code{kind: join}
	prefix := ""
	for _, k := range named(n) {
		switch l.kind(k) {
		case "string_start":
			prefix = strings.ToLower(l.text(k))
		case "string_content":
			content := l.text(k)
			if !strings.Contains(prefix, "r") {
				content = unescape(content)
			}
			if strings.ContainsAny(prefix, "ft") {
				content = strings.NewReplacer("{{", "{", "}}", "}").Replace(content)
			}
			c.kids = append(c.kids, l.at(&code{kind: text, name: content}, k))
		case "string", "concatenated_string", "interpolation":
			c.kids = append(c.kids, l.lower(k))
		}
	}
	switch len(c.kids) {
	case 0:
		return &code{kind: text}
	case 1:
		if k := c.kids[0]; k.kind == text {
			return l.at(k, n)
		}
	}
	return c
}

func (l *lowering) pythonFunction(n *ts.Node) *code {
	c := &code{kind: fn, name: l.text(l.field(n, "name"))}
	for _, p := range named(l.field(n, "parameters")) {
		target := p
		switch l.kind(p) {
		case "default_parameter", "typed_default_parameter":
			target = l.field(p, "name")
			c.kids = append(c.kids, l.lower(l.field(p, "value")))
		case "typed_parameter":
			if kids := named(p); len(kids) > 0 {
				target = kids[0]
			}
		}
		c.params = append(c.params, patternNames(l.lower(target))...)
	}
	body := l.lower(l.field(n, "body"))
	if l.kind(n) == "lambda" {
		body = &code{kind: ret, kids: []*code{body}}
	}
	if t := l.field(n, "return_type"); t != nil {
		c.kids = append(c.kids, &code{kids: []*code{l.lower(t)}})
	}
	c.kids = append(c.kids, body)
	return c
}

func (l *lowering) pythonClass(n *ts.Node) *code {
	c := &code{kind: class, name: l.text(l.field(n, "name"))}
	var rest []*code
	if bases := l.field(n, "superclasses"); bases != nil {
		for _, b := range l.all(bases) {
			if b.kind == keyword || b.kind == spread {
				rest = append(rest, b)
				continue
			}
			c.kids = append(c.kids, b)
		}
	}
	c.n = len(c.kids)
	c.kids = append(append(c.kids, rest...), l.lower(l.field(n, "body")))
	return c
}

func (l *lowering) pythonComprehension(n *ts.Node) *code {
	body := l.field(n, "body")
	inner := &code{kind: yield, kids: []*code{l.lower(body)}}
	kids := named(n)
	for i := len(kids) - 1; i >= 0; i-- {
		k := kids[i]
		switch {
		case same(k, body):
		case l.kind(k) == "for_in_clause":
			inner = &code{kind: loop, kids: []*code{l.lower(l.field(k, "left")), l.lower(l.field(k, "right")), inner}}
		default: // a condition
			inner = &code{kids: []*code{l.lower(k), inner}}
		}
	}
	return &code{kind: comp, kids: []*code{inner}}
}

// pythonAs lowers "value as name" of with, except and case.
func (l *lowering) pythonAs(n *ts.Node) *code {
	alias := l.field(n, "alias")
	if alias == nil {
		if l.kind(n) == "case_clause" {
			return l.pythonCase(n)
		}
		return nil
	}
	value := &code{kids: l.all(n, alias)}
	return &code{kind: assign, kids: []*code{l.lower(alias), value}}
}

// pythonCase keeps the names of a pattern from being read as values.
func (l *lowering) pythonCase(n *ts.Node) *code {
	c := &code{}
	for _, k := range named(n) {
		if l.kind(k) != "case_pattern" {
			c.kids = append(c.kids, l.lower(k))
		}
	}
	return c
}

func (l *lowering) pythonImport(n *ts.Node) *code {
	c := &code{kind: imp}
	module := l.moduleName(l.field(n, "module_name"))
	if l.kind(n) == "future_import_statement" {
		module = "__future__"
	}
	from := module != ""
	for _, k := range named(n) {
		if same(k, l.field(n, "module_name")) {
			continue
		}
		i := imported{module: module}
		member, local := l.text(k), ""
		switch l.kind(k) {
		case "wildcard_import":
			i.member = "*"
			c.imports = append(c.imports, i)
			continue
		case "aliased_import":
			member, local = l.text(l.field(k, "name")), l.text(l.field(k, "alias"))
		}
		member = spaceless(member)
		switch {
		case from:
			i.member, i.local = member, member
		case local == "": // import a.b gives the name a
			root, _, _ := strings.Cut(member, ".")
			c.imports = append(c.imports, imported{module: member})
			i.module, i.local = root, root
		default:
			i.module = member
		}
		if local != "" {
			i.local = local
		}
		c.imports = append(c.imports, i)
	}
	return c
}

// moduleName is the dotted name; that of a relative import begins with its dots.
func (l *lowering) moduleName(n *ts.Node) string { return spaceless(l.text(n)) }

// spaceless drops blanks around the dots of a name.
func spaceless(s string) string { return strings.Join(strings.Fields(s), "") }

// pythonAlias lowers type X = Y. The grammar also reports the call in type(x).y = z
// as one.
func (l *lowering) pythonAlias(n *ts.Node) *code {
	left := l.lower(l.field(n, "left"))
	c := &code{kind: assign, kids: []*code{left, l.lower(l.field(n, "right"))}}
	if left != nil && (left.kind == attr || left.kind == index) {
		c.kids = append(c.kids, l.at(&code{kind: call, kids: []*code{{kind: name, name: "type"}}}, n))
	}
	return c
}
