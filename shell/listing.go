package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// listing are patterns for the names of files that a command prints, none when it
// prints something else. Which names they are depends on the files there are.
func listing(c *recorded) []string {
	switch c.Program {
	case "find":
		return found(c)
	case "fd", "fdfind":
		name := "*"
		if ext, ok := c.Value("-e", "--extension"); ok {
			name = "*." + strings.TrimPrefix(ext, ".")
		}
		return below(c.operandsBefore("-x", "-X", "--exec", "--exec-batch"), 1, "**/"+name)
	case "ls":
		return listed(c)
	case "locate", "tree":
		return []string{"./**/*"}
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep":
		if c.HasFlag("-l", "-L", "--files-with-matches", "--files-without-match", "--files") {
			return searched(c)
		}
	case "git":
		return gitListing(c)
	}
	return nil
}

// found are the names that find prints. Those of the folders that it starts in are among
// them, unless it tests for something else.
func found(c *recorded) []string {
	name := findName(c.words)
	if name == "" {
		name = "*"
	}
	names := below(c.operands, 0, "**/"+name)
	if slices.ContainsFunc(c.Flags, func(f string) bool { return !strings.Contains(findAll, " "+f+" ") }) {
		return names
	}
	return append(itself(c.operands), names...)
}

// findAll are options and actions of find that leave no name out.
const findAll = " -H -L -P -depth -d -xdev -mount -maxdepth -print -print0 -exec -execdir -ok -okdir "

// itself are the names that operands are.
func itself(operands []field) []string {
	if len(operands) == 0 {
		return []string{"."}
	}
	var names []string
	for _, f := range operands[:min(len(operands), maxNames/2)] {
		names = append(names, orText(f)...)
	}
	return names[:min(len(names), maxNames/2)]
}

// listed are the names that ls prints: those in a folder as ls has them, without
// the folder, and with it, as the author of the line may have meant.
func listed(c *recorded) []string {
	if c.HasFlag("-d", "--directory") {
		return itself(c.operands)
	}
	names := below(c.operands, 0, "*")
	if len(c.operands) > 0 && !slices.ContainsFunc(c.operands, func(f field) bool { return hasGlob(f.text) }) {
		names = append(names, "*")
	}
	return names
}

// searched are the names that grep -l prints.
func searched(c *recorded) []string {
	name := "*"
	for i, f := range c.words {
		value, ok := strings.CutPrefix(f.text, "--include=")
		if !ok && i+1 < len(c.words) && (f.text == "-g" || f.text == "--glob" || f.text == "--include") {
			value, ok = c.words[i+1].text, true
		}
		if ok && name == "*" && !strings.HasPrefix(value, "!") {
			name = path.Base(value)
		}
	}
	place := 1 // the first operand is the text that is looked for
	if c.HasFlag("--files") || c.Program != "ack" && c.HasFlag("-e", "-f", "--regexp", "--file") {
		place = 0
	}
	return below(c.operands, place, "**/"+name)
}

// gitListing are the names that a sub-command of git prints.
func gitListing(c *recorded) []string {
	specs := c.rest(1)
	switch c.Subcommand {
	case "ls-files":
	case "grep":
		if !c.HasFlag("-l", "-L", "--files-with-matches", "--name-only", "--files-without-match") {
			return nil
		}
		if !c.HasFlag("-e", "-f") {
			specs = c.rest(2)
		}
	case "diff", "show", "log", "diff-tree", "diff-index", "diff-files", "whatchanged", "ls-tree":
		if !c.HasFlag("--name-only", "--name-status") {
			return nil
		}
		specs = nil
		if i := slices.IndexFunc(c.words, func(f field) bool { return f.text == "--" }); i >= 0 {
			specs = c.words[i+1:]
		}
	case "status":
		specs = nil
		if !c.HasFlag("-s", "--short", "--porcelain", "-z") {
			return nil
		}
	default:
		return nil
	}
	if len(specs) == 0 {
		return []string{"./**/*"}
	}
	var names []string
	for _, f := range specs[:min(len(specs), maxNames)] {
		names = append(names, pathspec(f.text)...)
	}
	return bounded(names, len(specs), "./**/*")
}

// pathspec are patterns for the files that a pathspec of git means. Its star
// crosses folders.
func pathspec(spec string) []string {
	if strings.HasPrefix(spec, ":") {
		return []string{"./**/*"}
	}
	at := strings.LastIndexByte(spec, '/') + 1
	dir, base := spec[:at], spec[at:]
	if i := strings.IndexAny(dir, "*?["); i >= 0 {
		dir = dir[:strings.LastIndexByte(dir[:i], '/')+1]
	}
	if dir == "" {
		dir = "./"
	}
	switch {
	case hasGlob(base):
		return []string{dir + "**/" + base}
	case spec[:at] != dir && at > 0:
		return []string{dir + "**/" + base}
	}
	return inOrBelow(spec, "**/*")
}

// below are patterns for a name in the folders that the operands from a place on
// name, or in the current folder.
func below(operands []field, place int, name string) []string {
	if place >= len(operands) {
		return []string{"./" + name}
	}
	var names []string
	for _, f := range operands[place:min(len(operands), place+maxNames)] {
		for _, p := range orText(f) {
			names = append(names, inOrBelow(p, name)...)
		}
	}
	return bounded(names, len(operands)-place, "./**/"+path.Base(name))
}

// bounded are the patterns of so many operands; where there are more than are kept, the
// last one is rest, which represents those left out.
func bounded(names []string, operands int, rest string) []string {
	if operands <= maxNames && len(names) <= maxNames {
		return names
	}
	return append(names[:min(len(names), maxNames-1)], rest)
}

func orText(f field) []string {
	if names := namesOf(f); len(names) > 0 {
		return names
	}
	return []string{f.text}
}

// inOrBelow are a path itself, where it is a pattern or by its name a file, or else
// what has a name below it.
func inOrBelow(p, name string) []string {
	base := path.Base(p)
	if ext := path.Ext(base); hasGlob(base) || len(ext) > 1 && ext != base && base != ".." {
		return []string{p}
	}
	return []string{strings.TrimSuffix(p, "/") + "/" + name}
}

// operandsBefore are the operands before the first of some options, after which a
// command of its own follows.
func (c *recorded) operandsBefore(options ...string) []field {
	end := slices.IndexFunc(c.words, func(f field) bool { return slices.Contains(options, f.text) })
	if end < 0 {
		return c.operands
	}
	o := table.OptionsOf(c.Program, c.Subcommand)
	var operands []field
	for i := 1; i < end; i++ {
		switch text := c.words[i].text; {
		case len(text) < 2 || text[0] != '-':
			operands = append(operands, c.words[i])
		case o.TakesNext(text):
			i++
		}
	}
	return operands
}
