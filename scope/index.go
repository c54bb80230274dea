package scope

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// A Word is a text that everything a pattern matches contains, or "" where no
// such text is known. An index of rules keeps it, so that most patterns are
// never compiled; a [Finder] looks for it.

// PathWord is the Word of a path pattern.
func PathWord(pattern string, fold bool) string {
	if fold {
		pattern = foldCase(pattern)
	}
	return strings.Trim(longestRun(strings.TrimPrefix(pattern, "./")), "/")
}

// CommandWord is the Word of a command pattern.
func CommandWord(pattern string) string { return requiredWord(strings.TrimSpace(pattern)) }

// ToolWord is the Word of an MCP pattern.
func ToolWord(pattern string) string { return longestRun(pattern) }

// longestRun returns the longest run of literal characters in the pattern.
func longestRun(pattern string) string {
	longest := ""
	for from := 0; ; {
		start, end, next := literalRun(pattern, from)
		if start < 0 {
			return longest
		}
		if end-start > len(longest) {
			longest = pattern[start:end]
		}
		from = next
	}
}

// A Finder looks for Words in what one action says. It is not safe for
// concurrent use.
type Finder struct {
	texts []string
	line  *view
}

// FindInPaths returns a Finder for the paths that [Paths.Match] is tried on.
func FindInPaths(paths []string, fold bool) *Finder {
	p := Paths{fold: fold}
	f := &Finder{texts: make([]string, len(paths))}
	for i, name := range paths {
		f.texts[i] = p.target(name)
	}
	return f
}

// FindInLine returns a Finder for a command line.
func FindInLine(line *shell.Line) *Finder { return &Finder{line: &view{line: line}} }

// FindInTool returns a Finder for the forms that [Tools.Match] is tried on.
func FindInTool(forms []string) *Finder { return &Finder{texts: forms} }

// Has reports whether the word is there; "" always is.
func (f *Finder) Has(word string) bool {
	if f.line != nil {
		return f.line.has(word)
	}
	for _, s := range f.texts {
		if strings.Contains(s, word) {
			return true
		}
	}
	return word == ""
}
