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

// filesInItsFolders makes a rule about files of any folder one about those of the folders that
// the statement's file is about.
func (b *builder) filesInItsFolders(r *ruleFile) {
	folders := slices.DeleteFunc(b.folders(), hidden)
	if len(folders) == 0 {
		return
	}
	move := func(globs []string) (list []string) {
		ofProject := slices.ContainsFunc(globs, func(g string) bool { return b.ofProject(g, folders) })
		for _, g := range globs {
			if !b.ofAnyFolder(g) || ofProject && !strings.Contains(g, "/") {
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
	switch {
	case r.Requires != nil:
		r.Requires.Since = move(r.Requires.Since)
		r.moveCases(folders, r.Requires.Since)
	case r.Also != nil:
		r.Also.Changed = move(r.Also.Changed)
		r.moveCases(folders, r.Also.Changed)
	case r.BeforeFirst != nil:
		r.BeforeFirst.Write = move(r.BeforeFirst.Write)
		r.moveCases(folders, r.BeforeFirst.Write)
	case r.Trigger == "file_write", r.Trigger == "file_read":
		if len(r.Scope) == 0 {
			r.Scope = []string{"**"}
		}
		r.Scope = move(r.Scope)
		r.moveCases(folders, r.Scope)
	}
}

// hidden reports whether a folder has a name with a dot: what is said in .github/ is of the project.
func hidden(dir string) bool { return dir[0] == '.' }

// belowDir is a pattern of any folder as one of the files of dir.
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
func (b *builder) ofAnyFolder(g string) bool {
	switch {
	case g == "**", strings.HasPrefix(g, "**/*"):
		return true
	case b.s.ofFolder() == "" && !b.has("kind"): // it is named from the project's folder
		return false
	case strings.Contains(g, "/") && b.hit.form.Rule == "kinds":
		return g[0] != '.' && !strings.HasPrefix(g, b.folders()[0]+"/")
	}
	return strings.HasPrefix(g, "**/") || !strings.Contains(g, "/")
}

// ofProject reports whether a pattern is a name that the project's folder has, and none of these
// folders.
func (b *builder) ofProject(g string, folders []string) bool {
	return !strings.Contains(g, "/") && b.p.has(g) && !slices.ContainsFunc(folders, func(dir string) bool { return b.p.has(path.Join(dir, g)) })
}

// moveCases moves the files of a rule's cases into the first folder, if its patterns are all of
// the folders and its cases are not, and lets the same calls pass outside of it.
func (r *ruleFile) moveCases(folders, globs []string) {
	dir := folders[0]
	inside := func(g string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(g, f+"/") })
	}
	if len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool { return !inside(g) }) || slices.ContainsFunc(r.Tests, func(c ruleCase) bool { return c.stopsIn(dir) }) {
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
