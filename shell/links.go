package shell

import (
	"path"
	"slices"
	"strings"
)

// A link is a second name that the line itself gives to a file or a folder.
type link struct {
	name, target string // as seen from where the line starts
	hard         bool
}

// maxLinks bounds the links of one line that are followed.
const maxLinks = 32

// remembersLinks notes the second names that ln, link, cp -l and mount --bind make.
func (w walker) remembersLinks(c *recorded) {
	kind := hardLink
	switch c.Program {
	case "ln":
		if c.HasFlag("-s", "--symbolic") {
			kind = symbolicLink
		}
	case "link":
	case "cp":
		if c.HasFlag("-s", "--symbolic-link") {
			kind = symbolicLink
		} else if !c.HasFlag("-l", "--link") {
			return
		}
	case "mount":
		kind = boundFolder
		if o, _ := c.Value("-o", "--options"); !strings.Contains(o, "bind") && !c.HasFlag("-B", "--bind", "-R", "--rbind") {
			return
		}
	default:
		return
	}
	if len(c.operands) == 0 {
		return
	}
	to := field{text: "."}
	from := c.operands
	if len(from) > 1 {
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	for _, f := range from {
		w.linked(f, to, kind)
	}
}

// A linkKind says what a link leads to.
type linkKind uint8

const (
	hardLink     linkKind = iota // a file, and none below it
	symbolicLink                 // seen from the link's own folder
	boundFolder                  // mount --bind
)

// linked notes that the name to, or one in that folder, leads to from.
func (w walker) linked(from, to field, kind linkKind) {
	if w.remote || w.lost || from.text == "" || to.text == "" {
		return
	}
	if len(w.links) >= maxLinks {
		w.bounded("too many links: not all were followed")
		return
	}
	name := joinPath(w.dir, homePath(to.text))
	target := joinPath(w.dir, homePath(from.text))
	if kind == symbolicLink && !strings.HasPrefix(from.text, "/") && !strings.HasPrefix(from.text, "$") && !strings.HasPrefix(from.text, "~") {
		w.addLink(link{name: name, target: joinPath(parentPath(name), from.text)})
	}
	w.addLink(link{name: name, target: target, hard: kind == hardLink})
	w.addLink(link{name: joinPath(w.dir, homePath(from.withBase(to).text)), target: target, hard: kind == hardLink})
}

func (a *analyzer) addLink(l link) {
	if l.name != l.target && !slices.Contains(a.links, l) {
		a.links = append(a.links, l)
	}
}

func parentPath(p string) string {
	if i := strings.LastIndexByte(p, '/'); i > 0 {
		return p[:i]
	}
	return "."
}

// followed records an effect on what a name of the line's own making leads to, by one
// link after the other. To remove or to move a link leaves what it leads to as it is.
func (w walker) followed(e Effect) {
	at := []string{joinPath(w.dir, e.Path)}
	for i := 0; i < len(at); i++ {
		for _, l := range w.links {
			rest, ok := strings.CutPrefix(at[i], l.name)
			if !ok || rest != "" && (rest[0] != '/' || l.hard) {
				continue
			}
			if rest == "" && (e.Kind == EffectDelete || e.Kind == EffectMove) || slices.Contains(at, l.target+rest) {
				continue
			}
			if len(at) > maxLinks {
				w.bounded("too many links: not all were followed")
				return
			}
			at = append(at, l.target+rest)
			e := e
			e.Path, e.Dir, e.Certain = l.target+rest, "", false
			w.line.Effects = append(w.line.Effects, e)
		}
	}
}

// renamed is the program that a name leads to which the line itself has given to it, by a
// link or a copy; "" for every other name.
func (w walker) renamed(word string) string {
	if len(w.links)+len(w.written) == 0 {
		return ""
	}
	if made, ok := w.inPath(word); ok {
		word = made
	} else if !strings.Contains(word, "/") {
		return ""
	}
	name := joinPath(w.dir, homePath(word))
	for _, l := range w.links {
		if l.name == name && isProgramPath(l.target) {
			return path.Base(l.target)
		}
	}
	if content, ok := w.fileAt(name); ok && len(content.files) > 0 && isProgramPath(content.files[0]) {
		return path.Base(content.files[0])
	}
	return ""
}

// isProgramPath reports whether a path is one of a program of the system.
func isProgramPath(p string) bool {
	return strings.HasPrefix(p, "/") && (path.Base(path.Dir(p)) == "bin" || path.Base(path.Dir(p)) == "sbin")
}

// inPath is the file of a name without a folder that the line itself has made where a shell
// looks for programs: in a folder "bin", or in the current one where PATH has it.
func (w walker) inPath(name string) (string, bool) {
	if strings.Contains(name, "/") || name == "" {
		return "", false
	}
	PATH, _ := w.get("PATH")
	here := len(PATH.values) == 1 && (strings.HasPrefix(PATH.values[0], ".") || strings.HasPrefix(PATH.values[0], "$PWD"))
	made := func(p string) bool {
		return path.Base(p) == name && (path.Base(path.Dir(p)) == "bin" || here && path.Dir(p) == ".")
	}
	for _, f := range w.written {
		if made(f.path) {
			return f.path, true
		}
	}
	for _, l := range w.links {
		if made(l.name) {
			return l.name, true
		}
	}
	return "", false
}
