package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

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

// An activeCall is a call of a function that is walked.
type activeCall struct {
	body *syntax.Stmt
	args string
}

// maxAgain is how often a function is walked in itself with other arguments.
const maxAgain = 2

// loops reports whether a call goes on as one that is walked: it has its arguments, or others
// that do not get fewer. In f f rm, where f runs its arguments, they do.
func (w walker) loops(call activeCall) bool {
	again, fewer := 0, false
	for _, c := range w.active {
		if c == call {
			return true
		}
		if c.body == call.body {
			again, fewer = again+1, len(call.args) < len(c.args)
		}
	}
	return again > maxAgain && !fewer
}

// callFunction walks the body of a function with its arguments.
func (w walker) callFunction(f *function, s simple) output {
	name, call := s.words[0].text, activeCall{f.body, joinFields(s.words[1:])}
	if w.loops(call) {
		w.record(s)
		w.recurs()
		return output{}
	}
	fr := *f.frame
	fr.wrappers = append(slices.Clip(w.wrappers), name+"()")
	fr.calls, fr.active = append(slices.Clip(w.calls), name), append(slices.Clip(w.active), call)
	fr.depth, fr.guess, fr.background, fr.endless, fr.carrier = w.depth, w.guess, w.background, w.endless, w.carrier
	fr.status, fr.guards, fr.modes = w.status, w.guards, w.modes
	params, knows := w.env.params, w.env.knows
	defer func() { w.env.params, w.env.knows = params, knows }()
	w.env.params, w.env.knows = s.words[1:], true
	w.frame = &fr
	return w.stmt(f.body)
}
