package shell

import (
	"strings"
)

// listing is a pattern for the names of files that a command prints, "" when it
// prints something else. Which names they are depends on the files there are.
func listing(c *recorded) string {
	switch c.Program {
	case "find":
		name := findName(c.words)
		if name == "" {
			name = "*"
		}
		return below(c.operands, 0, "**/"+name)
	case "fd", "fdfind":
		return below(c.operands, 1, "**/*")
	case "ls":
		return below(c.operands, 0, "*")
	case "grep", "egrep", "rg", "ag", "ack":
		if c.HasFlag("-l", "-L", "--files-with-matches", "--files-without-match", "--files") {
			return below(c.operands, 1, "**/*")
		}
	case "git":
		if c.Subcommand == "ls-files" || c.Subcommand == "diff" && c.HasFlag("--name-only") {
			return "./**/*"
		}
	}
	return ""
}

// below returns a name in the folder that the operand at this place names, or in
// the current folder.
func below(operands []field, place int, name string) string {
	if place >= len(operands) {
		return "./" + name
	}
	return strings.TrimSuffix(operands[place].text, "/") + "/" + name
}
