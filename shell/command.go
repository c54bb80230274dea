package shell

import (
	"slices"
	"strings"
)

// A simple is one simple command before it is recorded. Peeling a wrapper off
// gives another one.
type simple struct {
	words   []field
	assigns []string
	span    Span
}

// from returns the command that starts at word i: what a wrapper runs.
func (s simple) from(i int) simple {
	i = min(i, len(s.words))
	s.words = s.words[i:]
	if n := len(s.words); n > 0 {
		s.span = join(s.words[0].span, s.words[n-1].span)
	}
	return s
}

// join returns the span from the start of a to the end of b.
func join(a, b Span) Span {
	return Span{min(a.Start, b.Start), max(a.End, b.End)}
}

// maxPeeled is how many wrappers in a row are peeled off one command.
const maxPeeled = 64

// run takes a simple command apart: it peels wrappers off until what is left
// runs by itself, records that, and follows what it runs in turn.
func (w walker) run(s simple) output {
	for peeled := 0; len(s.words) > 0; peeled++ {
		if peeled == maxPeeled {
			w.bounded(tooDeep)
			break
		}
		if !w.step() {
			break
		}
		if f, ok := w.funcs[s.words[0].text]; ok && peeled == 0 {
			return w.callFunction(f, s)
		}
		name := w.program(&s.words[0])
		if isCmdlet(name) && w.bareCmdlet(s) {
			return output{}
		}
		in, next, ok := w.peel(name, s)
		if !ok {
			if out, ok := w.hands(name, s); ok {
				return out
			}
			break
		}
		w, s = in, next
	}
	if len(s.words) == 0 || s.words[0].text == "" {
		return output{} // "" is no program
	}
	return w.execute(s)
}

// execute records a command that is no wrapper and follows what it does.
func (w walker) execute(s simple) output {
	if v, ok := w.get("TAR_OPTIONS"); ok && w.program(&s.words[0]) == "tar" && len(v.values) == 1 {
		s.words = slices.Insert(slices.Clone(s.words), 1, w.blanks(v.values[0], s.span)...)
	}
	index := w.record(s)
	cmd := w.line.Commands[index]
	if w.builtin(&cmd, s) {
		return nothing()
	}
	w.effects(index, s)
	w.follow(index, s)
	w.last = index
	return w.output(&cmd, s)
}

// blanks splits a text at blanks and expands nothing, as tar does TAR_OPTIONS.
func (w walker) blanks(text string, span Span) []field {
	var words []field
	for s := range strings.FieldsSeq(text) {
		words = append(words, field{text: s, span: span, inner: -1, known: true})
	}
	return words
}

// program returns the canonical name of a program. A pattern such as /bin/r? is
// resolved to the program it most likely means, which is a guess.
func (w walker) program(f *field) string {
	name := programName(f.text)
	if f.glob && hasGlob(name) {
		if known := globProgram(name); known != "" {
			f.known = false
			return known
		}
	}
	return name
}

// programName reduces a program word to its canonical name.
func programName(word string) string {
	name := word
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if strings.Contains(name, `\`) { // C:\Git\bin\git.exe, quoted
		name = name[strings.LastIndexByte(name, '\\')+1:]
	}
	if i := len(name) - 4; i > 0 && name[i] == '.' {
		switch strings.ToLower(name[i:]) {
		case ".exe", ".cmd", ".bat", ".com":
			name = strings.ToLower(name[:i])
		}
	}
	switch name {
	case "":
		return word
	case "$SHELL", "$BASH", "$0":
		return "sh"
	}
	switch name[0] {
	case 'p', 'n', 'r', 'g', 'l':
		return sameProgram(name)
	}
	return name
}

// sameProgram gives programs that go by several names one of them: an
// interpreter without its version, a GNU tool without the g of other systems.
func sameProgram(name string) string {
	bare := strings.TrimRight(name, "0123456789.-")
	switch bare {
	case "python", "pypy", "pythonw":
		return "python"
	case "pip", "perl", "php", "ruby", "lua", "node", "luajit":
		return bare
	case "nodejs":
		return "node"
	}
	switch name {
	case "grm", "gsed", "gcp", "gmv", "gtar", "gln", "gchmod", "gfind", "gxargs", "gawk", "gtruncate", "gshred", "gdd", "gcat", "ghead", "gtail", "genv", "gtimeout", "gnice", "gtee", "ginstall", "gbase64":
		return name[1:]
	case "rimraf", "rgrep":
		return name
	}
	return name
}

// globProgram returns the first of the programs that matter most whose name
// matches a pattern.
func globProgram(pattern string) string {
	if !strings.ContainsFunc(pattern, func(r rune) bool { return r < 0x80 && isLetter(byte(r)) }) {
		return "" // any program at all
	}
	for _, name := range [...]string{
		"rm", "sh", "bash", "dd", "mv", "git", "cat", "curl", "wget", "nc", "python", "python3", "perl", "chmod", "chown",
		"sudo", "shred", "unlink", "rmdir", "mkfs", "kill", "find", "env", "cp", "tee", "sed", "ssh", "scp", "base64", "truncate", "node", "ruby", "php", "head", "tail", "less", "xargs",
	} {
		if matchPattern(pattern, name) {
			return name
		}
	}
	return ""
}

// record adds a command to the line and returns its index.
func (w walker) record(s simple) int {
	name := w.program(&s.words[0])
	args := make([]string, 0, len(s.words)-1)
	certain := !w.guess && s.words[0].known
	for _, f := range s.words[1:] {
		args = append(args, f.text)
		certain = certain && f.known && !f.glob
	}
	c := Command{
		Program: name, Path: s.words[0].text,
		Wrappers: slices.Clip(w.wrappers), Assigns: s.assigns,
		Dir: w.dir, DirUnknown: w.lost,
		Span: s.span, Certain: certain, Background: w.background,
		Network: talks(name),
	}
	if f := s.words[0]; f.sub != nil && !f.sub.known && !f.known {
		c.Program, c.Runs = "$(…)", f.sub.from
	}
	c.setArgs(args)
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
	w.line.Commands = append(w.line.Commands, c)
	w.last = len(w.line.Commands) - 1
	return w.last
}

// setArgs sorts the words after the program into context options, sub-command,
// flags and operands, and writes the canonical text.
func (c *Command) setArgs(args []string) {
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
	if hasSubcommands(c.Program) {
		for _, a := range args {
			if !strings.HasPrefix(a, "-") {
				c.Subcommand = a
				break
			}
		}
	}
	o := optionsOf(c.Program, c.Subcommand)
	expression := false // find has its paths before its expression
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case c.Program == "find" && (a == "(" || a == "!" || a == ")" || a == ","):
			expression = true
		case c.Program == "find" && isAny(a, "-exec", "-execdir", "-ok", "-okdir"):
			c.Flags = append(c.Flags, a)
			expression = true
			for i+1 < len(args) && args[i+1] != ";" && args[i+1] != "+" {
				i++
			}
			i++
		case a == "--":
			c.Operands = append(c.Operands, args[i+1:]...)
			i = len(args)
		case len(a) > 1 && a[0] == '-':
			c.Flags = append(c.Flags, a)
			expression = c.Program == "find" && a != "-H" && a != "-L" && a != "-P"
			if o.takesNext(a) {
				i++
			}
		case !expression:
			c.Operands = append(c.Operands, a)
		}
	}
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
// $ and patterns stay as they are: in a canonical text they stand for
// themselves, unexpanded.
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

// effect records an effect on a path, unless the path is of another machine.
func (w walker) effect(e Effect, path field) {
	if w.remote || path.text == "" || path.text == "-" {
		return
	}
	if len(w.line.Effects) >= 4*maxCommands {
		w.bounded("too many effects: the rest was not noted")
		return
	}
	e.Path = homePath(path.text)
	if e.Kind == EffectDelete {
		w.forget(joinPath(w.dir, e.Path))
	}
	e.Dir, e.DirUnknown = w.dir, w.lost
	e.Certain = e.Certain || path.known && !path.glob
	if w.guess {
		e.Certain = false
	}
	w.line.Effects = append(w.line.Effects, e)
}

// guessed records an effect that the command is only likely to have.
func (w walker) guessed(e Effect, path field) {
	path.known = false
	w.effect(e, path)
}

// talks reports whether a program's purpose is to talk to other machines.
func talks(name string) bool {
	switch name {
	case "curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ssh", "scp", "sftp", "ftp", "rsync", "http", "https", "httpie", "xh",
		"aria2c", "axel", "lynx", "w3m", "links", "nmap", "ping", "dig", "nslookup", "host", "rclone", "croc", "wormhole", "mosh", "lftp", "tftp",
		"ngrok", "cloudflared", "sendmail", "mail", "mailx", "mutt", "Invoke-WebRequest", "Invoke-RestMethod", "iwr", "irm", "certutil", "bitsadmin":
		return true
	}
	return false
}
