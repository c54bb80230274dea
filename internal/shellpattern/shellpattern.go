// Package shellpattern matches patterns as a POSIX shell does. The patterns of
// package scope are another language: they have braces and **, and reject what
// is likely a slip.
package shellpattern

import (
	"strings"
	"unicode/utf8"
)

// Match reports whether a pattern of *, ?, […] and [!…] matches all of s. A
// backslash takes the meaning from the character after it. An open bracket
// without its end is literal, as in a shell, so every pattern is valid. A star
// crosses slashes. The time is in proportion to len(pattern)*len(s).
func Match(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		char := s[i : i+size]
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, mark = p, i
				p++
				continue
			}
			if n := matchOne(pattern[p:], char, r); n > 0 {
				p += n
				i += size
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, size = utf8.DecodeRuneInString(s[mark:])
		mark += size
		p, i = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchOne returns the length of the pattern element that matches the character
// r, which is written as char; 0 when it does not match.
func matchOne(pattern, char string, r rune) int {
	switch pattern[0] {
	case '?':
		return 1
	case '[':
		if set, n := bracket(pattern); n > 0 {
			negated := set[0] == '!' || set[0] == '^'
			if negated {
				set = set[1:]
			}
			if inSet(set, r) == negated {
				return 0
			}
			return n
		}
	case '\\':
		if strings.HasPrefix(pattern[1:], char) {
			return 1 + len(char)
		}
		return 0
	}
	if strings.HasPrefix(pattern, char) {
		return len(char)
	}
	return 0
}

// bracket returns the characters between brackets, at least one, and the length
// with the brackets; 0 without an end. A ] in the first place is literal.
func bracket(pattern string) (set string, n int) {
	first := 1
	if len(pattern) > 1 && (pattern[1] == '!' || pattern[1] == '^') {
		first = 2
	}
	for i := first; i < len(pattern); i++ {
		switch {
		case pattern[i] == '\\':
			i++
		case pattern[i] == ']' && i > first:
			return pattern[1:i], i + 1
		}
	}
	return "", 0
}

// inSet reports whether r is one of the characters and ranges of a set.
func inSet(set string, r rune) bool {
	for set != "" {
		var low rune
		low, set = next(set)
		high := low
		if len(set) > 1 && set[0] == '-' {
			high, set = next(set[1:])
		}
		if low <= r && r <= high {
			return true
		}
	}
	return false
}

// next returns the first character of a set, without its backslash, and the rest.
func next(set string) (rune, string) {
	if len(set) > 1 && set[0] == '\\' {
		set = set[1:]
	}
	r, n := utf8.DecodeRuneInString(set)
	return r, set[n:]
}
