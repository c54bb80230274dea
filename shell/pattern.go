package shell

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/shellpattern"
)

// maxPattern is the length of a value up to which patterns are tried on it:
// removing the shortest suffix tries every place.
const maxPattern = 4096

// trimPattern removes the shortest or longest prefix (or suffix) that matches.
func trimPattern(v, pattern string, prefix, longest bool) string {
	if len(v) > maxPattern {
		return v
	}
	best := -1
	for n := 0; n <= len(v); n++ {
		part := v[:n]
		if !prefix {
			part = v[len(v)-n:]
		}
		if shellpattern.Match(pattern, part) {
			best = n
			if !longest {
				break
			}
		}
	}
	switch {
	case best < 0:
		return v
	case prefix:
		return v[best:]
	}
	return v[:len(v)-best]
}

// replacePattern is ${v/pattern/with}. ok is false for a pattern that is more
// than a text, since where it would match first is not worth the search.
func replacePattern(v, pattern, with string, all bool) (string, bool) {
	if hasGlob(pattern) || pattern == "" || len(v) > maxPattern || len(with) > maxPattern {
		return "", false
	}
	switch pattern[0] {
	case '#':
		if rest, ok := strings.CutPrefix(v, pattern[1:]); ok {
			return with + rest, true
		}
		return v, true
	case '%':
		if rest, ok := strings.CutSuffix(v, pattern[1:]); ok {
			return rest + with, true
		}
		return v, true
	}
	n := 1
	if all {
		n = -1
	}
	return strings.Replace(v, pattern, with, n), true
}
