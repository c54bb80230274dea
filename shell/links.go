package shell

import (
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

// remembersLinks notes the second names that ln, link and cp -l make.
func (w walker) remembersLinks(c *recorded) {
	symbolic := false
	switch c.Program {
	case "ln":
		symbolic = c.HasFlag("-s", "--symbolic")
	case "link":
	case "cp":
		if symbolic = c.HasFlag("-s", "--symbolic-link"); !symbolic && !c.HasFlag("-l", "--link") {
			return
		}
	default:
		return
	}
	if len(c.operands) == 0 || w.remote || w.lost {
		return
	}
	to := field{text: "."}
	from := c.operands
	if len(from) > 1 {
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	for _, f := range from {
		if len(w.links) >= maxLinks {
			w.bounded("too many links: not all were followed")
			return
		}
		name := joinPath(w.dir, homePath(to.text))
		inside := joinPath(w.dir, homePath(f.withBase(to).text))
		target := joinPath(w.dir, homePath(f.text))
		if symbolic && !strings.HasPrefix(f.text, "/") && !strings.HasPrefix(f.text, "$") && !strings.HasPrefix(f.text, "~") {
			w.addLink(link{name: name, target: joinPath(parentPath(name), f.text)}) // seen from the link's own folder
		}
		w.addLink(link{name: name, target: target, hard: !symbolic})
		w.addLink(link{name: inside, target: target, hard: !symbolic})
	}
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

// followed records an effect on what a name of the line's own making leads to. To
// remove or to move a link leaves what it leads to as it is.
func (w walker) followed(e Effect) {
	at := joinPath(w.dir, e.Path)
	for _, l := range w.links {
		rest, ok := strings.CutPrefix(at, l.name)
		if !ok || rest != "" && (rest[0] != '/' || l.hard) {
			continue
		}
		if rest == "" && (e.Kind == EffectDelete || e.Kind == EffectMove) {
			continue
		}
		e := e
		e.Path, e.Dir, e.Certain = l.target+rest, "", false
		w.line.Effects = append(w.line.Effects, e)
	}
}
