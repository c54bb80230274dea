package shell

import (
	"slices"
	"strings"
)

// gitPrinted are the files whose lines a command of git prints, from the work tree or from a
// commit. A file of a commit is the one that it was.
func (c *recorded) gitPrinted(sub string, rest []field) []field {
	switch sub {
	case "show", "cat-file":
		return ofCommits(rest)
	case "blame", "annotate":
		return rest[max(0, len(rest)-1):]
	case "grep":
		if paths := c.behindDashes(); paths != nil {
			return paths
		}
		return rest[min(1, len(rest)):]
	case "log":
		if c.HasFlag("-p", "-u", "--patch", "-L") {
			return c.behindDashes()
		}
	case "diff":
		if c.HasFlag("--no-index") {
			return rest
		}
		if !c.HasFlag("--stat", "--numstat", "--shortstat", "--name-only", "--name-status", "--quiet", "-s") {
			return append(c.behindDashes(), ofCommits(rest)...)
		}
	case "archive":
		return rest[min(1, len(rest)):]
	}
	return nil
}

// behindDashes are the words behind "--".
func (c *recorded) behindDashes() []field {
	i := slices.IndexFunc(c.words, func(f field) bool { return f.text == "--" })
	if i < 0 {
		return nil
	}
	return slices.Clone(c.words[i+1:])
}

// ofCommits are the files that words name in a commit: HEAD:src/a.go.
func ofCommits(words []field) (files []field) {
	for _, f := range words {
		rev, name, ok := strings.Cut(f.text, ":")
		if ok && rev != "" && name != "" && !strings.HasPrefix(name, "/") {
			f.text, f.inner = name, -1
			files = append(files, f)
		}
	}
	return files
}
