package trigger

import (
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/scope"
)

// search maps a tool that shows the lines in which it finds a text: it reads these files.
// The call does not say which lines, so none of its actions is certain, and a search does
// not count as reading the file.
func (c *call) search() ([]sentinel.Action, error) {
	if !c.showsLines() {
		return nil, nil
	}
	paths, err := c.searched()
	if err != nil {
		return nil, err
	}
	globs, err := c.globs()
	if err != nil {
		return nil, err
	}
	patterns, whole := patternsOf(globs)
	var all gatherer
	for _, p := range paths {
		if len(globs) == 0 || !c.fs.isDir(c.fs.abs(c.dir, p)) {
			all.add(c.pathAction(sentinel.FileRead, sentinel.OpNone, c.dir, p))
			continue
		}
		for _, pattern := range patterns {
			if c.ctx.Err() != nil {
				return nil, c.ctx.Err()
			}
			all.add(c.globAction(p, pattern))
		}
		if !whole {
			a := c.fileAction(sentinel.FileRead, sentinel.OpNone, c.dir, p)
			a.Forms = append(a.Forms, c.inside(a.Forms, "**")...) // any file in there
			all.add(a)
		}
	}
	actions := all.done()
	for i := range actions {
		actions[i].Certain = false
	}
	return actions, nil
}

// showsLines reports whether the call asks for more than the names of files. Where the
// agent's tool has no such argument it means nothing.
func (c *call) showsLines() bool {
	if c.known.NamesOnly && string(c.args.obj["names_only"]) == "true" {
		return false
	}
	if !c.known.Modes {
		return true
	}
	mode, _ := asString(c.args.obj["output_mode"])
	return mode != "" && mode != "files_with_matches" && mode != "count"
}

// searched are the files and folders that a search names, or the folder it runs in.
func (c *call) searched() (paths []string, err error) {
	for _, key := range or(c.keys.Path, slices.Concat(pathKeys, searchKeys, []string{"paths"})) {
		found, err := c.args.textsOf(key)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			paths = appendNew(paths, p)
		}
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	return paths, nil
}

// globs are the patterns of a search for the names of files. A text may hold several, with
// blanks or commas between them, or be one with a blank in it; those with a ! leave files out.
func (c *call) globs() (globs []string, err error) {
	for _, key := range globKeys {
		texts, err := c.args.textsOf(key)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			depth := 0
			several := strings.FieldsFunc(text, func(r rune) bool {
				switch r {
				case '{':
					depth++
				case '}':
					depth--
				}
				return depth <= 0 && (r == ',' || r == ' ' || r == '\t' || r == '\n')
			})
			for _, glob := range append(several, text) {
				if glob != "" && !strings.HasPrefix(glob, "!") {
					globs = appendNew(globs, glob)
				}
			}
		}
	}
	return globs, nil
}

// globAction is the search of the files in a folder whose names fit a pattern without
// braces. The pattern itself is a form, so that *.pem is about keys wherever there are
// some; the files that it picks are forms only where it says more of their names than the
// ending. A pattern for all that is in a folder means the folder.
func (c *call) globAction(folder, glob string) sentinel.Action {
	at := c.fs.abs(c.dir, folder)
	rest, all := withoutAll(c.belowFolder(at, glob))
	if rest == "" {
		return c.fileAction(sentinel.FileRead, sentinel.OpNone, c.dir, folder)
	}
	if !all && !strings.Contains(rest, "/") {
		rest = "**/" + rest // a pattern without a folder holds at any depth
	}
	a := c.fileAction(sentinel.FileRead, sentinel.OpNone, at, rest)
	name := baseName(rest)
	more := c.picked(at, rest)
	if strings.HasPrefix(name, "*.") && !hasGlob(name[1:]) {
		more, _ = c.fs.forms(at, strings.TrimSuffix(rest, name)+name[1:]) // *.env takes .env as well
	}
	for _, form := range more {
		a.Forms = appendNew(a.Forms, form)
	}
	return a
}

// belowFolder writes a pattern with an absolute path from the folder that is searched.
func (c *call) belowFolder(folder, glob string) string {
	glob = c.fs.expand(glob)
	if rest, ok := below(folder, glob, c.fs.fold); ok {
		return rest
	}
	return strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
}

// withoutAll cuts the last elements of a pattern that take any name; all says that there
// are some.
func withoutAll(glob string) (rest string, all bool) {
	elements := strings.Split(strings.Trim(glob, "/"), "/")
	n := len(elements)
	for n > 0 && !strings.HasPrefix(elements[n-1], ".") && strings.Trim(elements[n-1], "*?.") == "" {
		n--
	}
	return strings.Join(elements[:n], "/"), n < len(elements)
}

// picked are the forms of what is in a folder and fits a pattern now, a bounded number of
// them. The pattern may begin in the folder that the call runs in as well.
func (c *call) picked(folder, pattern string) (forms []string) {
	if !c.fs.style.isAbs(folder) {
		return nil
	}
	from, _ := below(c.dir, folder, c.fs.fold)
	fits := scope.NewPaths([]string{pattern}, c.fs.fold)
	bases, _ := c.fs.forms("", folder)
	names, _ := c.fs.deepNames(folder)
	for _, name := range names {
		_, ok := fits.Match(name)
		if !ok && from != "" {
			_, ok = fits.Match(from + "/" + name)
		}
		if ok {
			for _, base := range bases {
				forms = append(forms, c.fs.fromRoot(c.fs.style.clean(c.fs.style.join(base, name))))
			}
		}
	}
	return forms
}

// patternsMax bounds how many patterns one call is looked at for.
const patternsMax = 64

// patternsOf takes the braces of patterns apart: *.{pem,key} is *.pem and *.key. whole is
// false where there are more than the bound.
func patternsOf(globs []string) (all []string, whole bool) {
	todo := slices.Clone(globs)
	for len(todo) > 0 && len(all)+len(todo) <= patternsMax {
		one := todo[0]
		todo = todo[1:]
		open := strings.IndexByte(one, '{')
		choices, end := choicesOf(one, open)
		if end < 0 {
			all = appendNew(all, one)
			continue
		}
		for _, choice := range choices {
			todo = append(todo, one[:open]+choice+one[end+1:])
		}
	}
	return all, len(todo) == 0
}

// choicesOf are the texts between the braces that open at a place of a pattern, and where
// they close; end is -1 if they do not.
func choicesOf(glob string, open int) (choices []string, end int) {
	if open < 0 {
		return nil, -1
	}
	depth, from := 0, open+1
	for i := open; i < len(glob); i++ {
		switch {
		case glob[i] == '{':
			depth++
		case glob[i] == ',' && depth == 1:
			choices, from = append(choices, glob[from:i]), i+1
		case glob[i] == '}':
			if depth--; depth == 0 {
				return append(choices, glob[from:i]), i
			}
		}
	}
	return nil, -1
}
