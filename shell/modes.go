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
