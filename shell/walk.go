package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// stmts walks statements one after another.
func (w walker) stmts(list []*syntax.Stmt) output {
	out := nothing()
	for i, s := range list {
		in, from, checked := w, len(w.line.Commands), w.checked(s)
		if i < len(list)-1 && !checked {
			in = w.apart()
		}
		out = out.then(in.stmt(s))
		if checked {
			w = w.behind(from)
		}
		w = w.following(s, from)
	}
	return out
}

// stmt walks one statement: its redirections, then what it runs.
func (w walker) stmt(s *syntax.Stmt) output {
	if s == nil || !w.step() {
		return output{}
	}
	if w.nesting++; w.nesting > maxNesting {
		w.nesting--
		w.bounded(tooDeep)
		return output{}
	}
	defer func() { w.nesting-- }()
	if s.Background || s.Coprocess || s.Negated {
		w = w.apart().unchecked()
	}
	if s.Background || s.Coprocess {
		f := *w.frame
		f.background = true
		w.frame = &f
		w = w.subshell()
	}
	if w.choice > 0 {
		return w.once(s)
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr, *syntax.DeclClause:
	case *syntax.BinaryCmd:
		if !isPipe(c.Op) {
			return w.contained(s)
		}
	default:
		if len(s.Redirs) == 0 {
			return w.contained(s)
		}
	}
	return w.eachChoice(s)
}

// contained walks a statement whose parts have their own turns. What it is a part of need not be
// walked again for them, unless their output goes into that.
func (w walker) contained(s *syntax.Stmt) output {
	outer := w.choices
	out := w.once(s)
	if !w.used {
		w.analyzer.choices = outer
	}
	return out
}

// once walks a statement with its redirections.
func (w walker) once(s *syntax.Stmt) output {
	if len(s.Redirs) == 0 {
		return w.command(s.Cmd)
	}
	return w.redirected(s)
}

// eachChoice walks a statement once for each value that its variables may have. What runs inside
// of it has had its own turns, and counts only where its output becomes a part of the statement.
func (w walker) eachChoice(s *syntax.Stmt) output {
	before, outer := w.env, w.choices
	if w.several {
		before = w.env.clone()
	}
	w.analyzer.choices = 0
	out := w.once(s)
	n := w.choices
	if n == 0 {
		w.analyzer.choices = outer
		return out
	}
	written := slices.Clone(w.written)
	for i := 1; i <= n && w.step(); i++ {
		in := w
		in.env = before.clone()
		in.env.choice = i
		in.once(s)
		in.env.choice, in.env.changed = 0, true
		w.env.merge(in.env)
	}
	w.analyzer.written = written
	if w.analyzer.choices = outer; w.used {
		w.analyzer.choices = max(outer, n)
	}
	return out
}

// command walks what a statement runs.
func (w walker) command(cmd syntax.Command) output {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return w.call(c)
	case *syntax.BinaryCmd:
		return w.binary(c)
	case *syntax.Block:
		return w.stmts(c.Stmts)
	case *syntax.Subshell:
		return w.newProcess().in(w.modes).stmts(c.Stmts)
	case *syntax.IfClause:
		if w.unless(c) == nil {
			w = w.apart()
		}
		return w.ifClause(c)
	case *syntax.WhileClause:
		return w.apart().unchecked().while(c)
	case *syntax.ForClause:
		return w.apart().forLoop(c)
	case *syntax.CaseClause:
		return w.apart().caseClause(c)
	case *syntax.FuncDecl:
		if list, ok := listBehind(c); ok {
			return w.stmt(list)
		}
		w.function(c)
		return nothing()
	case *syntax.DeclClause:
		return w.declare(c)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return nothing()
		}
		return w.within("time").stmt(c.Stmt)
	case *syntax.CoprocClause:
		list, end := coprocess(c)
		in := w.within("coproc").subshell()
		in.frame.background = true
		if end > 0 { // the parser takes the words of dd if=x for assignments
			start := int(c.Coproc.Offset()) + len("coproc")
			return in.nested(nested{text: in.src[start:min(end, len(in.src))], inner: -1, span: in.at(start, end)})
		}
		return in.stmt(list)
	case *syntax.TestDecl:
		return w.stmt(c.Body)
	case nil:
		return nothing()
	default: // tests and arithmetic, which run only what is nested in them
		w.substitutions(c)
		return nothing()
	}
}

// substitutions walks the command substitutions below a node that is otherwise
// not of interest.
func (w walker) substitutions(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.within("$(…)").captured().subshell().stmts(n.Stmts)
			return false
		case *syntax.ProcSubst:
			w.within(procName(n)).unseen().subshell().stmts(n.Stmts)
			return false
		case *syntax.SglQuoted:
			w.subscript(n.Value, w.node(n))
		}
		w.arithAssigns(n)
		return true
	})
}

func procName(n *syntax.ProcSubst) string {
	if n.Op == syntax.CmdOut {
		return ">(…)"
	}
	return "<(…)"
}

// binary walks a chain of && and ||, or a pipeline. The parser nests a long
// chain as deep as it is long, so the left side is followed in a loop.
func (w walker) binary(b *syntax.BinaryCmd) output {
	if isPipe(b.Op) {
		return w.pipeline(b)
	}
	first, rest := b.X, []*syntax.BinaryCmd{b}
	for {
		left, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || len(first.Redirs) > 0 || first.Background || isPipe(left.Op) {
			break
		}
		rest = append(rest, left)
		first = left.X
	}
	last := b.Op == syntax.OrStmt && w.ends(b.Y, true) && onlyAnd(b.X)
	if !last && slices.ContainsFunc(rest, func(b *syntax.BinaryCmd) bool { return b.Op != syntax.AndStmt }) {
		w = w.apart().in(modes{})
	}
	w = w.unchecked()
	outer, from, next := w, len(w.line.Commands), w.oddsBehind(odds{sure: true}, first)
	out := w.stmt(first)
	w = w.following(first, from)
	for _, b := range slices.Backward(rest) {
		if w = w.behind(from); b.Op != syntax.AndStmt {
			w = outer.apart()
		}
		dir, vars, changed, at := w.env.dir, w.vars, w.env.changed, len(w.line.Commands)
		from, w.env.shared, w.env.changed = at, true, false
		if b.Op != syntax.AndStmt {
			next = odds{}
		}
		in := w.by(next)
		next = w.oddsBehind(next, b.Y)
		out = out.then(in.stmt(b.Y))
		w = w.following(b.Y, at)
		if b.Op != syntax.AndStmt { // it may have been left out
			w, from = outer.apart(), len(w.line.Commands)
		}
		if b.Op != syntax.AndStmt && w.env.dir != dir {
			w.env.lost, w.env.before = true, "" // only one side of || has run its cd
		}
		if w.env.changed && (b.Op != syntax.AndStmt || !onlyAssigns(b.X)) {
			w.mayKeep(vars)
		}
		w.env.changed = w.env.changed || changed
	}
	return out
}

// onlyAssigns reports whether a statement is nothing but assignments, which succeed.
func onlyAssigns(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) == 0
}

func isPipe(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll }

// pipeline walks each part in a subshell that reads what the part before writes.
func (w walker) pipeline(b *syntax.BinaryCmd) output {
	var parts []*syntax.Stmt
	for stack := []*syntax.Stmt{b.Y, b.X}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c, ok := s.Cmd.(*syntax.BinaryCmd); ok && isPipe(c.Op) && len(s.Redirs) == 0 {
			stack = append(stack, c.Y, c.X)
			continue
		}
		parts = append(parts, s)
	}
	var out output
	first := len(w.line.Commands) + 1
	if w.env.pipe > 0 {
		first = w.env.pipe
	}
	for i, s := range parts {
		in := w.subshell()
		f := *w.frame
		_, f.inPipe = s.Cmd.(*syntax.CallExpr)
		f.used = f.used || i < len(parts)-1
		f.hidden = f.hidden || slices.ContainsFunc(parts[i+1:], func(s *syntax.Stmt) bool { return !passesOn(s) })
		in.frame = &f
		if i > 0 {
			in.env.stdin, in.env.piped, in.env.fed, in.env.pipe = out, true, false, first
		}
		if i < len(parts)-1 && !w.modes.pipes {
			in = in.apart()
		}
		if out = in.stmt(s); i == len(parts)-1 {
			w.env.merge(in.env) // zsh, and lastpipe: the last part is not a subshell
		}
	}
	return out
}

// ifClause walks every branch, since it is rarely known which one runs.
func (w walker) ifClause(c *syntax.IfClause) output {
	out := nothing()
	var branches []*env
	covers := false
	for first := true; c != nil; c, first = c.Else, false {
		if !first {
			w = w.perhaps()
		}
		from, in, next := len(w.line.Commands), w, odds{}
		if success := w.unless(c); success != nil {
			plain := *success
			plain.Negated = false
			out, in = out.then(w.unchecked().stmt(&plain)), w.apart()
		} else {
			next.there = w.thereBy(c.Cond)
			out = out.then(w.unchecked().stmts(c.Cond))
			in = w.behind(from)
		}
		in = in.by(next).subshell()
		out = out.then(in.stmts(c.Then))
		branches, covers = append(branches, in.env), len(c.Cond) == 0
	}
	w.env.join(branches, covers)
	out.known = false
	return out
}

// branch walks statements that may or may not run.
func (w walker) branch(list []*syntax.Stmt) output {
	in := w.perhaps().subshell()
	out := in.stmts(list)
	w.env.merge(in.env)
	return out
}

// caseClause walks every item, since it is rarely known which one runs.
func (w walker) caseClause(c *syntax.CaseClause) output {
	w.words([]*syntax.Word{c.Word})
	out := nothing()
	var branches []*env
	covers := false
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.substitutions(p)
			covers = covers || p.Lit() == "*"
		}
		in := w.perhaps().subshell()
		out = out.then(in.stmts(item.Stmts))
		branches = append(branches, in.env)
	}
	w.env.join(branches, covers)
	out.known = false
	return out
}

// call walks a simple command.
func (w walker) call(c *syntax.CallExpr) output {
	if len(c.Args) == 0 {
		for _, as := range c.Assigns {
			value, known := w.assign(as, "")
			w.runsVariable(as.Name.Value, w.assigned(as, value, known))
		}
		return nothing()
	}
	s := simple{span: w.node(c)}
	s.words = w.echoing(c.Args).words(c.Args)
	if len(c.Assigns) > 0 {
		outer := w.env
		w = w.prefixed(c.Assigns, &s)
		defer func(in *env) { // X=1 cd src
			outer.dir, outer.dirs, outer.before, outer.lost = in.dir, in.dirs, in.before, in.lost
		}(w.env)
	}
	words := s.words
	if len(words) == 0 { // $(…) alone that prints nothing
		return nothing()
	}
	if name := words[0]; !name.quoted && w.aliases != nil {
		if text, ok := w.aliases[name.text]; ok && !slices.Contains(w.calls, "alias "+name.text) {
			return w.alias(name.text, text, words)
		}
	}
	return w.analyze(s)
}

// alias runs a command whose first word is an alias defined in the line.
func (w walker) alias(name, text string, words []field) output {
	in := w.within("alias " + name)
	in.frame.calls = append(slices.Clip(in.frame.calls), "alias "+name)
	if list, err := parseShell(text); err == nil && len(list) == 1 {
		if args, ok := callWords(list[0]); ok && len(args) > 0 {
			if inner, ok := in.enter(nested{text: text, inner: -1, span: words[0].span}); ok {
				list := append(inner.words(args), words[1:]...)
				return in.analyze(simple{words: list, span: join(words[0].span, words[len(words)-1].span)})
			}
		}
	}
	n := nested{text: text, inner: -1, span: words[0].span}
	for _, f := range words[1:] {
		n.text += " " + quote(f.text)
		n.span.End = max(n.span.End, f.span.End)
		n.guess = n.guess || !f.known
	}
	return in.nested(n)
}
