package shell

import (
	"path"
	"slices"
	"strings"
)

// A line can change the settings of git before it uses them. What it writes is followed as far as
// its text tells it. Where it is not told, a sub-command that git does not know may be anything: then
// it counts as those here, too.
var unseenAliases = [...]string{"commit", "push"}

// gitUnseen walks what a sub-command may be of which the line does not tell what it means.
func (w walker) gitUnseen(c *recorded) {
	if !w.analyzer.gitUnsure && !w.settingsRewritten() {
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
	case c.HasFlag("-e", "--rename-section", "--remove-section", "--unset", "--unset-all"),
		word == "edit", word == "unset", word == "rename-section", word == "remove-section":
		return true
	case word == "set":
		operands = operands[1:]
	}
	return len(operands) > 1 && !operands[0].known
}

// settingsRewritten reports whether a command of the line writes a file of settings of git, and
// what is in it then is not known.
func (w walker) settingsRewritten() bool {
	return slices.ContainsFunc(w.line.Effects, func(e Effect) bool {
		return slices.ContainsFunc([]string{e.Path, e.To}, func(name string) bool {
			return name != "" && isSettings(joinPath(e.Dir, name), e.Kind) && w.rewritten(&e, name)
		})
	})
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
	if !e.Kind.OnFile() || e.Kind == EffectRead {
		return false
	}
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
	for i := range w.line.Effects {
		e := &w.line.Effects[i]
		for _, written := range [...]string{e.Path, e.To} {
			if written != "" && joinPath(e.Dir, written) == name && w.rewritten(e, written) {
				w.unsure()
			}
		}
	}
}

// disturbed reports whether the line may have taken a repository away that is there, so that git
// finds the one above.
func (w walker) disturbed() bool {
	return slices.ContainsFunc(w.line.Effects, func(e Effect) bool {
		return e.Kind == EffectDelete || e.Kind == EffectMove || strings.Contains("/"+e.Path+"/", "/.git/") && e.Kind.OnFile() && e.Kind != EffectRead
	})
}
