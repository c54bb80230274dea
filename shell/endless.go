package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// maxLooked is how many nodes of the bodies of endless loops are looked at in one Parse.
const maxLooked = 1 << 18

// bodyOf returns a walker for the body of a loop, which notes what a loop without end
// starts in the background and does not wait for.
func (w walker) bodyOf(never bool, body []*syntax.Stmt) walker {
	if !never || w.endless || w.waits(body) {
		return w
	}
	f := *w.frame
	f.endless = true
	w.frame = &f
	return w
}

// waits reports whether a body pauses, or may leave its loop.
func (w walker) waits(body []*syntax.Stmt) bool {
	found := false
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			if w.looked++; w.looked > maxLooked {
				w.bounded(tooMany)
				return false
			}
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				switch c.Args[0].Lit() {
				case "wait", "sleep", "usleep", "break", "return", "exit", "fg", "read":
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// neverEnds reports whether the condition of a loop has always the same outcome, or reads
// a command that prints without end.
func (w walker) neverEnds(c *syntax.WhileClause) bool {
	if conditionReads(c) {
		return slices.Contains(w.stdin.from, "yes")
	}
	return len(c.Cond) == 1 && w.constant(c.Cond[0].Cmd)
}

// constant reports whether nothing changes the outcome of a condition.
func (w walker) constant(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.ArithmCmd:
		in := w
		in.env = &env{}
		_, ok := in.arith(c.X)
		return ok
	case *syntax.TestClause:
		changes := false
		syntax.Walk(c, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.UnaryTest:
				changes = changes || n.Op != syntax.TsEmpStr && n.Op != syntax.TsNempStr
			case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp:
				changes = true
			}
			return !changes
		})
		return !changes
	case *syntax.CallExpr:
		return w.constantCall(c)
	}
	return false
}

// constantCall is constant for true, ":" and a test of words that nothing is expanded in.
func (w walker) constantCall(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return false
	}
	switch c.Args[0].Lit() {
	case "true", ":", "false", "/bin/true", "/usr/bin/true":
		return true
	case "[", "test":
	default:
		return false
	}
	for _, word := range c.Args[1:] {
		f, ok := w.plain(word)
		if !ok || len(f.text) == 2 && f.text[0] == '-' && f.text != "-n" && f.text != "-z" {
			return false // [ -f file ]
		}
	}
	return true
}

// recurs notes that the command recorded last calls what it is called by.
func (w walker) recurs() {
	c := &w.line.Commands[w.last]
	c.Recursive, c.Endless = true, w.background || w.inPipe
}
