package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
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

// filesInItsFolders limits a rule about files of any folder to the files that the statement's file
// is about.
func (b *builder) filesInItsFolders(r *ruletext.Rule) {
	areas := b.areas()
	if len(areas)+len(b.s.Excluded) == 0 {
		return
	}
	globs := r.Places()
	if globs == nil {
		return
	}
	if len(areas) > 0 && !b.elsewhereOnly(*globs, r.Exclude, areas) {
		were := scope.NewPaths(*globs, false)
		in, all := b.inAreas(*globs, areas)
		ended := !slices.Equal(in, *globs) && slices.ContainsFunc(*globs, func(g string) bool { _, _, ok := anyEnding(g, areas[0]); return ok })
		if *globs = in; ended {
			r.EndCases(path.Ext(pathglob.Sample(areas[0])), were)
		} else if all {
			r.MoveCases(areaOf(in[0], areas), were)
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
	if !b.p.Whole() || b.p.Young() || b.s.Folder != "" || b.s.OfFolder() == "" && !b.has("path") || slices.Contains(onNewFiles, b.hit.Form.Rule) {
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

// inAreas limits patterns of any folder to the areas. all is false when some are left as they are.
func (b *builder) inAreas(globs, areas []string) (list []string, all bool) {
	ofProject := slices.ContainsFunc(globs, func(g string) bool { return b.ofProject(g, areas) })
	all = len(globs) > 0
	for _, g := range globs {
		var in []string
		if own := inNamedFolder(areas, g); len(own) > 0 && !b.has("path") {
			in = own
		} else if b.ofAnyFolder(g, areas) && (!ofProject || strings.Contains(g, "/")) {
			in = inEach(areas, g, b.has("path") && b.hit.Form.Rule != "creates")
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

// inNamedFolder are the areas in a folder of a name, which a pattern finds anywhere: they are what is meant.
func inNamedFolder(areas []string, g string) (list []string) {
	if !strings.HasPrefix(g, "**/") || !strings.HasSuffix(g, "/**") {
		return nil
	}
	for _, area := range areas {
		if pathglob.Match(g, pathglob.Sample(area)) {
			list = append(list, area)
		}
	}
	return list
}

// inEach limits a pattern of any folder to each of the areas, and, unless the line names it, to their
// endings. It leaves out areas of other files; if
// all are, the pattern is limited to their folders.
func inEach(areas []string, g string, named bool) (list []string) {
	for _, area := range areas {
		if dir, ok := ruletext.AreaFolder(area); ok {
			list = append(list, belowDir(dir, g))
		} else if front, ending, ok := anyEnding(g, area); ok && (!named || !strings.HasSuffix(g, "/**")) {
			list = append(list, front+ending)
		} else if g == "**" || slices.ContainsFunc(pathglob.SpelledOut(area), func(p string) bool { return pathglob.Match(g, pathglob.Sample(p)) }) {
			list = append(list, area)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, area := range areas {
		if dir, ok := ruletext.AreaFolder(folderArea(area)); ok {
			list = append(list, belowDir(dir, g))
		}
	}
	return list
}

// anyEnding splits a pattern of files with any ending at the end of its name, with the ending of an area
// in the place of that.
func anyEnding(g, area string) (front, ending string, ok bool) {
	m := ofEnding.Get().FindStringSubmatch(area)
	if front, ok = strings.CutSuffix(g, ".*"); !ok && strings.HasPrefix(g, "**/") && strings.HasSuffix(g, "/**") {
		front, ok = g+"/*", true
	}
	if m == nil || !ok {
		return "", "", false
	}
	return front, m[1], true
}

// ofEnding is an area of files by their ending alone.
var ofEnding = lazy.Regexp{Source: `^(?:\*\*/)?\*(\.(?:\w+|\{[\w,]+\}))$`}

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
	dir, ok := ruletext.AreaFolder(area)
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
		dir, ok := ruletext.AreaFolder(area)
		return !ok || b.p.Has(path.Join(dir, g))
	})
}
