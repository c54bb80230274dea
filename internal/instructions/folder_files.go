package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// globFolder is the folder that a pattern begins with.
var globFolder = lazy.Regexp{Source: `^((?:[\w.@-]+/)+)[^/]*\*`}

// folders are the folders that the statement's file is about: none for the whole project, and
// where a pattern names no folder.
func (b *builder) folders() (list []string) {
	if dir := b.s.ofFolder(); dir != "" {
		return []string{dir}
	}
	for _, g := range b.s.Globs {
		m := globFolder.Get().FindStringSubmatch(g)
		if m == nil || !pathForm.Get().MatchString(m[1]) {
			return nil
		}
		if dir := strings.TrimSuffix(m[1], "/"); !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// filesInItsFolders limits a rule about files of any folder to the folders that the statement's
// file is about.
func (b *builder) filesInItsFolders(r *ruleFile) {
	folders := slices.DeleteFunc(b.folders(), hidden)
	if len(folders) == 0 {
		return
	}
	if globs := r.places(); globs != nil {
		*globs = b.inFolders(*globs, folders)
		r.moveCases(folders, *globs)
	}
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

// inFolders replaces patterns of any folder by those of the folders.
func (b *builder) inFolders(globs, folders []string) (list []string) {
	ofProject := slices.ContainsFunc(globs, func(g string) bool { return b.ofProject(g, folders) })
	for _, g := range globs {
		if !b.ofAnyFolder(g, folders) || ofProject && !strings.Contains(g, "/") {
			list = append(list, g)
			continue
		}
		for _, dir := range folders {
			if in := belowDir(dir, g); !slices.Contains(list, in) {
				list = append(list, in)
			}
		}
	}
	return list
}

// hidden reports whether the name of a folder begins with a dot. A line of .github/ is about the
// project.
func hidden(dir string) bool { return dir[0] == '.' }

// belowDir limits a pattern of any folder to dir.
func belowDir(dir, g string) string {
	rest := strings.TrimPrefix(g, "**/")
	_, covers := scope.NewPaths([]string{g}, false).Match(dir + "/a")
	switch {
	case covers: // its own name is what the pattern asks for
		return dir + "/**"
	case strings.HasPrefix(rest, dir+"/"):
		return rest
	case rest != g, g == "**", strings.HasSuffix(g, "/**"):
		return dir + "/" + g
	}
	return dir + "/**/" + g
}

// ofAnyFolder reports whether a pattern is about files of any folder.
func (b *builder) ofAnyFolder(g string, folders []string) bool {
	switch {
	case g == "**", strings.HasPrefix(g, "**/*"):
		return true
	case b.s.ofFolder() == "" && !b.has("kind"): // it is named from the project's folder
		return false
	case strings.Contains(g, "/") && b.hit.form.Rule == "kinds":
		return g[0] != '.' && !isBelow(g, folders)
	}
	return strings.HasPrefix(g, "**/") || !strings.Contains(g, "/")
}

// ofProject reports whether a pattern is the name of a file in the project's folder that none of
// these folders has.
func (b *builder) ofProject(g string, folders []string) bool {
	return !strings.Contains(g, "/") && b.p.has(g) && !slices.ContainsFunc(folders, func(dir string) bool { return b.p.has(path.Join(dir, g)) })
}

// moveCases moves the files of a rule's cases into the first folder, and adds a case that passes
// outside of it. It leaves a rule alone whose patterns are not all below the folders, or whose cases
// are there already.
func (r *ruleFile) moveCases(folders, globs []string) {
	dir := folders[0]
	if len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool { return !isBelow(g, folders) }) || slices.ContainsFunc(r.Tests, func(c ruleCase) bool { return c.stopsIn(dir) }) {
		return
	}
	place := func(p *string) (moved bool) {
		if *p == "" || strings.HasPrefix(*p, dir+"/") || strings.HasPrefix(*p, "../") || strings.ContainsRune("/~", rune((*p)[0])) {
			return false
		}
		*p = dir + "/" + *p
		return true
	}
	var outside []ruleCase
	for i := range r.Tests {
		c, was := &r.Tests[i], r.Tests[i]
		c.Before = slices.Clone(c.Before)
		for k := range c.Before {
			place(&c.Before[k].Write)
			if r.BeforeFirst == nil {
				place(&c.Before[k].Read)
			}
		}
		written, read := place(&c.Write), place(&c.Read)
		if c.Bash != "" && r.Trigger == "file_write" && !strings.Contains(c.Bash, dir+"/") {
			c.Bash = "cd " + dir + " && " + c.Bash
			written = true
		}
		if (written || read) && c.Expect == violation && len(outside) == 0 {
			outside = append(outside, passes(was))
		}
	}
	r.Tests = append(r.Tests, outside...)
}

// stopsIn reports whether a case stops a write in a folder, or what follows one.
func (c ruleCase) stopsIn(dir string) bool {
	in := func(p string) bool { return strings.HasPrefix(p, dir+"/") }
	return c.Expect == violation && (in(c.Write) || slices.ContainsFunc(c.Before, func(s step) bool { return in(s.Write) }))
}

// isBelow reports whether a path or a pattern is below one of the folders.
func isBelow(p string, folders []string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(p, dir+"/") })
}
