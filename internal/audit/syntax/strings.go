package syntax

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Literal is a string literal that is given to a name.
type Literal struct {
	Name        string // of the variable, key, keyword argument or function
	Text        string // joined, as the program has it at run time; {} where something is filled in
	First, Last int    // lines, from 1, inclusive
}

// hole replaces a part of a text that is only known at run time.
const hole = "{}"

// maxLiteral is the longest text that is put together, in bytes.
const maxLiteral = 256 << 10

// Strings returns the string literals of Python that are given to names which the
// expression matches: of variables, of keys in dicts, of keyword arguments, and of
// functions that return them. Literals that are joined, one after the other or by +,
// are one text.
func Strings(ctx context.Context, names *regexp.Regexp, f File) (found []Literal, err error) {
	defer caught(&err)
	if f.Lang != Python {
		return nil, fmt.Errorf("%w: strings are read in Python alone, and %s is %q", ErrLanguage, f.Path, f.Lang)
	}
	p, err := read(ctx, &f)
	if err != nil {
		return nil, err
	}
	c := &collection{evaluation: evaluation{program: p}, names: names}
	walk(p.root, nil, c.visit)
	return c.found, nil
}

// collection collects literals.
type collection struct {
	evaluation
	names *regexp.Regexp
	found []Literal
}

func (x *collection) visit(c *code, s *scope) {
	switch c.kind {
	case assign:
		x.given(lastName(c.kid(0)), c.kid(1), s)
	case keyword:
		x.given(c.name, c.kid(0), s)
	case pair:
		if key := c.kid(0); key.kind == text || key.kind == name {
			x.given(key.name, c.kid(1), s)
		}
	case fn:
		if c.name != "" && x.names.MatchString(c.name) {
			x.returned(c.name, c)
		}
	}
}

// lastName is the name that is given a value: c of a.b.c.
func lastName(c *code) string {
	if c.kind == name || c.kind == attr {
		return c.name
	}
	return ""
}

// returned collects the results of the function itself.
func (x *collection) returned(label string, f *code) {
	x.traverse(f.kid(len(f.kids)-1), f.scope, nil, func(c *code, s *scope, _ *locals) bool {
		if c.kind == ret {
			x.add(label, c.kid(0), s)
		}
		return c.kind != fn && c.kind != class
	})
}

func (x *collection) given(label string, c *code, s *scope) {
	if label == "" || !x.names.MatchString(label) {
		return
	}
	if c.kind == fn { // prompt = lambda: "…"
		x.returned(label, c)
		return
	}
	x.add(label, c, s)
}

// add adds the text of c, if it is one; of a choice, each; of a list, each
// element.
func (x *collection) add(label string, c *code, s *scope) {
	switch c.kind {
	case choice:
		for _, k := range c.kids[:min(c.n, len(c.kids))] {
			x.add(label, k, s)
		}
		return
	case list:
		for _, k := range c.kids {
			x.add(label, k, s)
		}
		return
	case other:
		if len(c.kids) == 1 {
			x.add(label, c.kids[0], s)
		}
		return
	case ret:
		x.add(label, c.kid(0), s)
		return
	}
	var b strings.Builder
	if x.written(&b, c, s, 0) {
		x.found = append(x.found, Literal{Name: label, Text: b.String(), First: c.first, Last: c.last})
	}
}

// written writes the text of c, with holes. literal is false if no literal is in
// it.
func (x *collection) written(b *strings.Builder, c *code, s *scope, depth int) (literal bool) {
	if depth > maxValues || b.Len() > maxLiteral {
		return false
	}
	switch c.kind {
	case text:
		b.WriteString(c.name[:min(len(c.name), maxLiteral)])
		return true
	case join:
		for _, k := range c.kids {
			literal = x.written(b, k, s, depth+1) || literal
		}
		return literal
	case call: // "…".strip(), textwrap.dedent("…")
		return x.handedOn(b, c, s, depth+1)
	}
	if depth == 0 {
		return false // a name alone is not a literal
	}
	if v := x.eval(c, s, nil); v.kind == textual {
		b.WriteString(v.text)
		return false
	}
	b.WriteString(hole)
	return false
}

// handedOn writes the literal that a call tidies up: of a method of a literal, and
// of a function with a literal as its only argument.
func (x *collection) handedOn(b *strings.Builder, c *code, s *scope, depth int) bool {
	callee := c.kid(0)
	inner := callee.kid(0)
	if callee.kind != attr || inner.kind != text && inner.kind != join && inner.kind != call {
		args := c.positional()
		if len(args) != 1 || args[0].kind != text && args[0].kind != join {
			if depth > 1 {
				b.WriteString(hole)
			}
			return false
		}
		inner = args[0]
	}
	return x.written(b, inner, s, depth)
}
