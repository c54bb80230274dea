package install

import (
	"strings"
)

// Matching joins the names of tools that the hook is called for, for a matcher that
// is a regular expression: those of an agent that write and run, those that only read
// where the hook wants them, and Tools. The names of the agent are separated by |.
func (h Hook) Matching(tools, reads string) string {
	if h.Reads && reads != "" {
		tools += "|" + reads
	}
	return strings.Join(append([]string{tools}, h.Tools...), "|")
}

// nameMax bounds the name of a tool that is written into settings, in bytes. Model
// APIs allow 64 to 128.
const nameMax = 128

// nameCharacters mean the same in every agent's regular expressions, once the dots
// are escaped, and in JSON. A repository's configuration chooses such names.
const nameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:/@-"

// ToolPattern is the alternative of a matcher for one tool; ok is false for a name
// that no model API takes.
func ToolPattern(name string) (pattern string, ok bool) {
	if name == "" || len(name) > nameMax || strings.Trim(name, nameCharacters) != "" {
		return "", false
	}
	return strings.ReplaceAll(name, ".", `\.`), true
}

// PrefixPattern is the alternative of a matcher for all tools whose names begin with
// prefix.
func PrefixPattern(prefix string) (pattern string, ok bool) {
	pattern, ok = ToolPattern(prefix)
	return pattern + ".*", ok
}
