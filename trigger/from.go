package trigger

import (
	"context"
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
)

// Bounds of how one project sees what a call does below or around it.
const (
	fromPaths   = 200  // paths of one action that lie in the project
	fromEntries = 1000 // names below them
)

// From returns the actions of a call, which were mapped for one root, as they are
// seen from ev.Root: of a file action the paths that lie in that folder, and with a
// folder around it that is removed all of its content. Mapping the call once more
// would cost as much again for each project that a command reaches into.
func (m *Mapper) From(ctx context.Context, ev sentinel.Event, actions []sentinel.Action) []sentinel.Action {
	c := newCall(ctx, m, ev, arguments{})
	c.fs.walked = callEntries - fromEntries
	seen := make([]sentinel.Action, len(actions))
	for i := range actions {
		a := actions[i]
		if a.Trigger == sentinel.FileWrite || a.Trigger == sentinel.FileRead {
			c.fs.see(&a)
		}
		a.Root = c.fs.root
		seen[i] = a
	}
	return seen
}

// see changes the forms of a file action to those from r's root.
func (r *resolver) see(a *sentinel.Action) {
	abs := func(form string) string { return r.style.clean(r.style.join(a.Root, form)) }
	removes := a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove
	around, inside := false, []string(nil)
	for _, form := range a.Forms {
		path := abs(form)
		if rel := r.fromRoot(path); !r.style.isAbs(rel) {
			inside = append(inside, rel)
		} else if _, is := below(path, r.root, r.fold); is {
			around = around || removes
		}
	}
	a.Path = r.fromRoot(abs(a.Path))
	a.Forms = []string{a.Path}
	if around {
		r.addContent(a, []string{r.root}, r.root)
	}
	if removes {
		inside = outermost(inside)
	}
	for i, path := range inside {
		if i == fromPaths {
			a.Certain = false
			a.Forms = append(a.Forms, "**") // anything in the project
			return
		}
		a.Forms = appendNew(a.Forms, path)
		if removes {
			r.addContent(a, []string{path}, r.style.join(r.root, path))
		}
	}
}

// outermost are the paths that lie below no other one of them.
func outermost(paths []string) []string {
	slices.Sort(paths)
	var found []string
	for _, p := range paths {
		if n := len(found); n > 0 && (p == found[n-1] || found[n-1] == "." || strings.HasPrefix(p, found[n-1]+"/")) {
			continue
		}
		found = append(found, p)
	}
	return found
}
