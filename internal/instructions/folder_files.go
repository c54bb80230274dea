package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// areas are the patterns of the files that the statement's file is about: none for the whole
// project. A line of .github/ is about the project.
func (b *builder) areas() []string {
	if dir := b.s.OfFolder(); dir != "" {
		if pathglob.Hidden(dir) {
			return nil
		}
		return []string{dir + "/**"}
	}
	return b.s.Globs
}

// areaFolder is the folder that an area is all files of.
func areaFolder(area string) (dir string, ok bool) {
	for _, all := range []string{"/**", "/**/*", "/**/*.*"} {
		if dir, ok = strings.CutSuffix(area, all); ok {
			return dir, true
		}
	}
	return "", false
}

// filesInItsFolders limits a rule about files of any folder to the files that the statement's file
// is about.
func (b *builder) filesInItsFolders(r *ruleFile) {
	areas := b.areas()
	if len(areas)+len(b.s.Excluded) == 0 {
		return
	}
	globs := r.places()
	if globs == nil {
		return
	}
	if len(areas) > 0 && !b.elsewhereOnly(*globs, r.Exclude, areas) {
		were := scope.NewPaths(*globs, false)
		in, all := b.inAreas(*globs, areas)
		if *globs = in; all {
			r.moveCases(areaOf(in[0], areas), were)
		}
	}
	switch out := outOf(*globs, b.s.Excluded); {
	case globs == &r.Scope:
		r.Exclude = append(slices.Clip(r.Exclude), out...)
	case r.Also != nil:
		r.Also.Except = append(slices.Clip(r.Also.Except), out...)
	}
}

// onNewFiles are the kinds of rules about new files: a folder has none of those that its file forbids.
var onNewFiles = []string{"placement", "creates", "new-kind", "test-files", "names", "file-endings"}

// elsewhereOnly reports whether the project has files that a rule is about, but none of them in the
// areas: a file of a folder of documents may be about code.
func (b *builder) elsewhereOnly(globs, exclude, areas []string) bool {
	if !b.p.Whole() || b.p.Young() || b.s.Folder != "" || b.s.OfFolder() == "" || slices.Contains(onNewFiles, b.hit.Form.Rule) {
		return false
	}
	in, all := b.inAreas(globs, areas)
	return all && !b.p.HoldsBut(in, exclude) && b.p.HoldsBut(globs, exclude)
}

// areaOf is the area that a pattern is in, or the folder of one.
func areaOf(g string, areas []string) string {
	for _, area := range append(areas[:len(areas):len(areas)], pathglob.Each(areas, folderArea)...) {
		if isIn(area, g) {
			return area
		}
	}
	return areas[0]
}

// outOf are the excluded patterns that take files out of others, and not the files that these name.
func outOf(globs, excluded []string) []string {
	return slices.DeleteFunc(slices.Clone(excluded), func(out string) bool {
		return !slices.ContainsFunc(globs, func(g string) bool {
			front := g[:len(g)-len(strings.TrimLeft(g, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@"))]
			return front != g && strings.HasPrefix(out, front) && !pathglob.Match(out, pathglob.Sample(g))
		})
	})
}

// places are the patterns of the files that a rule is about, nil for a rule about something else. A
// rule about all files gets a pattern of them.
func (r *ruleFile) places() *[]string {
	switch {
	case r.Requires != nil:
		return &r.Requires.Since
	case r.Also != nil:
		return &r.Also.Changed
	case r.BeforeFirst != nil:
		return &r.BeforeFirst.Write
	case r.Trigger != "file_write" && r.Trigger != "file_read":
		return nil
	case len(r.Scope) == 0:
		r.Scope = []string{"**"}
	}
	return &r.Scope
}

// inAreas limits patterns of any folder to the areas. all is false when some are left as they are.
func (b *builder) inAreas(globs, areas []string) (list []string, all bool) {
	ofProject := slices.ContainsFunc(globs, func(g string) bool { return b.ofProject(g, areas) })
	all = len(globs) > 0
	for _, g := range globs {
		var in []string
		if b.ofAnyFolder(g, areas) && (!ofProject || strings.Contains(g, "/")) {
			in = inEach(areas, g)
		}
		if len(in) == 0 {
			in, all = []string{g}, all && slices.ContainsFunc(areas, func(area string) bool { return isIn(area, g) })
		}
		for _, g := range in {
			if !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	}
	return list, all
}

// inEach limits a pattern of any folder to each of the areas. It leaves out areas of other files; if
// all are, the pattern is limited to their folders.
func inEach(areas []string, g string) (list []string) {
	for _, area := range areas {
		if dir, ok := areaFolder(area); ok {
			list = append(list, belowDir(dir, g))
		} else if g == "**" || slices.ContainsFunc(pathglob.SpelledOut(area), func(p string) bool { return pathglob.Match(g, pathglob.Sample(p)) }) {
			list = append(list, area)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, area := range areas {
		if dir, ok := areaFolder(folderArea(area)); ok {
			list = append(list, belowDir(dir, g))
		}
	}
	return list
}

// folderArea is the folder that an area begins with, or the area where it begins with none.
func folderArea(area string) string {
	if m := globFolder.Get().FindStringSubmatch(area); m != nil {
		return m[1] + "**"
	}
	return area
}

// globFolder is the folder that a pattern begins with.
var globFolder = lazy.Regexp{Source: `^((?:[\w.@-]+/)+)[^/]*[*{]`}

// isIn reports whether a path or a pattern is in an area.
func isIn(area, g string) bool {
	dir, ok := areaFolder(area)
	return area == g || ok && strings.HasPrefix(g, dir+"/")
}

// belowDir limits a pattern of any folder to dir.
func belowDir(dir, g string) string {
	rest := strings.TrimPrefix(g, "**/")
	switch {
	case pathglob.Match(g, dir+"/a"): // its own name is what the pattern asks for
		return dir + "/**"
	case strings.HasPrefix(rest, dir+"/"):
		return rest
	case rest != g, g == "**", strings.HasSuffix(g, "/**"):
		return dir + "/" + g
	}
	return dir + "/**/" + g
}

// ofAnyFolder reports whether a pattern is about files of any folder.
func (b *builder) ofAnyFolder(g string, areas []string) bool {
	switch {
	case g == "**", strings.HasPrefix(g, "**/*"):
		return true
	case b.s.OfFolder() == "" && !b.has("kind"): // it is named from the project's folder
		return false
	case strings.Contains(g, "/") && b.hit.Form.Rule == "kinds":
		return g[0] != '.' && !slices.ContainsFunc(areas, func(area string) bool { return isIn(area, g) })
	}
	return strings.HasPrefix(g, "**/") || !strings.Contains(g, "/")
}

// ofProject reports whether a pattern is the name of a file in the project's folder that none of
// these folders has.
func (b *builder) ofProject(g string, areas []string) bool {
	return !strings.Contains(g, "/") && b.p.Has(g) && !slices.ContainsFunc(areas, func(area string) bool {
		dir, ok := areaFolder(area)
		return !ok || b.p.Has(path.Join(dir, g))
	})
}

// moveCases moves the files of a rule's cases into an area, and adds a case that passes outside of
// it. It leaves a rule alone whose cases are there already. were are the patterns that the rule had.
func (r *ruleFile) moveCases(area string, were *scope.Paths) {
	if !slices.ContainsFunc(r.Tests, func(c ruleCase) bool { return c.Expect == violation && !c.isIn(area) }) {
		return
	}
	m := mover{area: area, were: were}
	m.dir, m.whole = areaFolder(area)
	m.dir = pathglob.Sample(m.dir)
	for _, c := range r.Tests {
		if c.Expect == violation {
			m.stopped = append(m.stopped, c.Write, c.Read)
			for _, s := range c.Before {
				m.stopped = append(m.stopped, s.Write, s.Read)
			}
		}
	}
	var list, outside []ruleCase
	for _, was := range r.Tests {
		c := was
		c.Before = slices.Clone(c.Before)
		m.lost = false
		for k := range c.Before {
			m.place(&c.Before[k].Write)
			if r.BeforeFirst == nil {
				m.place(&c.Before[k].Read)
			}
		}
		written, read := m.place(&c.Write), m.place(&c.Read)
		if c.Bash != "" && r.Trigger == "file_write" && !strings.Contains(c.Bash, m.dir+"/") {
			c.Bash = "cd " + m.dir + " && " + c.Bash
			written, m.lost = true, !m.whole // a command that writes another file cannot be moved
		}
		if !m.lost {
			list = append(list, c)
		}
		if (written || read) && c.Expect == violation && len(outside) == 0 {
			outside = append(outside, passes(was))
		}
	}
	r.Tests = append(list, outside...)
}

// A mover moves paths into an area: all files of dir, where it is whole.
type mover struct {
	area, dir string
	whole     bool
	were      *scope.Paths
	stopped   []string // the paths of the cases that are stopped
	lost      bool     // a path cannot be moved, since its name is what makes it pass
}

// place moves a path.
func (m *mover) place(p *string) (moved bool) {
	was := *p
	if was == "" || pathglob.Match(m.area, was) || strings.HasPrefix(was, "../") || strings.ContainsRune("/~", rune(was[0])) {
		return false
	}
	if m.whole {
		*p = m.dir + "/" + was
		return true
	}
	if _, covered := m.were.Match(was); !covered {
		return false
	}
	if *p = path.Join(path.Dir(pathglob.Sample(m.area)), path.Base(was)); !pathglob.Match(m.area, *p) {
		*p = pathglob.Sample(m.area)
		m.lost = m.lost || !slices.Contains(m.stopped, was)
	}
	return true
}

// isIn reports whether a case is about a write in an area, or about what follows one.
func (c ruleCase) isIn(area string) bool {
	return pathglob.Match(area, c.Write) || slices.ContainsFunc(c.Before, func(s step) bool { return pathglob.Match(area, s.Write) })
}
