package shell

import (
	"path"
	"slices"
	"strings"
)

// A line can change the settings of git before it uses them. They are followed as far as the text of the
// line tells them. Where it does not, a sub-command that git does not know may be anything: then it counts as
// those here, too.
var unseenAliases = [...]string{"commit", "push"}

// gitUnseen walks what a sub-command may be, where the line does not tell its meaning.
func (w walker) gitUnseen(c *recorded) {
	changes := w.gitChanges()
	w.judge(changes.usual)
	if changes.usual = nil; !w.analyzer.gitUnsure {
		return
	}
	for _, value := range unseenAliases {
		w.gitAliased(c, value, nested{wrapper: "git " + c.Subcommand, guess: true})
	}
}

// unsure notes that settings of git may have any content from here on.
func (a *analyzer) unsure() { a.gitUnsure = true }

// isOpen reports whether a part of a text is not known: a variable or what a command prints.
func isOpen(text string) bool { return strings.ContainsAny(homePath(text), "$`") }

// gitConfigured notes what git config changes: an alias or a file of aliases for a later use in the
// line, wherever that is, and that something else may be one.
func (w walker) gitConfigured(c *recorded) {
	if w.gitConfigUnseen(c) {
		w.unsure()
	}
	for i, f := range c.words {
		if i+1 < len(c.words) {
			w.keeps(f.text, c.words[i+1].text, !c.words[i+1].known)
		}
	}
}

// gitConfigUnseen reports whether git config may change an alias in a way that its words do not
// tell.
func (w walker) gitConfigUnseen(c *recorded) bool {
	operands := c.operands[min(1, len(c.operands)):]
	word := ""
	if len(operands) > 0 {
		word = operands[0].text
	}
	switch {
	case c.HasFlag("-l", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool"), word == "list", word == "get":
		return false
	case c.HasFlag("-e"), word == "edit":
		return true
	case word == "unset", word == "rename-section", word == "remove-section":
		return len(operands) == 1 || slices.ContainsFunc(operands[1:], namesSubcommands)
	case c.HasFlag("--rename-section", "--remove-section", "--unset", "--unset-all"):
		return len(operands) == 0 || slices.ContainsFunc(operands, namesSubcommands)
	case word == "set":
		operands = operands[1:]
	}
	return len(operands) > 1 && !operands[0].known
}

// namesSubcommands reports whether a key or a section of settings may name sub-commands of git, as an unknown
// one may. Where one file no longer has a key, the value in another file holds.
func namesSubcommands(key field) bool {
	section, _, _ := strings.Cut(strings.ToLower(key.text), ".")
	switch section {
	case "alias", "include", "includeif", "extensions": // the last one says which files there are
		return true
	}
	return !key.known
}

// gitChanges are the effects of a line that may change what git reads. Each one is looked at once: a line
// may have thousands, and as many commands of git.
type gitChanges struct {
	seen      int                    // how many effects were looked at
	disturbed bool                   // a repository that is there may be gone, so that git finds the one above
	usual     []gitChange            // of files with usual names, that are not judged yet
	of        map[string][]gitChange // of any file that is not judged yet, by its path
}

// A gitChange is an effect that writes a file, as it names it.
type gitChange struct {
	effect int
	name   string
}

// gitChanges are those of all that the line has done.
func (w walker) gitChanges() *gitChanges {
	g := &w.analyzer.gitChanged
	for ; g.seen < len(w.line.Effects); g.seen++ {
		e := &w.line.Effects[g.seen]
		writes := e.Kind.OnFile() && e.Kind != EffectRead
		g.disturbed = g.disturbed || e.Kind == EffectDelete || e.Kind == EffectMove || writes && strings.Contains("/"+e.Path+"/", "/.git/")
		for _, name := range [...]string{e.Path, e.To} {
			if name == "" || !writes {
				continue
			}
			at, one := joinPath(e.Dir, name), gitChange{g.seen, name}
			if isSettings(at, e.Kind) {
				g.usual = append(g.usual, one)
			}
			if g.of == nil {
				g.of = map[string][]gitChange{}
			}
			g.of[at] = append(g.of[at], one)
		}
	}
	return g
}

// judge notes that settings are not known any more, if one of the changes leaves an unknown content.
func (w walker) judge(changes []gitChange) {
	if slices.ContainsFunc(changes, func(one gitChange) bool { return w.rewritten(&w.line.Effects[one.effect], one.name) }) {
		w.unsure()
	}
}

// isSettings reports whether a name is usual for settings of git, or for what leads to them. To
// remove the folder of a repository changes none of the others.
func isSettings(name string, kind EffectKind) bool {
	dir, base := path.Split(strings.ToLower(name))
	switch base {
	case ".gitconfig", "gitconfig", "config.worktree", "commondir":
		return true
	case ".git":
		return kind != EffectDelete
	case "config":
		dir = path.Base(dir)
		return dir == ".git" || dir == "git" || strings.HasSuffix(dir, ".git")
	}
	return false
}

// rewritten reports whether an effect leaves a content in a file that is not known.
func (w walker) rewritten(e *Effect, name string) bool {
	if c := &w.line.Commands[e.Command]; c.Program == "git" && c.Subcommand == "config" {
		return false // see gitConfigured
	}
	own, ok := w.fileAt(joinPath(e.Dir, name))
	switch {
	case !ok || isOpen(own.text):
		return true
	case len(own.files) == 0:
		return own.text == "" && !own.known || len(own.from) > 0 && !own.known
	}
	return slices.ContainsFunc(own.files, func(file string) bool {
		return file != joinPath(e.Dir, name) && !w.readFile(file, asSettings).known
	})
}

// unseenIn notes that the line writes a file of settings, whatever its name is, that git reads.
func (w walker) unseenIn(name string) {
	changes := w.gitChanges()
	w.judge(changes.of[name])
	delete(changes.of, name)
}
