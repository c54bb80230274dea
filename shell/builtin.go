package shell

import (
	"strings"
)

// builtin performs what a shell's own command changes: the folder, a variable,
// an alias. ok is false for every other command.
func (w walker) builtin(c *recorded) (ok bool) {
	switch c.Program {
	case "cd", "chdir", "pushd":
		w.cd(c)
	case "popd":
		w.env.before = w.env.folder()
		if n := len(w.dirs); n > 0 {
			w.env.dir, w.env.dirs = w.dirs[n-1], w.dirs[:n-1]
		} else {
			w.env.lost = true
		}
	case "alias":
		for _, f := range c.words[1:] {
			name, text, isDef := strings.Cut(f.text, "=")
			if isDef {
				w.env.alias(name, text)
			}
		}
	case "unalias":
		w.env.own()
		for _, f := range c.words[1:] {
			delete(w.env.aliases, f.text)
		}
	case "hash":
		w.hash(c)
	case "unset":
		for _, f := range c.words[1:] {
			w.env.set(f.text, variable{values: []string{""}, unset: true})
			if strings.Contains(c.Text, " -f") {
				delete(w.env.funcs, f.text)
			}
		}
	case "set":
		for i, f := range c.words {
			if f.text == "--" {
				w.env.params, w.env.knows = c.words[i+1:], true
				break
			}
		}
	case "shift":
		if len(w.params) > 0 {
			w.env.params = w.params[1:]
		}
	case "read":
		w.readBuiltin(c)
	case "mapfile", "readarray":
		w.mapfile(c)
	case "export", "declare", "local", "readonly", "typeset":
		w.env.export(c.words)
		for _, f := range c.words[1:] {
			if isAssign(f.text) {
				name, value, _ := strings.Cut(f.text, "=")
				w.env.set(name, variable{values: []string{value}, guess: !f.known})
				w.subshell().runsVariable(name, nested{text: value, inner: -1, span: f.span, guess: !f.known})
			}
		}
	default:
		return false
	}
	return true
}

// cd changes the folder. pushd also remembers the one it left.
func (w walker) cd(c *recorded) {
	i := 1
	for i < len(c.words) && len(c.words[i].text) > 1 && strings.HasPrefix(c.words[i].text, "-") {
		i++
	}
	if c.Program == "pushd" {
		w.env.dirs = append(w.dirs, w.dir)
		if i >= len(c.words) {
			w.env.lost = true
			return
		}
	}
	to := field{known: true}
	if i < len(c.words) {
		to = c.words[i]
		if to.text == "" {
			return // cd "" stays where it is
		}
	}
	w.env.chdir(to)
}

// hash -p path name makes name run path.
func (w walker) hash(c *recorded) {
	for i, f := range c.words {
		if f.text == "-p" && i+2 < len(c.words) {
			w.env.alias(c.words[i+2].text, quote(c.words[i+1].text))
		}
	}
}

// readBuiltin assigns the next line of a known input.
func (w walker) readBuiltin(c *recorded) {
	names := c.Operands
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	if number, ok := c.Value("-u"); ok {
		if content, ok := w.descriptor(number); ok {
			w.env.reads(nil, content)
		}
	}
	if !w.piped || !w.stdin.known {
		w.env.own()
		for _, n := range names {
			if delete(w.env.vars, n); w.piped {
				w.env.set(n, variable{values: []string{"$" + n}, guess: true, from: w.stdin.from, names: w.stdin.names})
			}
		}
		return
	}
	line, rest, _ := strings.Cut(w.stdin.text, "\n")
	w.env.stdin.text, w.env.stdin.inner = rest, 0
	words := strings.Fields(line)
	if c.HasFlag("-a") {
		if name, ok := c.Value("-a"); ok {
			w.env.set(name, variable{values: words, array: true})
		}
		return
	}
	for i, n := range names {
		value := ""
		switch {
		case i == len(names)-1:
			value = strings.TrimSpace(strings.Join(words, " "))
			if len(names) == 1 {
				value = strings.TrimSpace(line)
			}
		case len(words) > 0:
			value, words = words[0], words[1:]
		}
		w.env.set(n, variable{values: []string{value}})
	}
}

// mapfile reads lines into an array; -C names a text that is run for them.
func (w walker) mapfile(c *recorded) {
	for i, f := range c.words {
		if f.text == "-C" && i+1 < len(c.words) {
			w.subshell().nested(textOf(c.words[i+1], c.Program+" -C"))
		}
	}
	name := "MAPFILE"
	if n := len(c.Operands); n > 0 {
		name = c.Operands[n-1]
	}
	if w.piped && w.stdin.known {
		lines := strings.Split(strings.TrimRight(w.stdin.text, "\n"), "\n")
		if len(lines) > maxWords {
			lines = lines[:maxWords]
			w.bounded(tooBig)
		}
		w.env.set(name, variable{values: lines, array: true})
	} else if w.piped && len(w.stdin.names) > 0 {
		w.env.set(name, variable{values: []string{"$" + name}, array: true, guess: true, from: w.stdin.from, names: w.stdin.names})
	}
}
