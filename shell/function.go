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
	return withFirst(&top, func(first *syntax.Stmt) {
		definition, body := *c, *first
		definition.Body = &body
		*first = syntax.Stmt{Position: c.Position, Cmd: &definition}
	}), true
}

// withFirst returns a copy of a list or pipeline with a change of its first statement.
func withFirst(list *syntax.Stmt, change func(first *syntax.Stmt)) *syntax.Stmt {
	top := *list
	for s := &top; ; {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok {
			change(s)
			return &top
		}
		link, left := *b, *b.X
		link.X = &left
		s.Cmd, s = &link, &left
	}
}

// coprocess returns what coproc runs: the parser takes the first word of "coproc rm x | cat"
// for a name, which a shell does in front of a compound command only. end is not 0 if the first
// command has assignments, whose order among its words the parser does not keep: the place in the
// text where the list ends.
func coprocess(c *syntax.CoprocClause) (list *syntax.Stmt, end int) {
	list = withFirst(c.Stmt, func(first *syntax.Stmt) {
		call, ok := first.Cmd.(*syntax.CallExpr)
		if !ok {
			return
		}
		if n := len(call.Assigns); n > 0 {
			end = max(int(c.Stmt.End().Offset()), int(call.Assigns[n-1].End().Offset()))
		}
		if c.Name != nil {
			named := *call
			named.Args = slices.Insert(slices.Clone(call.Args), 0, c.Name)
			first.Cmd = &named
		}
	})
	return list, end
}

// function notes a definition. Its body is walked when it is called.
func (w walker) function(c *syntax.FuncDecl) {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	for _, name := range names {
		before := w.env.funcs[name.Value]
		if before != nil && (before.body == c.Body || before.count > maxAgain) {
			before = before.before
		}
		f := &function{body: c.Body, frame: w.frame, before: before}
		if before != nil {
			f.count = before.count + 1
		}
		w.env.define(name.Value, f)
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
	if f.before != nil {
		in := w.subshell()
		fr := *w.frame
		fr.guess = true
		in.frame = &fr
		in.callFunction(f.before, s)
	}
	if w.loops(call) {
		w.record(s)
		w.recurs()
		return output{}
	}
	fr := *f.frame
	fr.wrappers = append(slices.Clip(w.wrappers), name+"()")
	fr.calls, fr.active = append(slices.Clip(w.calls), name), append(slices.Clip(w.active), call)
	fr.depth, fr.guess, fr.background, fr.endless, fr.carrier, fr.used = w.depth, w.guess, w.background, w.endless, w.carrier, w.used
	fr.process, fr.status, fr.guards, fr.modes = w.process, w.status, w.guards, w.modes
	fr.flow = w.flow
	params, knows := w.env.params, w.env.knows
	defer func() { w.env.params, w.env.knows = params, knows }()
	w.env.params, w.env.knows = s.words[1:], true
	w.frame = &fr
	return w.stmt(f.body)
}
