package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// A flow says where the output of a command goes, and whether it runs.
type flow struct {
	hidden bool // the one who runs the line does not see what it prints
	echoes bool // the command whose words are read prints them
	maybe  bool // it may not run; reach is the status that tells
	reach  int
	there  string // it runs if this file is there; "" where that does not say it
}

// printing are words of code that prints something.
var printing = [...]string{"print", "write", "puts", "echo", "log", "cat", "say", "stdout"}

// Shown reports whether the one who runs the line sees what command i reads: the command prints it,
// runs if the line succeeds, and its output goes neither to a file or a variable nor to a program that shows
// something else.
func (l *Line) Shown(i int) bool {
	if l.whole != nil {
		return l.whole.line.Shown(l.whole.kept[i])
	}
	return l.Commands[i].shows() && l.seen(i)
}

// seen reports whether command i runs if the line succeeds, and what it prints is seen.
func (l *Line) seen(i int) bool {
	at := l.read(i)
	if at >= len(l.proofs) {
		return true
	}
	p, d := &l.proofs[at], l.doubts()
	switch {
	case p.hidden || d.ends[p.process] < at || l.Commands[i].Background:
		return false
	case !p.maybe, p.there != "" && l.readsAlone(i, p.there):
		return true
	}
	return p.reach == 0 && !d.all && !d.unsure[p.process] &&
		!slices.ContainsFunc(l.Commands[i].Wrappers, func(w string) bool { return !passesStatus(w) })
}

// readsAlone reports whether command i reads a file and no other one, and nothing in the line may write or
// remove it. So the file was read if it is there in the end.
func (l *Line) readsAlone(i int, file string) (reads bool) {
	for k := range l.Commands {
		if may, _ := l.Reshapes(k); may {
			return false
		}
	}
	for k := range l.Effects {
		e := &l.Effects[k]
		switch is := joinPath(e.Dir, e.Path) == file && !e.DirUnknown; {
		case !e.Kind.OnFile():
		case e.Kind != EffectRead:
			if e.mayTouch(file) {
				return false
			}
		case e.Command == i && !is:
			return false
		case e.Command == i:
			reads = true
		}
	}
	return reads
}

// mayTouch reports whether an effect may be on a file: by its name, by a folder above it, or by a name of
// which a part is not known.
func (e *Effect) mayTouch(file string) bool {
	return slices.ContainsFunc([]string{e.Path, e.To}, func(name string) bool {
		if name == "" {
			return false
		}
		full := joinPath(e.Dir, name)
		if open := strings.IndexAny(full, "*?[{$`"); open >= 0 {
			return strings.HasPrefix(file, full[:open])
		}
		return e.DirUnknown || full == "." || full == file || strings.HasPrefix(file, full+"/")
	})
}

// shows reports whether a command prints what it reads: all, or the lines with the numbers that it asks for. One that
// looks for words may print nothing.
func (c *Command) shows() bool {
	if c.Inert || table.FindShown(strings.ToLower(c.Program)) == "" {
		return false
	}
	switch c.Program {
	case "head", "tail":
		n, _ := c.Value("-n", "--lines", "-c", "--bytes")
		return strings.Trim(n, "0") != "" || n == "" && !slices.Contains(c.Flags, "-0")
	case "sed":
		script, _ := c.Value("-e", "--expression")
		if script == "" && len(c.Operands) > 0 {
			script = c.Operands[0]
		}
		return !c.HasFlag("-i") && (!c.HasFlag("-n") || strings.Contains(script, "p") && !strings.Contains(script, "/"))
	case "awk", "gawk", "mawk":
		return len(c.Operands) == 0 || !strings.HasPrefix(strings.TrimSpace(c.Operands[0]), "END") && !strings.Contains(c.Operands[0], "/")
	case "sort":
		return !c.HasFlag("-o", "-c", "-C")
	case "uniq":
		return !c.HasFlag("-d", "-D", "-u")
	case "jq", "yq", "xq":
		return !c.HasFlag("-n") && !slices.Contains(c.Args, "empty")
	case "pandoc", "iconv":
		return !c.HasFlag("-o", "--output")
	case "xmllint":
		return !c.HasFlag("--noout", "--output")
	case "dd":
		return !slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "of=") && a != "of=/dev/stdout" })
	case "python", "node", "deno", "bun", "ruby", "perl", "php", "pwsh":
		return slices.ContainsFunc(printing[:], func(word string) bool { return strings.Contains(c.Text+c.Stdin, word) })
	}
	return true
}

// passesOn reports whether a part of a pipeline prints what it reads.
func passesOn(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return mayTake(r) }) {
		return false
	}
	c := Command{}
	var words []string
	for _, word := range call.Args {
		words = append(words, literal(word))
	}
	c.Program = path.Base(words[0])
	c.setArgs(words[1:], false)
	return table.FindShown(c.Program).Has("piped") && c.shows()
}

// literal is the text of a word without its quotes; a part that is not known is left out.
func literal(word *syntax.Word) string {
	var b strings.Builder
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(literal(&syntax.Word{Parts: p.Parts}))
		}
	}
	return b.String()
}

// mayTake reports whether a redirection may take the standard output away.
func mayTake(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn, syntax.DplOut:
		return false
	}
	return r.N == nil || r.N.Value == "1"
}

// takes reports whether a redirection takes the standard output away from the one who runs the line.
func (t *redirection) takes() bool {
	switch t.path.text {
	case "", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2":
		return false
	}
	return !t.input && !t.stderr
}

// unseen returns a walker of commands whose output goes elsewhere.
func (w walker) unseen() walker {
	f := *w.frame
	f.hidden = true
	w.frame = &f
	return w
}

// captured returns a walker of commands in a word: what they print is seen where echo prints the word.
func (w walker) captured() walker {
	f := *w.frame
	f.hidden, f.echoes = f.hidden || !f.echoes, false
	w.frame = &f
	return w.feeding()
}

// feeding returns a walker of commands whose output goes into another one.
func (w walker) feeding() walker {
	f := *w.frame
	f.used = true
	w.frame = &f
	return w
}

// echoing returns a walker of the words of a command, and says whether that prints them.
func (w walker) echoing(args []*syntax.Word) walker {
	name := args[0].Lit()
	echoes := name == "echo" || name == "printf" && (len(args) < 2 || args[1].Lit() != "-v")
	if echoes == w.echoes {
		return w
	}
	f := *w.frame
	f.echoes = echoes
	w.frame = &f
	return w
}

// perhaps returns a walker of what may not run. If it does, the exit status of what is around it tells.
func (w walker) perhaps() walker {
	f := *w.frame
	f.maybe, f.reach, f.there = true, f.status, ""
	w.frame = &f
	return w
}

// noTimes returns a walker of what may run no time at all, which no exit status tells.
func (w walker) noTimes() walker {
	w = w.perhaps()
	w.frame.reach = noStatus // the frame is its own
	return w
}

// isOne reports whether an item of a loop, or of a list, is one in any case. A pattern is: the loop takes it as it is
// written where it matches nothing.
func (f field) isOne() bool {
	if f.sub != nil {
		return f.sub.known && strings.TrimSpace(f.sub.text) != "" || f.sub.lists()
	}
	return f.known || f.glob
}

// lists reports whether an output is that of words with patterns, which print something in any case.
func (o *output) lists() bool {
	return len(o.names) > 0 && len(o.from) == 1 && (o.from[0] == "echo" || o.from[0] == "printf")
}

// odds are those that what comes next in a list runs: surely, or if a file is there.
type odds struct {
	sure  bool
	there string
}

// oddsBehind are those behind one more statement, if it succeeds.
func (w walker) oddsBehind(before odds, s *syntax.Stmt) (next odds) {
	switch {
	case before.sure:
		next = odds{succeeds(s), w.thereBy([]*syntax.Stmt{s})}
	case succeeds(s):
		next = before
	}
	return next
}

// by returns a walker of what comes next.
func (w walker) by(next odds) walker {
	if next.sure {
		return w
	}
	in := w.perhaps()
	if !w.maybe {
		in.there = next.there // the frame is its own
	}
	return in
}

// existing are the operators of test that are true of a file that can be shown.
var existing = [...]string{"-e", "-f", "-r", "-s"}

// thereBy is the file that is there if statements succeed, which are one test for it; "" for none.
func (w walker) thereBy(list []*syntax.Stmt) string {
	if len(list) != 1 || list[0].Negated || w.lost || slices.ContainsFunc(list[0].Redirs, mayFail) {
		return ""
	}
	op, word := "", (*syntax.Word)(nil)
	switch c := list[0].Cmd.(type) {
	case *syntax.TestClause:
		if test, ok := c.X.(*syntax.UnaryTest); ok {
			op = test.Op.String()
			word, _ = test.X.(*syntax.Word)
		}
	case *syntax.CallExpr:
		n := len(c.Args)
		if n > 0 && w.funcs[c.Args[0].Lit()] != nil {
			return ""
		}
		if n == 3 && c.Args[0].Lit() == "test" || n == 4 && c.Args[0].Lit() == "[" && c.Args[3].Lit() == "]" {
			op, word = c.Args[1].Lit(), c.Args[2]
		}
	}
	if word == nil || !slices.Contains(existing[:], op) || runsCode(word) {
		return ""
	}
	if file := w.words([]*syntax.Word{word}); len(file) == 1 && file[0].known && !file[0].glob && file[0].text != "" {
		return joinPath(w.dir, file[0].text)
	}
	return ""
}

// mayFail reports whether a redirection may fail, so that its command does not run.
func mayFail(r *syntax.Redirect) bool { return r.Word == nil || r.Word.Lit() != "/dev/null" }

// runsCode reports whether a word does something when it is expanded.
func runsCode(word *syntax.Word) (runs bool) {
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			runs = true
		case *syntax.ParamExp:
			runs = runs || !n.Short && n.Exp != nil || n.Index != nil
		}
		return !runs
	})
	return runs
}

// succeeds reports whether a statement hardly ever fails, so that what is behind its && runs: it
// goes to a folder below, or prints something.
func succeeds(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated {
		return false
	}
	if len(call.Args) == 0 {
		return true
	}
	switch call.Args[0].Lit() {
	case "true", ":", "echo", "printf", "pwd", "date":
		return true
	case "cd":
		return len(call.Args) == 2 && !strings.Contains(literal(call.Args[1]), "..")
	}
	return false
}
