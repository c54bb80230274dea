package undo

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// removed moves what rm would delete. Without -r it leaves folders, which mv does not.
func (c *call) removed() string {
	if c.program == "rm" && !c.has("rR", "--recursive") {
		return ""
	}
	if !c.only("rRfdvi", "--recursive", "--force", "--dir", "--verbose", "--interactive") {
		return ""
	}
	return c.moved()
}

// emptied moves the file that a redirection would empty, and leaves an empty one.
func (c *call) emptied() string {
	moved := c.moved()
	if moved == "" || len(c.operands) > 1 || c.operands[0].glob {
		return ""
	}
	return moved + " && touch --" + join(c.operands)
}

// cutToNothing is emptied, for truncate -s 0.
func (c *call) cutToNothing() string {
	rest, size := c.operands, len(c.flags) == 1 && c.flags[0] == "--size=0" || len(c.flags) == 1 && c.flags[0] == "-s0"
	if len(c.flags) == 1 && slices.Contains([]string{"-s", "--size"}, c.flags[0]) && len(rest) > 1 && c.dashes < 0 && rest[0].text == "0" {
		rest, size = rest[1:], true
	}
	if c.operands = rest; !size {
		return ""
	}
	return c.emptied()
}

// moved moves the operands into the trash of the call. mv does not overwrite there, and
// operands that could have the same name go into folders of their own.
func (c *call) moved() string {
	if len(c.operands) == 0 || !path.IsAbs(c.at.Trash) || !path.IsAbs(c.at.Root) {
		return ""
	}
	apart, names := false, map[string]bool{}
	for _, w := range c.operands {
		if !c.movable(w) {
			return ""
		}
		name := strings.ToLower(path.Base(w.text)) // which a file system may not tell apart
		apart = apart || names[name] || w.glob && len(c.operands) > 1
		names[name] = true
	}
	trash := word{text: c.at.Trash}
	if !apart {
		return fmt.Sprintf("mkdir -p %s && mv -n --%s %s", trash, join(c.operands), word{text: c.at.Trash + "/"})
	}
	made, moves := "mkdir -p", ""
	for i, w := range c.operands {
		into := fmt.Sprintf("%s/%d", c.at.Trash, i+1)
		made += " " + quote(into)
		moves += fmt.Sprintf(" && mv -n -- %s %s", w, quote(into+"/"))
	}
	return made + moves
}

// movable reports whether an operand is of the project's own files: it lies below the
// root, and is not a part of git's folder.
func (c *call) movable(w word) bool {
	last := path.Base(w.text)
	if last == "." || last == ".." || w.glob && strings.ContainsAny(strings.TrimSuffix(strings.TrimRight(w.text, "/"), last), globs) {
		return false
	}
	at := w.text
	if !path.IsAbs(at) {
		at = path.Join(c.folder(), at)
	}
	at = path.Clean(at)
	inTrash := strings.HasPrefix(c.at.Trash+"/", at+"/") || strings.HasPrefix(at+"/", path.Dir(c.at.Trash)+"/")
	below, ok := strings.CutPrefix(at, strings.TrimSuffix(c.at.Root, "/")+"/")
	return ok && below != "" && !inTrash && !slices.Contains(strings.Split(strings.ToLower(below), "/"), ".git")
}
