package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// Folder returns the folder that the command is about: Dir, or the project or the package that
// an option names instead, as in mvn -f web/pom.xml and npm -w ./web install. known is false
// where the text does not tell it, as for a package that is named and not placed.
func (c *Command) Folder() (dir string, known bool) {
	at := Command{Dir: c.Dir, DirUnknown: c.DirUnknown}
	if how := table.FindFolder(c.Program); how != "" {
		at.enterProject(c, how)
		at.enterPackage(c, how)
	}
	return at.Dir, !at.DirUnknown
}

// changeDirs changes to the folders that the program itself changes to before it works.
func (c *Command) changeDirs() {
	if len(c.Context)+len(c.Flags) == 0 {
		return // most commands
	}
	if how := table.FindFolder(c.Program); how != "" {
		for _, dir := range c.ownDirs(how) {
			c.changeDir(dir)
		}
	}
}

// ownDirs are the folders that the program changes to, one after the other.
func (c *Command) ownDirs(how table.Program) []string {
	if slices.ContainsFunc(how.List("not"), c.HasFlags) {
		return nil
	}
	before := slices.Concat(how.List("before"), how.List("first"), how.List("dir"))
	dirs := contextValues(c.Context, before)
	if first := how.List("first"); first != nil && len(c.Args) > 1 {
		dirs = append(dirs, contextValues(c.Args[1:min(3, len(c.Args))], first)...)
	}
	dirs = append(dirs, c.valuesIn(c.ownWords(how), how.List("dir"))...)
	if n := len(dirs); n > 1 && !how.Has("more") {
		dirs = dirs[n-1:]
	}
	return dirs
}

// enterPackage goes to the package of a workspace that a command is about. The name of a
// package is not always that of its folder.
func (c *Command) enterPackage(of *Command, how table.Program) {
	several := how.List("several")
	elsewhere := of.Subcommand != "" && (how.Lists("member", of.Subcommand) || how.Lists("several", of.Subcommand))
	for _, word := range slices.Concat(of.Context, of.ownWords(how)) {
		elsewhere = elsewhere || strings.HasPrefix(word, "-") && slices.Contains(several, word)
	}
	names := of.folderValues(how, "package")
	switch {
	case elsewhere || len(names) > 1 || len(names) == 1 && !isPlace(names[0]):
		c.Dir, c.DirUnknown = "", true
	case len(names) == 1:
		c.changeDir(names[0])
	}
}

// isPlace reports whether what names a package is a path and no name, nor a pattern for several.
func isPlace(name string) bool {
	if strings.ContainsAny(name, "*?[]{}!^,:") || strings.Contains(name, "...") {
		return false
	}
	return name == "." || strings.Contains(name, "/") && name[0] != '@'
}

// enterProject goes to the project that a command is about, which the program may be told
// without changing to it.
func (c *Command) enterProject(of *Command, how table.Program) {
	projects := of.folderValues(how, "project")
	if files := of.folderValues(how, "file"); len(files) > 0 && len(of.ownDirs(how)) == 0 {
		projects = append(projects, path.Dir(files[len(files)-1]))
	}
	switch len(projects) {
	case 0:
	case 1:
		dir := projects[0]
		if slices.ContainsFunc(how.List("ending"), func(ending string) bool { return strings.HasSuffix(dir, ending) }) {
			dir = path.Dir(dir)
		}
		c.changeDir(dir)
	default:
		c.Dir, c.DirUnknown = "", true
	}
}

// folderValues are the values of the options that the table has under a fact.
func (c *Command) folderValues(how table.Program, fact string) []string {
	names := how.List(fact)
	if names == nil {
		return nil
	}
	return append(contextValues(c.Context, names), c.valuesIn(c.ownWords(how), names)...)
}

// contextValues are the values of options in front of a sub-command.
func contextValues(words, names []string) (values []string) {
	for i := 0; i < len(words) && len(names) > 0; i++ {
		name, value, inline := strings.Cut(words[i], "=")
		switch {
		case inline && slices.Contains(names, name):
			values = append(values, value)
		case slices.Contains(names, words[i]) && i+1 < len(words):
			i++
			values = append(values, words[i])
		case len(name) > 2 && name[1] != '-' && slices.Contains(names, name[:2]):
			values = append(values, words[i][2:]) // -Cweb
		}
	}
	return values
}

// valuesIn are the values of options in words of the command, in their order.
func (c *Command) valuesIn(words, names []string) (values []string) {
	if len(names) == 0 || len(c.Flags) == 0 {
		return nil
	}
	o := table.OptionsOf(c.Program, c.Subcommand)
	for i := 0; i < len(words) && words[i] != "--"; i++ {
		word, next := words[i], ""
		if len(word) < 2 || word[0] != '-' {
			continue
		}
		if i+1 < len(words) {
			next = words[i+1]
		}
		for _, name := range names {
			if value, ok := o.Value(word, next, name, i+1 < len(words)); ok {
				values = append(values, value)
				break
			}
		}
		if o.TakesNext(word) {
			i++
		}
	}
	return values
}

// ownWords are the words behind the program in which it looks for its own options. Those
// behind the name of a script that it runs are arguments of the script for most programs.
func (c *Command) ownWords(how table.Program) []string {
	if !how.Has("scripts") || how.Lists("own", c.Subcommand) {
		return c.Args
	}
	name := 1
	if table.FindRecipe(c.Program).Lists("run", c.Subcommand) {
		name = 2
	}
	o := table.OptionsOf(c.Program, c.Subcommand)
	for i := 0; i < len(c.Args); i++ {
		switch a := c.Args[i]; {
		case strings.HasPrefix(a, "-"):
			if o.TakesNext(a) {
				i++
			}
		case name == 1:
			return c.Args[:i]
		default:
			name--
		}
	}
	return c.Args
}

// entered goes to the folder in which a wrapper or a runner runs its command. words are those
// between the two.
func (w walker) entered(s simple, words []field) walker {
	how := table.FindFolder(s.name)
	if how == "" {
		return w
	}
	args := make([]string, len(words))
	for i, f := range words {
		args[i] = f.text
	}
	c := Command{Program: s.name, Dir: w.dir, DirUnknown: w.lost}
	c.setArgs(args, s.facts.Has("subcommands"))
	if c.Subcommand == "" || !how.Lists("stay", c.Subcommand) {
		c.changeDirs()
	}
	before := c
	c.enterPackage(&before, how)
	if c.Dir != w.dir || c.DirUnknown != w.lost {
		w = w.subshell()
		w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	}
	return w
}
