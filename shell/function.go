package shell

import "mvdan.cc/sh/v3/syntax"

// listBehind returns the list or pipeline that begins with the definition of a function:
// the parser takes all of "f() { a; } && b" for the body, of which a shell takes "{ a; }".
func listBehind(c *syntax.FuncDecl) (list *syntax.Stmt, ok bool) {
	top := *c.Body
	if inner, ok := top.Cmd.(*syntax.FuncDecl); ok {
		if behind, ok := listBehind(inner); ok {
			top = *behind
		}
	}
	if _, ok := top.Cmd.(*syntax.BinaryCmd); !ok {
		return nil, false
	}
	for s := &top; ; {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok {
			definition := *c
			body := *s
			definition.Body = &body
			*s = syntax.Stmt{Position: c.Position, Cmd: &definition}
			return &top, true
		}
		link, left := *b, *b.X
		link.X = &left
		s.Cmd, s = &link, &left
	}
}

// function notes a definition. Its body is walked when it is called.
func (w walker) function(c *syntax.FuncDecl) {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	for _, name := range names {
		w.env.define(name.Value, &function{body: c.Body, frame: w.frame})
	}
}
