package shell

import "strings"

// maxPattern is the length of a value up to which patterns are tried on it:
// removing the shortest suffix tries every place.
const maxPattern = 4096

// matchPattern reports whether a shell pattern of *, ? and […] matches all of s.
// Its time is in proportion to len(pattern)*len(s).
func matchPattern(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, mark = p, i
				p++
				continue
			}
			if n := matchOne(pattern[p:], s[i]); n > 0 {
				p += n
				i++
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchOne returns the length of the pattern element that matches c, or 0.
func matchOne(pattern string, c byte) int {
	switch pattern[0] {
	case '?':
		return 1
	case '[':
		end := strings.IndexByte(pattern[1:], ']')
		if end == 0 {
			end = strings.IndexByte(pattern[2:], ']') + 1
		}
		if end <= 0 {
			break
		}
		set := pattern[1 : 1+end]
		negate := set[0] == '!' || set[0] == '^'
		if negate {
			set = set[1:]
		}
		if inSet(set, c) == negate {
			return 0
		}
		return end + 2
	case '\\':
		if len(pattern) > 1 && pattern[1] == c {
			return 2
		}
		return 0
	}
	if pattern[0] == c {
		return 1
	}
	return 0
}

func inSet(set string, c byte) bool {
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			if set[i] <= c && c <= set[i+2] {
				return true
			}
			i += 2
		} else if set[i] == c {
			return true
		}
	}
	return false
}

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
		if matchPattern(pattern, part) {
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
