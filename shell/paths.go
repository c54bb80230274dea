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
	if !strings.HasPrefix(p, "$") && !strings.HasPrefix(p, "~+") {
		return p
	}
	for _, v := range []struct{ name, short string }{{"$HOME", "~"}, {"$PWD", startMark}, {"~+", "."}} {
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
		text = w.workingFolder()
	case "mktemp":
		return newName(c.Command), false
	case "dirname", "basename", "realpath", "readlink":
		text = w.printedPath(c)
	case "git":
		text = w.gitTop(c)
	}
	return text, text != ""
}

// folder is the current folder as a text that means the same in every folder: $PWD is the one
// in which the line starts. It is "" where the line does not tell.
func (e *env) folder() string {
	switch {
	case e.lost:
		return ""
	case e.dir == "":
		return "$PWD"
	case e.dir == "~" || strings.HasPrefix(e.dir, "~/"):
		return "$HOME" + e.dir[1:]
	case isFixed(e.dir):
		return e.dir
	}
	return "$PWD/" + e.dir
}

// workingFolder is [env.folder] on this machine, where the line does not set PWD.
func (w walker) workingFolder() string {
	if _, set := w.get("PWD"); set || w.remote && !isFixed(w.dir) {
		return ""
	}
	return w.folder()
}

// printedPath is what dirname, basename, realpath or readlink make of a path that is known.
func (w walker) printedPath(c *recorded) string {
	if len(c.operands) == 0 || len(c.operands) > 2 || slices.ContainsFunc(c.operands, func(f field) bool { return !f.known || f.glob || f.text == "" }) {
		return ""
	}
	name, alone := c.operands[0].text, len(c.operands) == 1
	switch {
	case isOpen(strings.TrimPrefix(homePath(name), startMark)):
	case c.Program == "dirname" && alone && len(c.Flags) == 0:
		return path.Dir(strings.TrimRight(name, "/"))
	case c.Program == "basename" && len(c.Flags) == 0:
		name = path.Base(name)
		if !alone && name != c.operands[1].text {
			name = strings.TrimSuffix(name, c.operands[1].text)
		}
		return name
	case alone && (c.Program == "realpath" && !hasAnyPrefix(c.Flags, "--relative", "-z", "--zero") || c.Program == "readlink" && c.HasFlag("-f", "-e", "-m")):
		in := w.subshell()
		in.env.chdir(field{text: name, known: true})
		return in.workingFolder()
	}
	return ""
}

// hasAnyPrefix reports whether one of the words begins with one of the texts.
func hasAnyPrefix(words []string, prefixes ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(word, p) })
	})
}

// gitTop is what git rev-parse prints of where the repository is.
func (w walker) gitTop(c *recorded) string {
	if c.Subcommand != "rev-parse" || len(c.Context) > 0 || len(c.Flags) != 1 || len(c.Args) != 2 || w.lost || w.remote {
		return ""
	}
	behind, ok := map[string]string{
		"--show-toplevel": "", "--show-cdup": "", "--git-dir": "/.git", "--absolute-git-dir": "/.git", "--git-common-dir": "/.git",
	}[c.Flags[0]]
	if !ok {
		return ""
	}
	in := w.subshell()
	for range maxAbove {
		if in.isGitFolder(joinPath(in.dir, ".git")) {
			return in.folder() + behind
		}
		in.env.chdir(field{text: "..", known: true})
	}
	return ""
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
