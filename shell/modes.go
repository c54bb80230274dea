package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// modes are those options of a shell that say whose success its exit status is.
type modes struct {
	exits   bool // set -e: the shell ends at the first command that fails
	pipes   bool // set -o pipefail: a pipeline fails if a part of it does
	skips   bool // set -n: the commands that follow do not run
	ignored bool // a condition or a list around it puts set -e out of force
}

// read takes the options of a call of a shell, or of set. ok is false if a word is not an
// option.
func (o *modes) read(words []string) (ok bool) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		if strings.HasPrefix(word, "--") && len(word) > 2 {
			continue
		}
		if len(word) < 2 || word[0] != '-' && word[0] != '+' || word == "--" {
			return false
		}
		on := word[0] == '-'
		o.skips = o.skips || strings.ContainsAny(word, "nt")
		if strings.Contains(word, "e") {
			o.exits = on
		}
		if !strings.HasSuffix(word, "o") {
			continue
		}
		if i++; i == len(words) {
			return true // it lists them
		}
		switch words[i] {
		case "errexit":
			o.exits = on
		case "pipefail":
			o.pipes = on
		case "noexec", "onecmd":
			o.skips = true
		}
	}
	return true
}

// in returns a walker of what follows in a shell with other options.
func (w walker) in(o modes) walker {
	f := *w.frame
	f.modes = o
	w.frame = &f
	return w
}

// unchecked returns a walker of a condition or a list, where set -e has no force.
func (w walker) unchecked() walker {
	return w.in(modes{pipes: w.modes.pipes, ignored: true})
}

// checked reports whether set -e ends the shell if a statement fails: a block that ends with
// a list does not, as a command of the list may fail.
func (w walker) checked(s *syntax.Stmt) bool {
	if w.orEnds(s) {
		return true
	}
	if !w.modes.exits || w.modes.ignored || s.Background || s.Coprocess || s.Negated {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr, *syntax.Subshell:
		return true
	case *syntax.Block:
		return len(c.Stmts) > 0 && w.checked(c.Stmts[len(c.Stmts)-1])
	case *syntax.TimeClause:
		return c.Stmt != nil && w.checked(c.Stmt)
	case *syntax.BinaryCmd:
		return isPipe(c.Op)
	}
	return false
}

// orEnds reports whether a statement ends the shell unless a part of it succeeds: x || exit 1,
// if ! x; then exit 1; fi.
func (w walker) orEnds(s *syntax.Stmt) bool {
	if s.Background || s.Coprocess || s.Negated {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return c.Op == syntax.OrStmt && w.ends(c.Y, false) && onlyAnd(c.X)
	case *syntax.IfClause:
		return w.unless(c) != nil
	}
	return false
}

// unless is the one condition of an if clause that ends the shell where it fails; nil of others.
func (w walker) unless(c *syntax.IfClause) *syntax.Stmt {
	if c.Else != nil || len(c.Cond) != 1 || !c.Cond[0].Negated || c.Cond[0].Background || c.Cond[0].Coprocess || !onlyAnd(c.Cond[0]) {
		return nil
	}
	if then := (&syntax.Stmt{Cmd: &syntax.Block{Stmts: c.Then}}); !w.ends(then, false) {
		return nil
	}
	return c.Cond[0]
}

// onlyAnd reports whether a statement has no || between its commands.
func onlyAnd(s *syntax.Stmt) bool {
	for {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || isPipe(b.Op) {
			return true
		}
		if b.Op != syntax.AndStmt {
			return false
		}
		s = b.X
	}
}

// ends reports whether a statement does nothing but say something and exit with a status that is
// not 0; subshell, also that of a subshell.
func (w walker) ends(s *syntax.Stmt, subshell bool) bool {
	if s.Background || s.Coprocess || s.Negated || len(s.Redirs) > 0 {
		return false
	}
	list := []*syntax.Stmt{s}
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		list = c.Stmts
	case *syntax.Subshell:
		if list = c.Stmts; !subshell {
			return false
		}
	}
	for i, s := range list {
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || len(call.Assigns) > 0 || s.Background || s.Negated || w.funcs[call.Args[0].Lit()] != nil {
			return false
		}
		switch call.Args[0].Lit() {
		case "echo", "printf", "cat":
		case "exit":
			status, err := 0, error(nil)
			if len(call.Args) == 2 {
				status, err = strconv.Atoi(call.Args[1].Lit())
			}
			return i == len(list)-1 && err == nil && status > 0 && status < 256
		default:
			return false
		}
	}
	return false
}

// following returns a walker of what follows a statement whose commands begin at from: with the
// options that it sets if it is a plain set, and without any if it may change them unseen.
func (w walker) following(s *syntax.Stmt, from int) walker {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == "set" && !s.Negated && !s.Background && len(s.Redirs) == 0 && len(call.Assigns) == 0 {
		words, o := make([]string, 0, 4), w.modes
		for _, a := range call.Args[1:] {
			words = append(words, a.Lit())
		}
		if !o.read(words) {
			o = modes{ignored: w.modes.ignored}
		}
		return w.in(o)
	}
	if !w.modes.exits && !w.modes.pipes {
		return w
	}
	for i := min(from, len(w.line.Commands)); i < len(w.line.Commands); i++ {
		c := &w.line.Commands[i]
		if setsOptions(c.Program) || len(c.Wrappers) > len(w.wrappers) && setsOptions(c.Wrappers[len(w.wrappers)]) {
			return w.in(modes{ignored: w.modes.ignored})
		}
	}
	return w
}

// setsOptions reports whether a command may change the options of the shell that runs it.
func setsOptions(name string) bool {
	switch name, _, _ := strings.Cut(name, " "); name {
	case "set", "shopt", "eval", "source", ".", "setopt", "unsetopt":
		return true
	}
	return false
}

// endsShell reports whether a command may end the shell that runs it with success: exit 0 below
// a condition, exec of a program, set -n.
func (c *Command) endsShell() bool {
	switch c.Program {
	case "exit", "return", "logout":
		if status, err := strconv.Atoi(strings.Join(c.Args, " ")); err != nil || status%256 == 0 {
			return true
		}
	case "set":
		var o modes
		if o.read(c.Args); o.skips {
			return true
		}
	}
	n := len(c.Wrappers)
	return n > 0 && isExec(c.Wrappers[n-1])
}

// inReplacement reports whether a command is of a shell that took the place of another one:
// exec bash -c.
func (c *Command) inReplacement() bool {
	at := slices.IndexFunc(c.Wrappers, isExec)
	return at >= 0 && at < len(c.Wrappers)-1
}

func isExec(wrapper string) bool { return strings.HasPrefix(wrapper+" ", "exec ") }
