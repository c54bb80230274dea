package shell

import (
	"path"
	"slices"
	"strings"
)

// startMark begins a path from the folder in which the line starts, wherever the line has
// gone since. It is in no text of a Line.
const startMark = "\x01"

// homePath writes $HOME as ~ and the folder in which the line starts, $PWD, as startMark,
// so that a path has one form.
func homePath(p string) string {
	if strings.HasPrefix(p, startMark) {
		return "./" + p // a name that has the mark
	}
	if !strings.HasPrefix(p, "$") {
		return p
	}
	for _, v := range []struct{ name, short string }{{"$HOME", "~"}, {"$PWD", startMark}} {
		rest, ok := strings.CutPrefix(p, v.name)
		if ok && (rest == "" || rest[0] == '/') {
			return v.short + rest
		}
	}
	return p
}

// seenFrom is a path of homePath as it is named in the current folder; ok is false where
// that is not known.
func (e *env) seenFrom(p string) (name string, ok bool) {
	rest, marked := strings.CutPrefix(p, startMark)
	switch {
	case !marked:
		return p, true
	case e.lost || isFixed(e.dir):
		return "", false
	case e.dir == "":
		return "." + rest, true
	}
	to, from := strings.Split(cleanPath("."+rest), "/"), strings.Split(e.dir, "/")
	for len(to) > 0 && len(from) > 0 && to[0] == from[0] {
		to, from = to[1:], from[1:]
	}
	if slices.Contains(from, "..") {
		return "", false
	}
	return cleanPath(strings.Repeat("../", len(from)) + strings.Join(to, "/")), true
}

// place names the paths of an effect from its folder, and where that is not possible from the
// one in which the line starts.
func (w walker) place(e *Effect) {
	name, ok := w.seenFrom(e.Path)
	to, also := w.seenFrom(e.To)
	if ok && also {
		e.Path, e.To = name, to
		return
	}
	fromStart := func(p string) string {
		if rest, ok := strings.CutPrefix(p, startMark); ok {
			return "." + rest
		}
		return joinPath(w.dir, p)
	}
	moves := e.Kind == EffectMove
	e.Path, e.Dir, e.DirUnknown = fromStart(e.Path), "", moves && w.lost
	if moves {
		e.To = fromStart(e.To)
	}
}

// symbol is the text that stands for what a command prints, if it has one meaning: a path
// from the folder in which the line starts, or the name of a file that mktemp makes.
func (w walker) symbol(c *recorded) (text string, known bool) {
	if _, ok := w.get("PATH"); ok {
		return "", false // it may be another program
	}
	switch c.Program {
	case "pwd":
		return w.workingFolder()
	case "mktemp":
		return newName(c.Command), false
	case "dirname", "basename", "realpath", "readlink":
		return w.printedPath(c)
	}
	return "", false
}

// workingFolder is the current folder, as a text.
func (w walker) workingFolder() (text string, known bool) {
	switch _, set := w.get("PWD"); {
	case w.lost, set:
		return "", false
	case w.dir == "":
		return "$PWD", true
	case strings.HasPrefix(w.dir, "~"):
		return "$HOME" + w.dir[1:], w.dir == "~" || w.dir[1] == '/'
	case isFixed(w.dir):
		return w.dir, true
	}
	return "$PWD/" + w.dir, true
}

// printedPath is what a program prints that makes one path of another.
func (w walker) printedPath(c *recorded) (text string, known bool) {
	if len(c.operands) == 0 || !c.operands[0].known || c.operands[0].glob {
		return "", false
	}
	name := c.operands[0].text
	alone := len(c.operands) == 1 && len(c.words) == 2+c.count("--")
	switch {
	case name == "" || strings.Contains(name, "$") && !strings.HasPrefix(homePath(name), "~") && !strings.HasPrefix(homePath(name), startMark):
	case c.Program == "dirname" && alone:
		return path.Dir(strings.TrimRight(name, "/")), true
	case c.Program == "basename" && len(c.words) == 1+len(c.operands)+c.count("--") && len(c.operands) <= 2:
		name = path.Base(name)
		if len(c.operands) == 2 && name != c.operands[1].text {
			name = strings.TrimSuffix(name, c.operands[1].text)
		}
		return name, c.operands[len(c.operands)-1].known
	case c.Program == "realpath" && alone || c.Program == "readlink" && c.HasFlag("-f", "-e", "-m") && len(c.operands) == 1:
		in := w.subshell()
		in.env.chdir(field{text: name, known: true})
		return in.workingFolder()
	}
	return "", false
}

// count is how often a word stands in the command.
func (c *recorded) count(word string) (n int) {
	for _, f := range c.words {
		if f.text == word {
			n++
		}
	}
	return n
}

// newName is the text for what mktemp prints: the name of a file or folder that was not
// there before, wherever it is.
func newName(c *Command) string {
	for _, arg := range c.Args {
		if strings.HasPrefix(arg, "--") && !slices.ContainsFunc([]string{"--directory", "--tmpdir", "--suffix", "--quiet"}, func(known string) bool { return strings.HasPrefix(arg, known) }) {
			return ""
		}
	}
	if c.HasFlag("-d", "--directory") {
		return "$(mktemp -d)"
	}
	return "$(mktemp)"
}
