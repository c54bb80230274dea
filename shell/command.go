package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/powershell"
	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// A simple is one simple command before it is recorded. Unwrapping it gives
// another one.
type simple struct {
	words   []field
	assigns []string
	span    Span
	name    string // of the program, once it is identified
	facts   table.Program
	bare    bool // read without its unknown variables: no status is known to be its own
}

// from returns the command that starts at word i: what a wrapper runs.
func (s simple) from(i int) simple {
	i = min(i, len(s.words))
	s.words, s.name = s.words[i:], ""
	if n := len(s.words); n > 0 {
		s.span = join(s.words[0].span, s.words[n-1].span)
	}
	return s
}

// identify finds the canonical name of the program and what is known about it.
func (w walker) identify(s *simple) {
	if s.name == "" {
		s.name = w.program(&s.words[0])
		if made := w.renamed(s.words[0].text); made != "" {
			s.name = programName(made)
		}
		s.facts = table.Find(s.name)
	}
}

// join returns the span from the start of a to the end of b.
func join(a, b Span) Span {
	return Span{min(a.Start, b.Start), max(a.End, b.End)}
}

// notFound is the function that bash calls with a command that it does not find.
const notFound = "command_not_found_handle"

// maxUnwrapped is how many wrappers in a row are taken off one command.
const maxUnwrapped = 64

// analyze takes a simple command apart: it takes wrappers off until the command
// wraps no other, records it, and analyzes the text and the commands in its words.
func (w walker) analyze(s simple) output {
	for unwrapped := 0; len(s.words) > 0; unwrapped++ {
		if unwrapped == maxUnwrapped {
			w.bounded(tooDeep)
			break
		}
		if !w.step() {
			break
		}
		if bare, ok := s.vanished(); ok {
			w.subshell().analyze(bare)
		}
		if f, ok := w.funcs[s.words[0].text]; ok && unwrapped == 0 {
			return w.callFunction(f, s)
		}
		w.identify(&s)
		if f, ok := w.funcs[notFound]; ok && s.facts == "" && unwrapped == 0 && !slices.Contains(w.calls, notFound) {
			called := s
			called.words = slices.Insert(slices.Clone(s.words), 0, field{text: notFound})
			w.callFunction(f, called)
		}
		if powershell.IsCmdlet(s.name) && w.bareCmdlet(s) {
			return output{}
		}
		in, next, ok := w.unwrap(s)
		if !ok {
			if out, ok := w.nestedShell(s); ok {
				return out
			}
			break
		}
		w, s = in, next
	}
	if len(s.words) == 0 || s.words[0].text == "" {
		return output{} // "" is not a program
	}
	return w.recordWithEffects(s)
}

// A recorded is a command of the line with the words it was made from.
type recorded struct {
	*Command
	simple
	index    int
	operands []field // the words of Command.Operands
}

// recordWithEffects records a command that wraps no other, with its effects and
// the commands that it runs in turn.
func (w walker) recordWithEffects(s simple) output {
	w.identify(&s)
	s = w.withVariables(s)
	index := w.record(s)
	copied := w.line.Commands[index] // the list may be reallocated
	c := &recorded{Command: &copied, simple: s, index: index}
	if c.Program != s.name { // what another command prints
		c.facts = ""
	}
	w.subscripts(c)
	if w.builtin(c) {
		if c.Program == "set" && len(c.Args) == 0 {
			return output{from: []string{"set"}} // all variables
		}
		return nothing()
	}
	c.operands = operandFields(c.Command, s)
	if c.facts.Has("recipes") {
		w.statements(c)
	}
	w.fileEffects(c)
	w.tableActs(c)
	read := w.found
	w.scripts(c)
	if c.facts != "" {
		w.deletionCalls(c)
		w.client(c)
	}
	if c.Script = w.line.Commands[index].Script; read == w.found { // a script that was read says what it runs
		w.carries(c)
	}
	w.ended(index)
	w.last = index
	out := w.output(c)
	if !out.known {
		out.symbol, out.exact = w.symbol(c)
	}
	return out
}

// optionVariables say what options do.
var optionVariables = [...]struct{ program, name, option string }{
	{"tar", "TAR_OPTIONS", ""},
	{"git", "GIT_WORK_TREE", "--work-tree="},
	{"git", "GIT_DIR", "--git-dir="},
}

// withVariables puts the options in variables before those that are written.
func (w walker) withVariables(s simple) simple {
	for _, o := range &optionVariables {
		if o.program != s.name {
			continue
		}
		v, ok := w.get(o.name)
		if !ok || len(v.values) != 1 {
			continue
		}
		words := []field{{text: o.option + v.values[0], span: s.span, inner: -1, known: !v.guess}}
		if o.option == "" {
			words = w.blanks(v.values[0], s.span)
		}
		s.words = slices.Insert(slices.Clone(s.words), 1, words...)
	}
	return s
}

// blanks splits a text at blanks and expands nothing, as tar does TAR_OPTIONS.
func (w walker) blanks(text string, span Span) []field {
	var words []field
	for s := range strings.FieldsSeq(text) {
		words = append(words, field{text: s, span: span, inner: -1, known: true})
	}
	return words
}

// record adds a command to the line and returns its index.
func (w walker) record(s simple) int {
	w.identify(&s)
	args := make([]string, 0, len(s.words)-1)
	spelled, globs := !w.guess && s.words[0].known, false
	for _, f := range s.words[1:] {
		args = append(args, f.text)
		spelled, globs = spelled && f.known && !(f.glob && mayBeOption(f.text)), globs || f.glob
	}
	certain := spelled && !globs
	c := Command{
		Program: s.name, Path: s.words[0].text,
		Wrappers: slices.Clip(w.wrappers), Assigns: s.assigns,
		Dir: w.dir, DirUnknown: w.lost,
		Span: s.span, Certain: certain, Carrier: w.carrier, Background: w.background, Endless: w.background && w.endless,
		Network: s.facts.Has("network"),
	}
	if f := s.words[0]; f.sub != nil && !f.sub.known && !f.known && len(f.names) == 0 {
		c.Program, c.Runs = "$(…)", f.sub.from
	}
	c.setArgs(args, c.Program == s.name && s.facts.Has("subcommands"))
	c.changeDirs()
	c.Inert = w.inert(&c, s.facts)
	if w.piped {
		if w.stdin.known {
			c.Stdin = w.stdin.text
		}
		c.Input = w.stdin.from
	}
	for _, f := range s.words[1:] {
		if f.sub != nil && strings.HasPrefix(f.text, "<(") {
			c.Input = append(slices.Clip(c.Input), f.sub.from...)
		}
	}
	w.analyzer.feeders = append(w.analyzer.feeders, w.feeds())
	if len(w.mounts) > 0 {
		w.analyzer.mounted = append(w.analyzer.mounted, mounted{len(w.line.Commands), w.mounts})
	}
	w.line.Commands = append(w.line.Commands, c)
	p := proof{status: w.status, process: w.process, spelled: spelled, guards: w.guards, flow: w.flow}
	p.hidden = p.hidden || w.env.away
	if s.bare {
		p.status = noStatus
	}
	w.line.proofs = append(w.line.proofs, p)
	w.last = len(w.line.Commands) - 1
	return w.last
}

// mayBeOption reports whether a pattern of files can name one that begins with a dash, which a
// program takes for an option: *, but not src/* or *.go.
func mayBeOption(pattern string) bool {
	return strings.ContainsAny(pattern[:1], "*?[") && !strings.HasPrefix(pattern, "*.")
}

// setArgs sorts the words after the program into context options, sub-command,
// flags and operands, and writes the canonical text.
func (c *Command) setArgs(args []string, subcommands bool) {
	args = c.setAside(args)
	c.Args = args
	c.Text = canonical(c.Program, args)
	flags := 0
	for _, a := range args {
		if len(a) > 1 && a[0] == '-' {
			flags++
		}
	}
	both := make([]string, len(args)) // one allocation for two lists
	c.Flags, c.Operands = both[:0:flags], both[flags:flags]
	if subcommands {
		for _, a := range args {
			if !strings.HasPrefix(a, "-") {
				c.Subcommand = a
				break
			}
		}
	}
	if c.Program == "find" {
		c.setFindArgs(args)
		return
	}
	var o table.Options
	if flags > 0 {
		o = table.OptionsOf(c.Program, c.Subcommand)
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			c.Operands = append(c.Operands, args[i+1:]...)
			return
		case len(a) > 1 && a[0] == '-':
			c.Flags = append(c.Flags, a)
			if o.TakesNext(a) {
				i++
			}
		default:
			c.Operands = append(c.Operands, a)
		}
	}
}

// setFindArgs is setArgs for find, whose paths precede its expression.
func (c *Command) setFindArgs(args []string) {
	o := table.OptionsOf("find", "")
	expression := false
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "(" || a == "!" || a == ")" || a == ",":
			expression = true
		case slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, strings.ToLower(a)):
			c.Flags = append(c.Flags, a)
			expression = true
			for i+1 < len(args) && args[i+1] != ";" && args[i+1] != "+" {
				i++
			}
			i++
		case a == "--":
			c.Operands = append(c.Operands, args[i+1:]...)
			return
		case len(a) > 1 && a[0] == '-':
			c.Flags = append(c.Flags, a)
			expression = a != "-H" && a != "-L" && a != "-P"
			if o.TakesNext(a) {
				i++
			}
		case !expression:
			c.Operands = append(c.Operands, a)
		}
	}
}

// HasFlag reports whether any of the named options is present, however it is
// written. A short name ("-f") is found alone and in a bundle (-rf); a long one
// ("--force") with and without a value (--force=x). Short and long names of the
// same option are one, for the programs that are known here: HasFlag("-f") is
// true of rm --force, and HasFlag("-D") of git branch --delete --force. A name
// of several letters after one dash is that word for programs with such options
// (terraform -auto-approve), else all of its letters.
//
// Programs that take abbreviated long options (GNU tools and git) have them
// matched from three letters on: --forc is --force. An abbreviation that could
// mean several options, which the program itself refuses, counts as each of
// them; a whole option never counts as the beginning of another, so --force is
// not --force-with-lease, nor the other way round. An option of git that is taken back
// later (--force --no-force) is not present.
func (c *Command) HasFlag(names ...string) bool {
	o := table.OptionsOf(c.Program, c.Subcommand)
	for _, name := range names {
		flags := c.Flags
		if c.Program == "git" {
			flags = o.Since(flags, name)
		}
		if o.Has(flags, name) {
			return true
		}
	}
	return false
}

// HasFlags reports whether the command has every option that a word of a
// pattern means: each letter of a bundle ("-rf" is satisfied by -fr, by
// -r -f and by --recursive --force), or the one long option ("--force"). With a
// value ("--depth=1") that value must be given too.
func (c *Command) HasFlags(word string) bool {
	name, value, valued := strings.Cut(word, "=")
	if valued {
		got, ok := c.Value(name)
		return ok && got == value
	}
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	return c.HasFlag(word)
}

// Arguments are the operands behind the sub-command, and how many of them are in front of "--": -1
// without one.
func (c *Command) Arguments() (operands []string, front int) {
	operands = c.Operands[min(1, len(c.Operands)):]
	dashes := slices.Index(c.Args, "--")
	if dashes < 0 {
		return operands, -1
	}
	return operands, max(0, len(operands)-(len(c.Args)-dashes-1))
}

// Value returns the value of the first of the named options that is present:
// -o file, -ofile, --output=file, --output file. ok is false when none is there
// or it has no value.
func (c *Command) Value(names ...string) (value string, ok bool) {
	o := table.OptionsOf(c.Program, c.Subcommand)
	for _, name := range names {
		for i, a := range c.Args {
			if a == "--" {
				break
			}
			if len(a) < 2 || a[0] != '-' {
				continue
			}
			next := ""
			if i+1 < len(c.Args) {
				next = c.Args[i+1]
			}
			if v, ok := o.Value(a, next, name, i+1 < len(c.Args)); ok {
				return v, true
			}
		}
	}
	return "", false
}

// canonical joins a program and its arguments, quoting where a word needs it.
func canonical(program string, args []string) string {
	n := len(program)
	for _, a := range args {
		n += len(a) + 3
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(program)
	for _, a := range args {
		b.WriteByte(' ')
		if needsQuote(a) {
			b.WriteString(quote(a))
		} else {
			b.WriteString(a)
		}
	}
	return b.String()
}

// needsQuote reports whether a word would be read as something else unquoted.
// $ and patterns are left as they are: a canonical text is not expanded again.
func needsQuote(s string) bool {
	if s == "" {
		return true
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r', '\'', '"', '\\', ';', '&', '|', '<', '>', '(', ')', '`', '#':
			return !strings.HasPrefix(s, "$(") && !strings.HasPrefix(s, "<(") && s[0] != '`'
		}
	}
	return false
}

// quote returns s between single quotes.
func quote(s string) string {
	if !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
