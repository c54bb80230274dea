package scope

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// Most patterns do not match a call. The functions here find that out on
// the pattern's own text, without parsing or allocating: the runs of literal
// characters in it must occur in the target, in their order.

// pathMayMatch reports false when the path pattern certainly does not match
// target. Both are folded where case does not matter.
func pathMayMatch(pattern, target string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	anchored := false
	if i := strings.IndexByte(pattern, '/'); i >= 0 && i < len(pattern)-1 {
		// A / within a class anchors nothing, and classes are rare.
		anchored = strings.IndexByte(pattern, '[') < 0
	}
	for from := 0; ; {
		start, end, next := literalRun(pattern, from)
		if start < 0 {
			return true
		}
		run := pattern[start:end]
		switch {
		case start == 0 && anchored:
			// **/ may match nothing, and below a folder includes the folder, so
			// that the slashes at a run's ends are not required.
			run = strings.TrimRight(run, "/")
			if !strings.HasPrefix(target, run) {
				return false
			}
			target = target[len(run):]
			if end == len(pattern) && run == pattern && target != "" {
				return false
			}
		case end == len(pattern) && !strings.HasSuffix(run, "/"):
			return strings.HasSuffix(target, strings.TrimLeft(run, "/"))
		default:
			run = strings.Trim(run, "/")
			i := strings.Index(target, run)
			if i < 0 {
				return false
			}
			target = target[i+len(run):]
		}
		from = next
	}
}

// textMayMatch is pathMayMatch for patterns in which nothing separates.
func textMayMatch(pattern, target string) bool {
	for from := 0; ; {
		start, end, next := literalRun(pattern, from)
		if start < 0 {
			return true
		}
		run := pattern[start:end]
		switch {
		case start == 0 && !strings.HasPrefix(target, run):
			return false
		case start == 0:
			target = target[len(run):]
			if end == len(pattern) {
				return target == ""
			}
		case end == len(pattern):
			return strings.HasSuffix(target, run)
		default:
			i := strings.Index(target, run)
			if i < 0 {
				return false
			}
			target = target[i+len(run):]
		}
		from = next
	}
}

// literalRun returns the first run of literal characters at or after from, and
// where to look for the one after it. start is -1 without such a run, or when the
// pattern is broken from there on.
func literalRun(pattern string, from int) (start, end, next int) {
	for i := from; i < len(pattern); {
		switch pattern[i] {
		case '*', '?':
			i++
		case '\\':
			i += 2 // one character less to require
		case '[', '{':
			n := bracketed(pattern[i:])
			if n == 0 {
				return -1, 0, 0
			}
			i += n
		default:
			end = i + 1
			for end < len(pattern) && !special[pattern[end]] {
				end++
			}
			return i, end, end
		}
	}
	return -1, 0, 0
}

// special holds the characters that have a meaning everywhere in a pattern.
var special = [256]bool{'*': true, '?': true, '[': true, '{': true, '\\': true}

// bracketed returns the length of the class or group that s begins with, or 0
// when it is never closed.
func bracketed(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			n := classEnd(s[i:])
			if n == 0 {
				return 0
			}
			if depth == 0 {
				return n + 1
			}
			i += n
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

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
