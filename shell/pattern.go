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

// Lengths of a value and of a pattern that are searched for a match at every place.
const (
	maxSearched = 64
	maxSearch   = 32
)

// replacePattern is ${v/pattern/with}. ok is false where it would take too long.
func replacePattern(v, pattern, with string, all bool) (string, bool) {
	if pattern == "" || hasGlob(pattern) && (len(v) > maxSearched || len(pattern) > maxSearch) || len(v) > maxPattern || len(with) > maxPattern {
		return "", false
	}
	switch pattern[0] {
	case '#':
		if pattern == "#" {
			return with + v, true
		}
		if rest := trimPattern(v, pattern[1:], true, true); rest != v {
			return with + rest, true
		}
		return v, true
	case '%':
		if pattern == "%" {
			return v + with, true
		}
		if rest := trimPattern(v, pattern[1:], false, true); rest != v {
			return rest + with, true
		}
		return v, true
	}
	if hasGlob(pattern) {
		return replaceMatches(v, pattern, with, all), true
	}
	n := 1
	if all {
		n = -1
	}
	return strings.Replace(v, pattern, with, n), true
}

// replaceMatches replaces the longest match at the first place, or at all places.
func replaceMatches(v, pattern, with string, all bool) string {
	var b strings.Builder
	for len(v) > 0 {
		rest := trimPattern(v, pattern, true, true)
		if rest == v {
			b.WriteByte(v[0])
			v = v[1:]
			continue
		}
		b.WriteString(with)
		if v = rest; !all {
			break
		}
	}
	return b.String() + v
}
